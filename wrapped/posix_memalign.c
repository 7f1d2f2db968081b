/* SPDX-License-Identifier: Apache-2.0 */
/* posix_memalign.c - traced as malloc of the requested size */
#include "wrapped/wrapped.h"

DECLARE_WRAPPED(int, posix_memalign,
                (void **block, size_t alignment, size_t size));

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    bool is_told = tally_mem_trace_enter();
    int error = __real_posix_memalign(block, alignment, size);

    if (is_told)
        tell_malloc(error == 0 ? *block : NULL, size, CALLER);
    return error;
}
