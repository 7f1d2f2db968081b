/* SPDX-License-Identifier: Apache-2.0 */
/* peak_copy.c - see peak_copy.h; of one thread at a time, whose stack may be small */
#include "ledger/record/peak_copy.h"

#include <string.h>

#include "ledger/record/process.h"
#include "ledger/record/record.h"
#include "ledger/space/ledger_writer.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"

enum { SHARD_LIMIT = SHARD_FIRST_CPU + SHARD_CPU_LIMIT };

/* Shards that anything was ever counted in. */
struct used_shards {
    uint32_t count;
    uint32_t numbers[SHARD_LIMIT];
};

static void find_used(struct used_shards *used, bool is_everywhere)
{
    const struct ledger_total *totals = process.header->totals;

    used->count = 0;
    for (uint32_t shard = 0; shard < process.header->shard_count; shard++) {
        if (is_everywhere ||
            totals[shard < LEDGER_TOTAL_CAPACITY ? shard : 0].is_used != 0)
            used->numbers[used->count++] = shard;
    }
}

/* Another thread may have freed what we have not seen it allocate. */
static uint64_t no_less_than_none(uint64_t live)
{
    return (int64_t)live < 0 ? 0 : live;
}

/* Whether memory is there for a segment's counters in each shard. */
static void find_pages(const struct ledger_counter *first, bool is_everywhere,
                       unsigned char *is_there)
{
    uint32_t count = process.header->shard_count;
    uintptr_t start = (uintptr_t)first & ~(uintptr_t)(LEDGER_PAGE - 1);

    if (is_everywhere || sandbox_is_closed() ||
        raw_call(SYS_mincore, (long)start, (long)count * LEDGER_PAGE,
                 RAW_ARGUMENT(is_there), 0, 0, 0) != 0)
        memset(is_there, 1, count);
}

/* Sites come to many thousands: one shard after the other, page by page. */
static void add_shard(struct ledger_peak *peaks,
                      const struct ledger_counter *counters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        peaks[i].blocks += counters[i].alloc_blocks - counters[i].free_blocks;
        peaks[i].bytes += counters[i].alloc_bytes - counters[i].free_bytes;
    }
}

static uint64_t finish(struct ledger_peak *peaks,
                       const struct ledger_site *sites, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        peaks[i].blocks = no_less_than_none(peaks[i].blocks);
        peaks[i].bytes = no_less_than_none(peaks[i].bytes);
        if (sites != NULL && sites[i].kind != LEDGER_SITE_HEAP)
            peaks[i] = (struct ledger_peak){ 0, 0 };
        sum += peaks[i].bytes;
    }
    return sum;
}

/* Blocks and bytes at once. */
typedef uint64_t pair __attribute__((vector_size(16), may_alias));

_Static_assert(sizeof(struct ledger_peak) == sizeof(pair) &&
                   sizeof(struct ledger_counter) == 2 * sizeof(pair),
               "allocated, freed");

/* Of one shard, and sites that need no look: nearly all, in nearly all programs. */
static uint64_t copy_shard(struct ledger_peak *peaks,
                           const struct ledger_counter *counters,
                           uint32_t count)
{
    const pair *counted = (const pair *)(const void *)counters;
    pair *held = (pair *)(void *)peaks;
    pair sum = { 0, 0 }, signs = { 0, 0 };

    for (uint32_t i = 0; i < count; i++) {
        held[i] += counted[2 * i] - counted[2 * i + 1];
        sum += held[i];
        signs |= held[i];
    }
    return (int64_t)(signs[0] | signs[1]) < 0 ? finish(peaks, NULL, count)
                                              : sum[1];
}

/* `sites`: NULL when they need no look. */
static uint64_t copy_shards(struct ledger_peak *peaks,
                            const struct ledger_site *sites,
                            struct ledger_counter *first, uint32_t count,
                            const struct used_shards *used, bool is_everywhere)
{
    static unsigned char is_there[SHARD_LIMIT];

    for (uint32_t i = 0; i < count && sites != NULL; i++) {
        peaks[i].blocks += sites[i].inherited_blocks;
        peaks[i].bytes += sites[i].inherited_bytes;
    }
    find_pages(first, is_everywhere || used->count == 1, is_there);
    for (uint32_t i = 0; i < used->count; i++) {
        if ((is_there[used->numbers[i]] & 1) != 0)
            add_shard(peaks, account_in_shard(first, used->numbers[i]), count);
    }
    return finish(peaks, sites, count);
}

/* The sites of one segment, from `id` on. */
static uint64_t copy_segment(uint32_t id, uint32_t count,
                             const struct used_shards *used, bool is_everywhere)
{
    bool is_plain = ledger_peaks_are_plain(id);
    const struct ledger_site *sites = ledger_site_at(id);
    struct ledger_counter *first = ledger_counter_of(ledger_reference_of(id));
    struct ledger_peak *peaks = ledger_peak_at(id);

    if (sites == NULL || first == NULL || peaks == NULL)
        return 0;
    /* A lone shard's pages exist: its thread opened these sites. */
    return is_plain && used->count == 1
               ? copy_shard(peaks, account_in_shard(first, used->numbers[0]),
                            count)
               : copy_shards(peaks, is_plain ? NULL : sites, first, count, used,
                             is_everywhere);
}

static uint32_t site_count(void)
{
    return __atomic_load_n(&process.header->site_count, __ATOMIC_ACQUIRE);
}

static uint32_t in_segment(uint32_t id)
{
    uint32_t left = site_count() + 1 - id;

    return left < LEDGER_SITES_PER_SEGMENT ? left : LEDGER_SITES_PER_SEGMENT;
}

static uint64_t add_all(const struct used_shards *used, bool is_everywhere)
{
    uint64_t sum = 0;

    for (uint32_t id = 0; id <= site_count(); id += LEDGER_SITES_PER_SEGMENT)
        sum += copy_segment(id, in_segment(id), used, is_everywhere);
    return sum;
}

void peak_clear(void)
{
    for (uint32_t id = 0; id <= site_count(); id += LEDGER_SITES_PER_SEGMENT) {
        struct ledger_peak *peaks = ledger_peak_at(id);

        if (peaks != NULL)
            memset(peaks, 0, in_segment(id) * sizeof *peaks);
    }
}

uint64_t peak_complete(uint32_t shard)
{
    return add_all(&(struct used_shards){ 1, { shard } }, false);
}

/* The block that is being freed, as if it were there still. */
static uint64_t add_freed(uint32_t reference, uint64_t size)
{
    uint32_t id = reference == 0 ? 0 : record_id_of(reference);
    struct ledger_peak *peak = id == 0 ? NULL : ledger_peak_at(id);

    if (peak == NULL)
        return 0;
    peak->blocks++;
    peak->bytes += size;
    return size;
}

uint64_t peak_copy(uint32_t reference, uint64_t size, bool is_everywhere)
{
    static struct used_shards used;

    find_used(&used, is_everywhere);
    peak_clear();
    return add_all(&used, is_everywhere) + add_freed(reference, size);
}
