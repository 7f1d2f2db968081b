/* SPDX-License-Identifier: Apache-2.0 */
/* aligned_alloc.c - traced as malloc of what was asked for */
#include "wrapped/wrapped.h"

DECLARE_WRAPPED(void *, aligned_alloc, (size_t alignment, size_t size));

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (!tally_mem_trace_enter())
        return __real_aligned_alloc(alignment, size);
    return tell_malloc(__real_aligned_alloc(alignment, size), size, CALLER);
}
