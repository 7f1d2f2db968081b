/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_plain.h - part of tally/malloc.h: CONFIG_MEM_ALLOC_PROFILING=n
 *
 * There are no tags: the _noprof forms are the C library's functions.
 */
#ifndef TALLY_PRIVATE_MALLOC_PLAIN_H
#define TALLY_PRIVATE_MALLOC_PLAIN_H

#define malloc_noprof         malloc
#define calloc_noprof         calloc
#define realloc_noprof        realloc
#define reallocarray_noprof   reallocarray
#define aligned_alloc_noprof  aligned_alloc
#define posix_memalign_noprof posix_memalign
#define memalign_noprof       memalign
#define valloc_noprof         valloc
#define pvalloc_noprof        pvalloc
#define strdup_noprof         strdup
#define strndup_noprof        strndup
#define asprintf_noprof       asprintf
#define vasprintf_noprof      vasprintf
#define getline_noprof        getline
#define getdelim_noprof       getdelim

#endif /* TALLY_PRIVATE_MALLOC_PLAIN_H */
