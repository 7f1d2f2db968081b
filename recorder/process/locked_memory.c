/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locked_memory.c - mlockall concerns the program's memory, not ours
 *
 * What the recorder has mapped is unlocked again, and what it maps later is
 * never locked, so that RLIMIT_MEMLOCK stays the program's.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

#include "ledger/export.h"
#include "ledger/record/attach.h"
#include "ports/posix/memory/pages.h"
#include "recorder/events/events.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/stacks.h"

EXPORT int mlockall(int flags)
{
    bool was_locking = pages_are_locked();
    int result;

    pages_set_locking(was_locking || (flags & MCL_FUTURE) != 0);
    result = REAL(mlockall)(flags);
    if (result == 0) {
        process_unlock();
        events_unlock();
        stacks_unlock();
    } else {
        pages_set_locking(was_locking);
    }
    return result;
}

EXPORT int munlockall(void)
{
    pages_set_locking(false);
    return REAL(munlockall)();
}
