/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attached.c - what `tally attach` calls in a program that runs
 *
 *     tally_record_open()     a file for the session
 *     (its settings, and a plan of what to patch, are written there)
 *     tally_record_attach()   the accounts begin; nothing comes to them yet
 *     (the program is stopped, and the jumps are written)
 *
 * Both are called in a thread that stands outside the loader and the allocator,
 * with all signals blocked, and keep errno.
 */
#include "format/ledger/ledger_layout.h"
#include "ledger/record/attach.h"
#include "ledger/space/session.h"
#include "recorder/real_functions.h"

/* Its descriptor here, or -1: there is no room for it. */
EXPORT long tally_record_open(void);
/* 1 when it is recorded. */
EXPORT long tally_record_attach(void);

long tally_record_open(void)
{
    if (process.header != NULL)
        return -1;
    real_functions_find();
    return session_make(LEDGER_CONTROL_ON, false);
}

long tally_record_attach(void)
{
    process_retry();
    thread_attach();
    return process.header != NULL;
}
