/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.c - what happens when somebody listens
 *
 * One book for the whole program. Every thread begins unsettled and asks
 * `listening`; when listening has never been started, its word becomes 0 and
 * it asks no more. Listening is therefore started before the threads that are
 * to be seen have allocated for the first time.
 */
#include "tally/hook.h"

#include <stdbool.h>

#include "core/account.h"
#include "core/site_table.h"
#include "tally/error.h"
#include "tally/port.h"

enum listening { LISTENING_NEVER, LISTENING_OFF, LISTENING_ON };

static struct account_book book;
static struct site_table sites;
static uint32_t listening; /* enum listening */
static uint32_t site_count;
static uint64_t sites_lost;

void tally_account_start(void)
{
    if (sites.slots == NULL && site_table_open(&sites) != TALLY_OK)
        return;
    __atomic_store_n(&listening, LISTENING_ON, __ATOMIC_RELEASE);
    tally_listeners = TALLY_LISTENER_UNSETTLED;
}

void tally_account_stop(void)
{
    if (__atomic_load_n(&listening, __ATOMIC_RELAXED) == LISTENING_ON)
        __atomic_store_n(&listening, LISTENING_OFF, __ATOMIC_RELEASE);
}

static bool open_segment(uint32_t index)
{
    size_t size = (size_t)tally_port_shard_count() << ACCOUNT_SHARD_SHIFT;
    struct ledger_counter *segment;

    if (book.segments[index] != NULL)
        return true;
    segment = tally_port_pages_alloc(size);
    if (segment == NULL)
        return false;
    if (account_segment_enter(&book, index, segment) != segment)
        tally_port_pages_free(segment, size);
    return true;
}

uint32_t tally_site_open(uintptr_t key)
{
    uint32_t id;

    if (sites.slots == NULL && site_table_open(&sites) != TALLY_OK)
        return 0;
    id = site_table_search(&sites, key);
    if (id != 0)
        return id;

    id = __atomic_add_fetch(&site_count, 1, __ATOMIC_RELAXED);
    if (id < ACCOUNT_SITE_CAPACITY && open_segment(id >> ACCOUNT_SEGMENT_SHIFT))
        id = site_table_enter(&sites, key, id);
    else
        id = 0;
    if (id == 0)
        sites_lost++;
    return id;
}

tally_reference tally_hook_listen_alloc(uint32_t site, size_t size)
{
    uint32_t state = __atomic_load_n(&listening, __ATOMIC_ACQUIRE);
    struct ledger_counter added = { .alloc_blocks = 1, .alloc_bytes = size };
    struct ledger_counter *counter;

    if (state == LISTENING_NEVER)
        tally_listeners = 0;
    if (state != LISTENING_ON || site == 0)
        return 0;
    counter = account_counter(&book, site);
    if (counter == NULL)
        return 0;
    account_add(account_in_shard(counter, tally_port_shard()), &added);
    return site;
}

void tally_hook_listen_free(tally_reference reference, size_t size)
{
    struct ledger_counter added = { .free_blocks = 1, .free_bytes = size };
    struct ledger_counter *counter = account_counter(&book, reference);

    if (counter != NULL)
        account_add(account_in_shard(counter, tally_port_shard()), &added);
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
    };
}

uint32_t tally_site_count(void)
{
    return __atomic_load_n(&site_count, __ATOMIC_RELAXED);
}

uint64_t tally_sites_lost(void)
{
    return sites_lost;
}
