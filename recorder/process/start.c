/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c - the constructor
 *
 * The first allocation would do all this too, and often comes earlier. But a
 * program may first lock itself in (seccomp, chroot, closed descriptors) and
 * allocate then.
 */
#include "ledger/record/attach.h"
#include "recorder/calls/new_delete.h"
#include "recorder/real_functions.h"

static __attribute__((constructor)) void start(void)
{
    real_functions_find();
    new_delete_find();
    thread_attach();
}
