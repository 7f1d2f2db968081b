/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding.c - the recorder's part of embedding.h, and its table for libtally
 *
 * A program that links libtally may run under `tally record`. Its hooks then
 * charge the recorder's ledger: ledger/blocks/engine_table.h.
 *
 * Without `tally record` the recorder stays idle, unless libtally is in the
 * process: then mbed_stats_heap_get() and the tags ask the recorder for figures
 * of the whole heap. It opens a private session in this process's own memory,
 * as libtally does without a recorder, and with the setting of the environment
 * (tally/mem_profiling.h). A forked child has its own ledger in it.
 *
 * A weak reference shows libtally before the first allocation, as the loader
 * resolves it with all others. A program that contains libtally and was linked
 * without the recorder does not export its names: libtally's constructor then
 * calls us, and earlier allocations of libraries are not recorded.
 */
#include "ledger/blocks/embedding.h"

#include <string.h>

#include "format/text/mem_profiling_parameter.h"
#include "ledger/blocks/attach.h"
#include "ledger/blocks/engine_table.h"
#include "ledger/blocks/ledger_blocks.h"
#include "ledger/blocks/sites.h"
#include "ledger/space/ledger_writer.h"
#include "recorder/calls/observe.h"
#include "recorder/calls/recording.h"
#include "recorder/events/events.h"
#include "recorder/maps/map_accounts.h"
#include "recorder/process/allocators.h"
#include "recorder/real_functions.h"
#include "recorder/samples/sample_budget.h"
#include "recorder/stacks/stacks.h"
#include "sampling/countdown/countdown.h"
#include "tally/config.h"
#include "tally/hook.h"
#include "tally/label.h"
#include "tally/port.h"

#define SETTING "TALLY_SYSCTL"

/* defined only in libtally, unless its copy is hidden or local: see above */
extern __typeof__(tally_account_start) tally_account_start
    __attribute__((weak));

static uint32_t is_wanted;

static bool claim_private(struct session_claim *claim)
{
    struct mem_profiling_parameter wanted = {
        .control =
            TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING) &&
                    TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT)
                ? LEDGER_CONTROL_ON
                : LEDGER_CONTROL_NEVER,
    };
    const char *setting = tally_port_environment(SETTING);

    if (tally_account_start != NULL)
        __atomic_store_n(&is_wanted, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&is_wanted, __ATOMIC_RELAXED) == 0 ||
        tally_port_environment(SESSION_ENVIRONMENT) != NULL)
        return false;
    if (setting != NULL)
        (void)mem_profiling_parameter_read(setting, &wanted);
    return wanted.control != LEDGER_CONTROL_NEVER &&
           session_claim_own(wanted.control, wanted.is_compressed, claim);
}

static bool claim_extent(struct session_claim *claim)
{
    bool is_patched;

    if (!session_claim_first(claim) && !claim_private(claim))
        return false;
    claim->is_attached = attached_plan != NULL;
    is_patched = claim->is_attached ? patches_attach(attached_plan)
                 : claim->header.patches != SESSION_PATCHES_NONE
                     ? patches_apply(&claim->header)
                     : false;
    if (is_patched)
        claim->header.own_allocator[0] = '\0';
    else if (real_is_past_executable() &&
             claim->header.own_allocator[0] == '\0')
        stpcpy(claim->header.own_allocator, "malloc");
    if (!claim->is_attached)
        bindings_apply(claim->header.own_allocator);
    return true;
}

static void open_rest(struct ledger_header *header,
                      const struct session_claim *claim)
{
    header->map_table = map_accounts_table();
    events_open(claim);
}

static void inherit(struct ledger_header *header)
{
    stacks_adopt();
    map_accounts_inherit(header);
}

const struct embedding embedding = {
    .has_glibc = real_has_glibc,
    .is_libc = real_is_libc,
    .claim = claim_extent,
    .choose_mode = mode_choose,
    .open = open_rest,
    .open_stacks = stacks_open,
    .begin_samples = samples_begin,
    .inherit = inherit,
};

/* not recorded: a word that never changes */
static const uint32_t never = LEDGER_CONTROL_NEVER;

/*
 * Open the ledger for a copy of libtally, which may be a library's that starts
 * before our own constructor. If libtally could not be seen before, recording
 * begins now. Any thread; a second call does nothing.
 */
static const uint32_t *open_accounts(void)
{
    real_functions_find();
    if (__atomic_exchange_n(&is_wanted, 1, __ATOMIC_ACQ_REL) == 0 &&
        tally_port_environment(SESSION_ENVIRONMENT) == NULL) {
        process_retry();
        thread_attach();
    }
    return ledger_is_listening() ? process_control : &never;
}

static void set_control(uint32_t control)
{
    if (ledger_is_listening() && process.header != NULL &&
        process.header->control != LEDGER_CONTROL_NEVER)
        process_set_control(control);
}

static struct ledger_region *write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name)
{
    return ledger_is_listening()
               ? sites_write_region(region, kind, address, name)
               : NULL;
}

EXPORT extern const struct engine_table tally_record_engine;

const struct engine_table tally_record_engine = {
    .version = ENGINE_TABLE_VERSION,
    .open = open_accounts,
    .allocate = observe_tagged,
    .allocate_zeroed = observe_tagged_zeroed,
    .resize = observe_tagged_resize,
    .set_label = tally_label_set,
    .use_label = tally_label_use,
    .get_label = tally_label_get,
    .trace = &mem_trace_local,
    .memprof = &memprof_local_calls,
    .limits = &limits_local_calls,
    .samples = &countdown_samples,
    .counting = &process.counting,
    ENGINE_CALL_LIST(ENGINE_ROW)
};

/*
 * The first allocation would do all this too, and often comes earlier. But a
 * program may first lock itself in (seccomp, chroot, closed descriptors) and
 * allocate then.
 */
static __attribute__((constructor)) void start(void)
{
    real_functions_find();
    new_delete_find();
    /* A refusal now would exclude this thread from later recording. */
    if (!real_is_loaded_late())
        thread_attach();
}
