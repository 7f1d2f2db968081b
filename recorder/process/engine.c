/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - the recorder's accounts, for libtally in the same process
 *
 * A program that links libtally may run under `tally record`. Its hooks then
 * charge the recorder's ledger: ledger/record/engine_table.h.
 */
#include <string.h>

#include "ledger/record/engine_table.h"
#include "ledger/record/record.h"
#include "ledger/record/sites.h"
#include "ledger/space/ledger_writer.h"
#include "recorder/calls/observe.h"
#include "recorder/process/own_session.h"
#include "recorder/real_functions.h"
#include "sampling/countdown/countdown.h"

/* Not recorded: a word that never changes. */
static const uint32_t never = LEDGER_CONTROL_NEVER;

/* A library of the program's may be before our own constructor. */
static const uint32_t *open_accounts(void)
{
    real_functions_find();
    own_session_want();
    return record_is_listening() ? process_control : &never;
}

static void set_control(uint32_t control)
{
    if (record_is_listening() && process.header != NULL &&
        process.header->control != LEDGER_CONTROL_NEVER)
        __atomic_store_n(&process.header->control, control, __ATOMIC_RELEASE);
}

static bool is_exhausted(void)
{
    return process.header != NULL &&
           process.header->control == LEDGER_CONTROL_NEVER;
}

static bool has_ledger(void)
{
    return record_has_ledger();
}

static struct ledger_region *write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name)
{
    return record_is_listening()
               ? sites_write_region(region, kind, address, name)
               : NULL;
}

EXPORT extern const struct engine_table tally_record_engine;

const struct engine_table tally_record_engine = {
    .version = ENGINE_TABLE_VERSION,
    .open = open_accounts,
    .set_control = set_control,
    .is_exhausted = is_exhausted,
    .open_site = sites_open,
    .read_site = sites_read,
    .move_site = sites_move,
    .site_count = sites_count,
    .sites_lost = sites_lost,
    .read_totals = sites_read_totals,
    .hook_alloc = sites_hook_alloc,
    .hook_free = sites_hook_free,
    .has_ledger = has_ledger,
    .write_region = write_region,
    .allocate = observe_tagged,
    .allocate_zeroed = observe_tagged_zeroed,
    .resize = observe_tagged_resize,
    .trace = &mem_trace_own,
    .memprof = &memprof_local_calls,
    .limits = &limits_local_calls,
    .samples = &countdown_samples,
    .counting = &process.counting,
};
