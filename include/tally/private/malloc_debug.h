/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_debug.h - part of tally/malloc.h: CONFIG_MEM_ALLOC_PROFILING_DEBUG=y
 *
 * A _noprof call outside of any hook prints a warning, once per line.
 */
#ifndef TALLY_PRIVATE_MALLOC_DEBUG_H
#define TALLY_PRIVATE_MALLOC_DEBUG_H

#pragma GCC system_header

#include "tally/alloc_tag.h"

#define TALLY_DEBUG(call)                                                   \
    (__extension__({                                                        \
        static struct tally_debug_place tally_place = { __FILE__, __func__, \
                                                        __LINE__, 0 };      \
        if (__builtin_expect(tally_current_tag == NULL, 0))                 \
            tally_debug_untagged(&tally_place);                             \
        call;                                                               \
    }))

#define malloc_noprof(...)        TALLY_DEBUG(malloc_noprof(__VA_ARGS__))
#define calloc_noprof(...)        TALLY_DEBUG(calloc_noprof(__VA_ARGS__))
#define realloc_noprof(...)       TALLY_DEBUG(realloc_noprof(__VA_ARGS__))
#define reallocarray_noprof(...)  TALLY_DEBUG(reallocarray_noprof(__VA_ARGS__))
#define aligned_alloc_noprof(...) TALLY_DEBUG(aligned_alloc_noprof(__VA_ARGS__))
#define posix_memalign_noprof(...) \
    TALLY_DEBUG(posix_memalign_noprof(__VA_ARGS__))
#define memalign_noprof(...)  TALLY_DEBUG(memalign_noprof(__VA_ARGS__))
#define valloc_noprof(...)    TALLY_DEBUG(valloc_noprof(__VA_ARGS__))
#define pvalloc_noprof(...)   TALLY_DEBUG(pvalloc_noprof(__VA_ARGS__))
#define strdup_noprof(...)    TALLY_DEBUG(strdup_noprof(__VA_ARGS__))
#define strndup_noprof(...)   TALLY_DEBUG(strndup_noprof(__VA_ARGS__))
#define asprintf_noprof(...)  TALLY_DEBUG(asprintf_noprof(__VA_ARGS__))
#define vasprintf_noprof(...) TALLY_DEBUG(vasprintf_noprof(__VA_ARGS__))
#define getline_noprof(...)   TALLY_DEBUG(getline_noprof(__VA_ARGS__))
#define getdelim_noprof(...)  TALLY_DEBUG(getdelim_noprof(__VA_ARGS__))

#endif /* TALLY_PRIVATE_MALLOC_DEBUG_H */
