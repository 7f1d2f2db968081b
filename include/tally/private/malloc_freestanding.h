/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_freestanding.h - part of tally/malloc.h: without a C library
 *
 * All blocks come from the port's heap (tally/tagged.h), recorded or not.
 */
#ifndef TALLY_PRIVATE_MALLOC_FREESTANDING_H
#define TALLY_PRIVATE_MALLOC_FREESTANDING_H

#pragma GCC system_header

#include "tally/alloc_tag.h"
#include "tally/tagged.h"

static __inline__ void *malloc_noprof(size_t size)
{
    return tally_tag_malloc(tally_current_tag, size);
}

static __inline__ void *calloc_noprof(size_t count, size_t size)
{
    return tally_tag_calloc(tally_current_tag, count, size);
}

static __inline__ void *realloc_noprof(void *block, size_t size)
{
    return tally_tag_realloc(tally_current_tag, block, size);
}

static __inline__ void *aligned_alloc_noprof(size_t alignment, size_t size)
{
    return tally_tag_aligned_alloc(tally_current_tag, alignment, size);
}

#define memalign_noprof aligned_alloc_noprof

#endif /* TALLY_PRIVATE_MALLOC_FREESTANDING_H */
