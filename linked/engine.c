/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - the live ledger of a process that links libtally
 *
 * It implements core/accounts/engine.h and tally/hook.h on hosts, and supplies
 * libtally's part of ledger/blocks/embedding.h.
 *
 * If the recorder is loaded, it does the recording, so that there is one ledger
 * and each block is in it once. Otherwise this library opens its own session,
 * which `tally` finds by the process's number.
 */
#define _GNU_SOURCE
#include "linked/engine.h"

#include <pthread.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "core/accounts/mem_profiling.h"
#include "ledger/blocks/attach.h"
#include "ledger/blocks/embedding.h"
#include "ledger/blocks/ledger_blocks.h"
#include "ledger/blocks/sites.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/session.h"
#include "ports/posix/loaded_files.h"
#include "tally/error.h"
#include "tally/label.h"
#include "tally/port.h"

static void set_control(uint32_t control)
{
    if (!ledger_is_listening() || process.header == NULL)
        return;
    /* Sites hold more now than at any time before recording is on again. */
    sites_see_peaks();
    process_set_control(control);
}

static struct ledger_region *write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name)
{
    return process.header == NULL
               ? NULL
               : sites_write_region(region, kind, address, name);
}

/* used if there is no recorder */
static const struct engine_table own = { ENGINE_CALL_LIST(ENGINE_ROW) };
static const struct engine_table *engine = &own;
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
    __atomic_store_n(&engine, found, __ATOMIC_RELEASE);
    __atomic_store_n(&engine_of_recorder, found, __ATOMIC_RELEASE);
}

/* Before any code of the program: a callback that it sets is then the
   recorder's, and the recorder sees all of its allocations. */
__attribute__((constructor(101))) static void start(void)
{
    find_recorder();
    if (engine_of_recorder != NULL)
        engine_of_recorder->open();
}

/* Two threads may run this at once, with the same result. */
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

const uint32_t *engine_open(uint32_t control, bool is_compressed)
{
    if (engine_of_recorder != NULL)
        return engine_of_recorder->open();
    wanted_control = control;
    wants_compressed = is_compressed;
    return ledger_is_listening() ? process_control : NULL;
}

#define BY_TABLE(type, member, name, function, parameters, arguments) \
    type name parameters                                              \
    {                                                                 \
        return engine->member arguments;                              \
    }

ENGINE_CALL_LIST(BY_TABLE)

/* The recorder sees dlclose() itself. */
void engine_leave(const void *address)
{
    if (engine_of_recorder == NULL && process.header != NULL)
        modules_close((uintptr_t)address);
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

uint32_t tally_site_open(uintptr_t key)
{
    if (!mem_profiling_is_available())
        return 0;
    return engine->open_site(key, NULL);
}

int tally_account_start(void)
{
    if (!mem_profiling_is_available())
        return TALLY_E_NO_MEMORY;
    engine_set_control(1);
    return TALLY_OK;
}

void tally_account_stop(void)
{
    engine_set_control(0);
}

#ifdef __GLIBC__
/* glibc's own malloc, and the one that calls reach */
extern char its_malloc[] __asm__("__libc_malloc");
extern char called_malloc[] __asm__("malloc");

/* Compare names that the compiler takes for different objects. */
static bool are_same(const char *volatile a, const char *volatile b)
{
    return a == b;
}

static bool has_glibc(void)
{
    return true;
}

/* A statically linked program cannot look names up. */
static bool is_libc(void)
{
    void *allocator = loaded_symbols_find("malloc");
    const char *(*libc_function)(void) = gnu_get_libc_version;
    void *libc;

    if (allocator == NULL)
        return are_same(called_malloc, its_malloc);
    /* a function that neither sanitizers nor others replace */
    memcpy(&libc, &libc_function, sizeof libc);
    return modules_are_same(allocator, libc);
}
#else
static bool has_glibc(void)
{
    return false;
}

static bool is_libc(void)
{
    return false;
}
#endif

static bool claim_extent(struct session_claim *claim)
{
    return session_claim_own(wanted_control, wants_compressed, claim);
}

const struct embedding embedding = { .has_glibc = has_glibc,
                                     .is_libc = is_libc,
                                     .claim = claim_extent };

/*
 * A thread that held the lock of tally/mem_trace.h in the parent does not exist
 * here, unless it forked. A child does not count its allocations either. The
 * recorder's own words are zeros in a child.
 */
static void in_child(void)
{
    uint32_t is_held = tally_port_thread()->trace_locks != 0;

    __atomic_store_n(mem_trace_local.lock, is_held, __ATOMIC_RELAXED);
    *countdown_carrier.words = (struct countdown_words){ 0 };
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* Labels belong to the recorder; without it they do nothing. */

uint32_t tally_label_set(const char *key, const char *value)
{
    return engine_of_recorder == NULL
               ? 0
               : engine_of_recorder->set_label(key, value);
}

uint32_t tally_label_use(uint32_t label)
{
    return engine_of_recorder == NULL ? 0
                                      : engine_of_recorder->use_label(label);
}

uint32_t tally_label_get(void)
{
    return engine_of_recorder == NULL ? 0 : engine_of_recorder->get_label();
}
