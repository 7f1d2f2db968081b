/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_control.c - the profiler's switch in the ledger, where `tally ctl` finds it
 *
 * There are two words, the ledger's and the profiler's own, which the program and
 * its debugger write. Whichever was changed last counts: the ledger's is compared
 * with what was last stored there.
 */
#include "linked/zpl_control.h"

#include <stddef.h>
#include <stdint.h>

#include "core/accounts/mem_profiling.h"
#include "format/ledger/ledger_layout.h"
#include "tally/zpl.h"

static uint32_t *word;   /* in the ledger; NULL: none */
static uint32_t written; /* what we stored there last */

static uint32_t state(void)
{
    return tally_zpl_is_on() ? LEDGER_PROFILER_ON : LEDGER_PROFILER_OFF;
}

static void show(void)
{
    written = state();
    __atomic_store_n(word, written, __ATOMIC_RELEASE);
}

/* The word of the engine's lies in the header. */
static struct ledger_header *find_header(void)
{
    const char *control = (const char *)(const void *)tally_mem_profiling;

    return (struct ledger_header *)(void *)(uintptr_t)(control -
                                                       offsetof(
                                                           struct ledger_header,
                                                           control));
}

void zpl_control_open(void)
{
    word = NULL;
    if (!mem_profiling_settle() || !mem_profiling_is_available())
        return;
    word = &find_header()->memory_profiler;
    show();
}

void zpl_control_read(void)
{
    uint32_t wanted;

    if (word == NULL)
        return;
    wanted = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (wanted != written)
        zpl_memory_profiling_set(wanted == LEDGER_PROFILER_ON);
    if (wanted != state())
        show();
    else
        written = wanted;
}
