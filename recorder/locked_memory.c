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

#include "recorder/export.h"
#include "recorder/pages.h"
#include "recorder/process.h"
#include "recorder/real_functions.h"

EXPORT int mlockall(int flags);
EXPORT int munlockall(void);

int mlockall(int flags)
{
    static int (*real_mlockall)(int);
    int result;

    if (real_mlockall == NULL)
        real_find_next("mlockall", &real_mlockall);
    pages_set_locking((flags & MCL_FUTURE) != 0);
    result = real_mlockall(flags);
    if (result == 0)
        process_unlock();
    else
        pages_set_locking(false);
    return result;
}

int munlockall(void)
{
    static int (*real_munlockall)(void);

    if (real_munlockall == NULL)
        real_find_next("munlockall", &real_munlockall);
    pages_set_locking(false);
    return real_munlockall();
}
