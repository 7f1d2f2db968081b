/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.c - counters of the whole program
 *
 * The hook updates these counters while listening is on. They are also
 * engine.h's accounts on firmware and in unit tests, which have no ledger.
 * Every thread begins unsettled and checks `listening` at its first allocation.
 * If listening was never started, the thread's word becomes 0 and it does not
 * check again. So start listening before the threads to be recorded allocate.
 * Invariants:
 *
 *   I1  a pointer to a segment of counters, once set, never changes
 *   I2  a site that has an id has counters
 */
#include "tally/hook.h"
#include "format/ledger/ledger_layout.h"

#include <stdbool.h>

#include "core/accounts/engine.h"
#include "core/accounts/site_table.h"
#include "core/base/own_memory.h"
#include "core/base/plain_load.h"
#include "format/invariant.h"
#include "tally/error.h"
#include "tally/port.h"

enum listening { LISTENING_NEVER, LISTENING_OFF, LISTENING_ON };

/* Firmware has little memory: segments of 512 bytes. */
enum {
    SEGMENT_SHIFT = TALLY_HAS(OS) ? 7 : 4,
    SEGMENTS = TALLY_HAS(OS) ? LEDGER_DIRECTORY_CAPACITY : 128,
    SITE_CAPACITY = SEGMENTS << SEGMENT_SHIFT,
};

static struct ledger_counter *segments[SEGMENTS];
static struct site_table sites;
static uint32_t listening; /* enum listening */
static uint32_t site_count;
static uint32_t sites_lost;
static uint32_t engine_word; /* 1: new allocations are recorded */
static size_t live_bytes;
static size_t most_bytes; /* peak of live_bytes, allocations of nested
                             interrupts included */

/*
 * Create the table unless it exists; of several creators the first wins. A
 * caller never waits, since it may be a handler that interrupts the first
 * creator, and never loses its site.
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
    /* All first tables have the same size; a table that has grown stays. */
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

/* Return the counter of a site, or NULL if its segment does not exist. */
static struct ledger_counter *counter_of(uint32_t id)
{
    struct ledger_counter *segment =
        __atomic_load_n(&segments[id >> SEGMENT_SHIFT], __ATOMIC_ACQUIRE);

    return segment == NULL ? NULL : segment + id % (1 << SEGMENT_SHIFT);
}

/* Create the segment of `id`; of several creators the first wins. */
static bool open_segment(uint32_t id)
{
    static struct own_memory own = OWN_MEMORY;
    size_t size = sizeof(struct ledger_counter) << SEGMENT_SHIFT;
    struct ledger_counter *made, *held = NULL;

    if (counter_of(id) != NULL)
        return true;
    made = own_memory_alloc(&own, size);
    if (made == NULL)
        return false;
    if (!__atomic_compare_exchange_n(&segments[id >> SEGMENT_SHIFT], &held,
                                     made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        INVARIANT(I1, held == segments[id >> SEGMENT_SHIFT]);
        own_memory_free(&own, made, size);
    }
    return true;
}

/* Return the next id, or 0. Its segment is created first: every id has
   counters. */
static uint32_t take_id(void)
{
    uint32_t count = __atomic_load_n(&site_count, __ATOMIC_RELAXED);

    do {
        if (count >= SITE_CAPACITY - 1 || !open_segment(count + 1))
            return 0;
    } while (!__atomic_compare_exchange_n(&site_count, &count, count + 1, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    INVARIANT(I2, counter_of(count + 1) != NULL);
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

    /* the tag itself keeps the id and the names */
    (void)key;
    (void)place;
    if (id == 0)
        __atomic_fetch_add(&sites_lost, 1, __ATOMIC_RELAXED);
    return id;
}

tally_reference tally_hook_listen_alloc(uint32_t site, size_t size)
{
    uint32_t state = __atomic_load_n(&listening, __ATOMIC_ACQUIRE);
    struct ledger_counter *counter;
    size_t live;

    if (state == LISTENING_NEVER)
        tally_listeners = 0;
    if (state != LISTENING_ON || site == 0)
        return 0;
    counter = counter_of(site);
    if (counter == NULL)
        return 0;
    account_add_word(&counter->alloc_blocks, 1);
    account_add_word(&counter->alloc_bytes, size);
    live = __atomic_add_fetch(&live_bytes, size, __ATOMIC_RELAXED);
    WORD_RAISE(&most_bytes, live);
    return site;
}

void tally_hook_listen_free(tally_reference reference, size_t size)
{
    struct ledger_counter *counter = counter_of(reference);

    if (counter == NULL)
        return;
    account_add_word(&counter->free_blocks, 1);
    account_add_word(&counter->free_bytes, size);
    __atomic_fetch_sub(&live_bytes, size, __ATOMIC_RELAXED);
}

struct tally_site_account tally_site_read(uint32_t site)
{
    const struct ledger_counter *counter = counter_of(site);
    struct tally_site_account account = { 0 };
    uint64_t free_blocks, free_bytes;

    if (counter == NULL)
        return account;
    /* Frees first, so that a block counted as freed is also counted as
       allocated. */
    free_blocks = account_read_word(&counter->free_blocks);
    free_bytes = account_read_word(&counter->free_bytes);
    account.total_blocks = account_read_word(&counter->alloc_blocks);
    account.total_bytes = account_read_word(&counter->alloc_bytes);
    account.live_blocks = account.total_blocks - free_blocks;
    account.live_bytes = account.total_bytes - free_bytes;
    account.peak_seen = account.live_bytes;
    return account;
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
    (void)is_compressed; /* compressed references name more sites than firmware
                            has */
    tally_listeners = TALLY_LISTENER_UNSETTLED;
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
