/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newlib.c - newlib's own functions, which take its state of the thread
 *
 * Its malloc ends in a jump to _malloc_r, so the caller is right here too.
 * newlib's own allocations only come this way.
 */
#include "wrapped/wrapped.h"

struct _reent;

WRAP_AS(malloc, _malloc_r, (struct _reent * state, size_t size), (state, size),
        size)
WRAP_AS(malloc, _memalign_r,
        (struct _reent * state, size_t alignment, size_t size),
        (state, alignment, size), size)
WRAP_AS(calloc, _calloc_r, (struct _reent * state, size_t count, size_t size),
        (state, count, size), count, size)
WRAP_AS(realloc, _realloc_r, (struct _reent * state, void *block, size_t size),
        (state, block, size), block, size)
WRAP_AS_FREE(_free_r, (struct _reent * state, void *block), (state, block))
