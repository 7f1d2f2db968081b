/* SPDX-License-Identifier: Apache-2.0 */
/* reallocarray.c - traced as realloc of the product; SIZE_MAX if it wraps */
#include <stdint.h>

#include "wrapped/wrapped.h"

DECLARE_WRAPPED(void *, reallocarray, (void *block, size_t count, size_t size));

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (!tally_mem_trace_enter())
        return __real_reallocarray(block, count, size);
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    return tell_realloc(__real_reallocarray(block, count, size), block, bytes,
                        CALLER);
}
