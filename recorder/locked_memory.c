/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locked_memory.c - mlockall concerns the program's memory, not ours
 *
 * What the recorder has mapped is unlocked again, and what it maps later is
 * never locked, so that RLIMIT_MEMLOCK stays the program's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "recorder/export.h"
#include "recorder/pages.h"
#include "recorder/process.h"

EXPORT int mlockall(int flags);
EXPORT int munlockall(void);

static void find_next(const char *name, void *slot)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    memcpy(slot, &symbol, sizeof symbol);
}

int mlockall(int flags)
{
    static int (*real_mlockall)(int);
    int result;

    if (real_mlockall == NULL)
        find_next("mlockall", &real_mlockall);
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
        find_next("munlockall", &real_munlockall);
    pages_set_locking(false);
    return real_munlockall();
}
