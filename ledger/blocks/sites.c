/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - sites without the shadow; see sites.h */
#include "ledger/blocks/sites.h"

#include "core/accounts/site_table.h"
#include "core/base/plain_load.h"
#include "ledger/blocks/attach.h"
#include "ledger/blocks/ledger_blocks.h"
#include "ledger/shards/heap_total.h"
#include "ledger/shards/shadow.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"

uint32_t sites_open(uintptr_t key, const struct tally_place *place)
{
    uint32_t id;

    if (!ledger_is_listening())
        return 0;
    if (place != NULL) {
        id = ledger_write_tag(place, key, modules_find(key));
    } else {
        id = site_table_search(&hook_sites, key);
        if (id == 0)
            id = ledger_write_site(LEDGER_SITE_HEAP, key, modules_find(key));
        if (id != 0)
            id = site_table_enter(&hook_sites, key, id);
    }
    if (id != 0 && ledger_word_of(id) == 0)
        return 0;
    if (id == 0)
        process_count(LEDGER_COUNT_lost_sites, 1);
    return id;
}

struct tally_site_account sites_read(uint32_t site)
{
    struct tally_site_account account = { 0 };
    uint64_t freed_blocks = 0, freed_bytes = 0;
    struct ledger_counter *first;
    struct ledger_site *record;
    uint32_t shards;

    if (!ledger_is_listening()) /* a forked child inherits the numbers */
        return account;
    record = ledger_site_at(site);
    first = ledger_counter_at(site);
    if (record == NULL || first == NULL || process.header == NULL)
        return account;
    shards = ledger_space_shards();
    /* Frees first: a block counted as freed has been counted as allocated. */
    for (uint32_t shard = 0; shard < shards; shard++) {
        const struct ledger_counter *counter = account_in_shard(first, shard);

        freed_blocks +=
            __atomic_load_n(&counter->free_blocks, __ATOMIC_RELAXED);
        freed_bytes += __atomic_load_n(&counter->free_bytes, __ATOMIC_RELAXED);
    }
    for (uint32_t shard = 0; shard < shards; shard++) {
        const struct ledger_counter *counter = account_in_shard(first, shard);

        account.total_blocks +=
            __atomic_load_n(&counter->alloc_blocks, __ATOMIC_RELAXED);
        account.total_bytes +=
            __atomic_load_n(&counter->alloc_bytes, __ATOMIC_RELAXED);
    }
    account.live_blocks =
        record->inherited_blocks + account.total_blocks - freed_blocks;
    account.live_bytes =
        record->inherited_bytes + account.total_bytes - freed_bytes;
    if ((int64_t)account.live_bytes >= 0)
        WORD_RAISE(&record->peak_seen, account.live_bytes);
    account.peak_seen = __atomic_load_n(&record->peak_seen, __ATOMIC_RELAXED);
    account.unseen_frees =
        __atomic_load_n(&record->place.unseen_frees, __ATOMIC_RELAXED);
    return account;
}

void sites_see_peaks(void)
{
    for (uint32_t site = 1; site <= sites_count(); site++)
        sites_read(site);
}

/* Add the bytes of glibc's chunk: size + 8, rounded up to 16, at least 32. */
static void add_taken(struct reference reference, void *taken)
{
    uint64_t size = (reference.size + 8 + 15) / 16 * 16;

    *(uint64_t *)taken += size < 32 ? 32 : size;
}

void sites_read_totals(struct engine_totals *totals)
{
    *totals = (struct engine_totals){ 0 };
    /* Only a forked child opens its ledger here. */
    if (!process_is_recorded() || !ledger_is_listening())
        return;
    for (uint32_t site = 1; site <= sites_count(); site++) {
        const struct ledger_site *record = ledger_site_at(site);
        struct tally_site_account account;

        if (record == NULL || record->kind != LEDGER_SITE_HEAP)
            continue;
        account = sites_read(site);
        totals->live_blocks += account.live_blocks;
        totals->live_bytes += account.live_bytes;
        totals->total_bytes += account.total_bytes + record->inherited_bytes;
    }
    shadow_walk(add_taken, &totals->taken_bytes);
    if (process.header == NULL)
        return;
    totals->peak_bytes = heap_total_peak(process.header, false);
    totals->failed = __atomic_load_n(
        &process.header->counts[LEDGER_COUNT_failed_allocations],
        __ATOMIC_RELAXED);
}

struct ledger_region *sites_write_region(struct ledger_region *region,
                                         enum ledger_region_kind kind,
                                         uintptr_t address, const char *name)
{
    /* Note its file, which may have a name for it. */
    if (name == NULL || name[0] == '\0')
        (void)modules_find(address);
    return ledger_write_region(region, kind, address, name);
}

void sites_move(uint32_t site, uintptr_t key)
{
    struct ledger_site *record = ledger_site_at(site);

    if (record == NULL || process.header == NULL)
        return;
    __atomic_store_n(&record->address, key, __ATOMIC_RELAXED);
    __atomic_store_n(&record->module, modules_find(key), __ATOMIC_RELAXED);
}

uint32_t sites_count(void)
{
    return process.header == NULL ? 0 : ledger_site_count();
}

uint32_t sites_lost(void)
{
    return process.header == NULL
               ? 0
               : (uint32_t)process.header->counts[LEDGER_COUNT_lost_sites];
}

bool sites_are_exhausted(void)
{
    return process.header != NULL &&
           process.header->control == LEDGER_CONTROL_NEVER;
}

uint32_t sites_hook_alloc(uint32_t site, size_t size)
{
    uint32_t word;

    if (site == 0 || !ledger_is_listening() || !ledger_is_on())
        return 0;
    word = ledger_word_of(site) & ~REFERENCE_BIT;
    if (word == 0)
        return 0;
    ledger_add_block(word, SHARD_ALLOC, size);
    return site;
}

void sites_hook_free(uint32_t site, size_t size)
{
    uint32_t word;

    if (!ledger_is_listening())
        return;
    word = ledger_word_of(site) & ~REFERENCE_BIT;
    if (word != 0)
        ledger_add_block(word, SHARD_FREE, size);
}
