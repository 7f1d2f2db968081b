/* SPDX-License-Identifier: Apache-2.0 */
/* pvalloc.c - traced as malloc of what was asked for, not of whole pages */
#include "wrapped/wrapped.h"

DECLARE_WRAPPED(void *, pvalloc, (size_t size));

void *__wrap_pvalloc(size_t size)
{
    if (!tally_mem_trace_enter())
        return __real_pvalloc(size);
    return tell_malloc(__real_pvalloc(size), size, CALLER);
}
