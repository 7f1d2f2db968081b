/* SPDX-License-Identifier: Apache-2.0 */
/* posix_memalign.c - traced as malloc of what was asked for */
#include "wrapped/wrapped.h"

DECLARE_WRAPPED(int, posix_memalign,
                (void **block, size_t alignment, size_t size));

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    int error;

    if (!tally_mem_trace_enter())
        return __real_posix_memalign(block, alignment, size);
    error = __real_posix_memalign(block, alignment, size);
    tell_malloc(error == 0 ? *block : NULL, size, CALLER);
    return error;
}
