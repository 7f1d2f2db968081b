/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - core/accounts/engine.h on hosts: the live ledger of this process
 *
 * The recorder's when it is loaded, so that there is one ledger and each block
 * is in it once; else a session of our own, where `tally` finds it by the
 * process's number.
 */
#define _GNU_SOURCE
#include "linked/engine.h"

#include <stddef.h>

#include "core/accounts/engine.h"
#include "ledger/record/attach.h"
#include "ledger/record/record.h"
#include "ledger/record/sites.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ports/posix/loaded_symbols.h"
#include "sampling/countdown/countdown.h"

const struct engine_table *engine_of_recorder;

static uint32_t wanted_control = LEDGER_CONTROL_ON;
static bool wants_compressed;

static void find_recorder(void)
{
    const struct engine_table *found = loaded_symbols_find(ENGINE_TABLE_SYMBOL);

    if (found == NULL || found->version != ENGINE_TABLE_VERSION)
        return;
    __atomic_store_n(&mem_trace_shared, found->trace, __ATOMIC_RELEASE);
    __atomic_store_n(&memprof_calls, found->memprof, __ATOMIC_RELEASE);
    __atomic_store_n(&limits_calls, found->limits, __ATOMIC_RELEASE);
    __atomic_store_n(&sample_calls, found->samples, __ATOMIC_RELEASE);
    __atomic_store_n(&sample_generation, &found->counting->generation,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&engine_of_recorder, found, __ATOMIC_RELEASE);
}

/*
 * Before any code of the program: a callback that it sets is the recorder's,
 * and all that it allocates is in the recorder's accounts.
 */
__attribute__((constructor(101))) static void start(void)
{
    find_recorder();
    if (engine_of_recorder != NULL)
        engine_of_recorder->open();
}

/* Two threads may come here at once; they find the same. */
void engine_prepare(void)
{
    static uint32_t is_prepared;

    if (__atomic_load_n(&is_prepared, __ATOMIC_ACQUIRE) != 0)
        return;
    find_recorder();
    if (engine_of_recorder == NULL)
        process_prepare();
    __atomic_store_n(&is_prepared, 1, __ATOMIC_RELEASE);
}

bool engine_claim(struct session_claim *claim)
{
    return session_claim_own(wanted_control, wants_compressed, claim);
}

const uint32_t *engine_open(uint32_t control, bool is_compressed)
{
    if (engine_of_recorder != NULL)
        return engine_of_recorder->open();
    wanted_control = control;
    wants_compressed = is_compressed;
    return record_is_listening() ? process_control : NULL;
}

void engine_set_control(uint32_t control)
{
    if (engine_of_recorder != NULL) {
        engine_of_recorder->set_control(control);
    } else if (record_is_listening() && process.header != NULL) {
        /* Off, they hold more now than ever after, until it is on again. */
        sites_see_peaks();
        __atomic_store_n(&process.header->control, control, __ATOMIC_RELEASE);
    }
}

void engine_move_site(uint32_t site, uintptr_t key)
{
    if (engine_of_recorder != NULL)
        engine_of_recorder->move_site(site, key);
    else
        sites_move(site, key);
}

/* The recorder sees dlclose() itself. */
void engine_leave(const void *address)
{
    if (engine_of_recorder == NULL && process.header != NULL)
        modules_close((uintptr_t)address);
}

void engine_read_totals(struct engine_totals *totals)
{
    if (engine_of_recorder != NULL)
        engine_of_recorder->read_totals(totals);
    else
        sites_read_totals(totals);
}

bool engine_wants_all_tags(void)
{
    return true;
}

void engine_never(void)
{
    struct session_claim claim;

    if (engine_of_recorder == NULL)
        session_claim_own(LEDGER_CONTROL_NEVER, false, &claim);
}

bool engine_is_recorded(void)
{
    static bool has_looked; /* the recorder is there from the start, or never */

    if (!has_looked)
        find_recorder();
    has_looked = true;
    return engine_of_recorder != NULL;
}

bool engine_has_ledger(void)
{
    return engine_of_recorder != NULL ? engine_of_recorder->has_ledger()
                                      : record_has_ledger();
}

struct ledger_region *engine_write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name)
{
    if (engine_of_recorder != NULL)
        return engine_of_recorder->write_region(region, kind, address, name);
    return process.header == NULL
               ? NULL
               : sites_write_region(region, kind, address, name);
}

bool engine_is_exhausted(void)
{
    if (engine_of_recorder != NULL)
        return engine_of_recorder->is_exhausted();
    return process.header != NULL &&
           process.header->control == LEDGER_CONTROL_NEVER;
}
