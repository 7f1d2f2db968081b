/* SPDX-License-Identifier: Apache-2.0 */
/* valloc.c - traced as malloc of what was asked for */
#include "wrapped/wrapped.h"

DECLARE_WRAPPED(void *, valloc, (size_t size));

void *__wrap_valloc(size_t size)
{
    if (!tally_mem_trace_enter())
        return __real_valloc(size);
    return tell_malloc(__real_valloc(size), size, CALLER);
}
