/* SPDX-License-Identifier: Apache-2.0 */
/* readable.c - see readable.h */
#include "ports/posix/readable.h"

#include <linux/futex.h>

#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"

#define PAGE UINT64_C(4096)

/* The kernel reads the word and compares it with 0; no thread is woken or moved. */
bool readable_page(uintptr_t address)
{
    long page = (long)(address & ~(PAGE - 1));
    long result;

    if (sandbox_is_closed())
        return false;
    result =
        raw_call(SYS_futex, page, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, page, 0);
    return result == 0 || result == -11; /* EAGAIN: it is not 0 */
}

bool readable_file(uintptr_t from, size_t size)
{
    uintptr_t last = (from + size - 1) & ~(PAGE - 1);

    if (sandbox_is_closed())
        return true;
    for (uintptr_t page = from & ~(PAGE - 1); page <= last; page += PAGE) {
        if (!readable_page(page))
            return false;
    }
    return true;
}
