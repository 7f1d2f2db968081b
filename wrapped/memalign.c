/* SPDX-License-Identifier: Apache-2.0 */
/* memalign.c - traced as malloc of what was asked for */
#include "wrapped/wrapped.h"

DECLARE_WRAPPED(void *, memalign, (size_t alignment, size_t size));

void *__wrap_memalign(size_t alignment, size_t size)
{
    if (!tally_mem_trace_enter())
        return __real_memalign(alignment, size);
    return tell_malloc(__real_memalign(alignment, size), size, CALLER);
}
