/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.c - what the hook does while listening is on
 *
 * One book for the whole program, and engine.h's accounts where no ledger keeps
 * them. Every thread begins unsettled and asks `listening`; if listening was
 * never started, the thread's word becomes 0 and it asks no more. So start
 * listening before the threads to be seen allocate for the first time.
 */
#include "tally/hook.h"
#include "format/ledger/ledger_layout.h"

#include <stdbool.h>

#include "core/accounts/account.h"
#include "core/accounts/engine.h"
#include "core/accounts/reference.h"
#include "core/accounts/site_table.h"
#include "core/base/own_memory.h"
#include "tally/error.h"
#include "tally/port.h"

enum listening { LISTENING_NEVER, LISTENING_OFF, LISTENING_ON };

static struct account_book book;
static struct site_table sites;
static uint32_t listening; /* enum listening */
static uint32_t site_count;
static uint32_t sites_lost;
static uint32_t engine_word; /* 1: new allocations are recorded */
static size_t live_bytes;
static size_t most_bytes; /* ever live; an interrupt on top is in it too */

#if __STDC_HOSTED__
static uint32_t site_limit = ACCOUNT_SITE_CAPACITY - 1; /* the largest id */
static bool is_exhausted; /* compressed references ran out */

static void limit_sites(void)
{
    __atomic_store_n(&site_limit, REFERENCE_COMPRESSED_LIMIT, __ATOMIC_RELAXED);
}

static void note_refusal(void)
{
    if (__atomic_load_n(&site_limit, __ATOMIC_RELAXED) !=
        REFERENCE_COMPRESSED_LIMIT)
        return;
    __atomic_store_n(&is_exhausted, true, __ATOMIC_RELAXED);
    engine_set_control(LEDGER_CONTROL_OFF);
}
#else
/* Compressed references name more sites than firmware has. */
enum { site_limit = ACCOUNT_SITE_CAPACITY - 1 };

static void limit_sites(void)
{
}

static void note_refusal(void)
{
}
#endif

/*
 * A caller that finds no table makes one, and the first of several stays. A
 * caller never waits, for it may be a handler on top of the first maker, and
 * never loses its site.
 */
static bool open_table(void)
{
    struct site_table made = { 0 };
    struct site_slot *no_slots = NULL;
    uintptr_t no_mask = 0;

    if (__atomic_load_n(&sites.mask, __ATOMIC_ACQUIRE) != 0)
        return true;
    if (site_table_open(&made, SITE_TABLE_LARGE) != TALLY_OK)
        return __atomic_load_n(&sites.mask, __ATOMIC_ACQUIRE) != 0;
    if (!__atomic_compare_exchange_n(&sites.slots, &no_slots, made.slots, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        tally_port_pages_free(made.slots, (made.mask + 1) * sizeof *made.slots);
    /* All first tables are of one size; one that has grown stays. */
    __atomic_compare_exchange_n(&sites.mask, &no_mask, made.mask, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return true;
}

int tally_account_start(void)
{
    if (!open_table())
        return TALLY_E_NO_MEMORY;
    __atomic_store_n(&listening, LISTENING_ON, __ATOMIC_RELEASE);
    tally_listeners = TALLY_LISTENER_UNSETTLED;
    return TALLY_OK;
}

void tally_account_stop(void)
{
    if (__atomic_load_n(&listening, __ATOMIC_RELAXED) == LISTENING_ON)
        __atomic_store_n(&listening, LISTENING_OFF, __ATOMIC_RELEASE);
}

static bool open_segment(uint32_t index)
{
    static struct own_memory own = OWN_MEMORY;
    size_t size = (size_t)tally_port_shard_count() << ACCOUNT_SHARD_SHIFT;
    struct ledger_counter *segment;

    if (account_counter(&book, index << ACCOUNT_SEGMENT_SHIFT) != NULL)
        return true;
    segment = own_memory_alloc(&own, size);
    if (segment == NULL)
        return false;
    if (account_segment_enter(&book, index, segment) != segment)
        own_memory_free(&own, segment, size);
    return true;
}

/* The next id, or 0. Its segment comes first: every id has counters. */
static uint32_t take_id(void)
{
    uint32_t count = __atomic_load_n(&site_count, __ATOMIC_RELAXED);

    do {
        if (count >= site_limit ||
            !open_segment((count + 1) >> ACCOUNT_SEGMENT_SHIFT))
            return 0;
    } while (!__atomic_compare_exchange_n(&site_count, &count, count + 1, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return count + 1;
}

uint32_t tally_site_open(uintptr_t key)
{
    uint32_t id = 0;

    if (open_table()) {
        id = site_table_search(&sites, key);
        if (id != 0)
            return id;
        id = take_id();
        if (id != 0)
            id = site_table_enter(&sites, key, id);
    }
    if (id == 0)
        __atomic_fetch_add(&sites_lost, 1, __ATOMIC_RELAXED);
    return id;
}

uint32_t tally_site_open_place(uintptr_t key, const struct tally_place *place)
{
    uint32_t id = take_id();

    /* Its tag keeps the id and the names. */
    (void)key;
    (void)place;
    if (id == 0) {
        __atomic_fetch_add(&sites_lost, 1, __ATOMIC_RELAXED);
        note_refusal();
    }
    return id;
}

static void see_more(size_t size)
{
    size_t live = __atomic_add_fetch(&live_bytes, size, __ATOMIC_RELAXED);
    size_t most = __atomic_load_n(&most_bytes, __ATOMIC_RELAXED);

    while (most < live &&
           !__atomic_compare_exchange_n(&most_bytes, &most, live, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

tally_reference tally_hook_listen_alloc(uint32_t site, size_t size)
{
    uint32_t state = __atomic_load_n(&listening, __ATOMIC_ACQUIRE);
    struct ledger_counter *counter;

    if (state == LISTENING_NEVER)
        tally_listeners = 0;
    if (state != LISTENING_ON || site == 0)
        return 0;
    counter = account_counter(&book, site);
    if (counter == NULL)
        return 0;
    counter = account_in_shard(counter, tally_port_shard());
    account_add_word(&counter->alloc_blocks, 1);
    account_add_word(&counter->alloc_bytes, size);
    see_more(size);
    return site;
}

void tally_hook_listen_free(tally_reference reference, size_t size)
{
    struct ledger_counter *counter = account_counter(&book, reference);

    if (counter == NULL)
        return;
    counter = account_in_shard(counter, tally_port_shard());
    account_add_word(&counter->free_blocks, 1);
    account_add_word(&counter->free_bytes, size);
    __atomic_fetch_sub(&live_bytes, size, __ATOMIC_RELAXED);
}

struct tally_site_account tally_site_read(uint32_t site)
{
    struct ledger_counter sum =
        account_sum(&book, site, tally_port_shard_count());

    return (struct tally_site_account){
        .live_blocks = sum.alloc_blocks - sum.free_blocks,
        .live_bytes = sum.alloc_bytes - sum.free_bytes,
        .total_blocks = sum.alloc_blocks,
        .total_bytes = sum.alloc_bytes,
        .peak_seen = sum.alloc_bytes - sum.free_bytes,
    };
}

uint32_t tally_site_count(void)
{
    return __atomic_load_n(&site_count, __ATOMIC_RELAXED);
}

uint32_t tally_sites_lost(void)
{
    return __atomic_load_n(&sites_lost, __ATOMIC_RELAXED);
}

const uint32_t *engine_open(uint32_t control, bool is_compressed)
{
    /* Tags keep their ids themselves: no table of sites is needed. */
    if (!open_segment(0))
        return NULL;
    tally_listeners = TALLY_LISTENER_UNSETTLED;
    if (is_compressed)
        limit_sites();
    engine_set_control(control);
    return &engine_word;
}

void engine_set_control(uint32_t control)
{
    bool is_on = control == LEDGER_CONTROL_ON;

    __atomic_store_n(&listening, is_on ? LISTENING_ON : LISTENING_OFF,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&engine_word, is_on, __ATOMIC_RELEASE);
}

void engine_read_totals(struct engine_totals *totals)
{
    *totals = (struct engine_totals){ 0 };
    for (uint32_t site = 1; site <= tally_site_count(); site++) {
        const struct tally_site_account account = tally_site_read(site);

        totals->live_blocks += account.live_blocks;
        totals->live_bytes += account.live_bytes;
        totals->total_bytes += account.total_bytes;
    }
    totals->peak_bytes = __atomic_load_n(&most_bytes, __ATOMIC_RELAXED);
}

#if __STDC_HOSTED__
bool engine_is_exhausted(void)
{
    return __atomic_load_n(&is_exhausted, __ATOMIC_RELAXED);
}
#endif

struct ledger_region *engine_write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name)
{
    (void)region;
    (void)kind;
    (void)address;
    (void)name;
    return NULL;
}
