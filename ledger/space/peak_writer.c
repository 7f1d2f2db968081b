/* SPDX-License-Identifier: Apache-2.0 */
/* peak_writer.c - sizes and peaks, which lie by numbers: ledger_writer.h */
#include "ledger/record/process.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/ledger_writer.h"

static uint64_t sizes;
static uint64_t peaks[LEDGER_DIRECTORY_CAPACITY];
static bool has_others[LEDGER_ENTRY_LIMIT]; /* SITES segments: not the heap's */

uint64_t *ledger_sizes_at(uint32_t shard)
{
    size_t size = LEDGER_SIZE_CLASSES * sizeof(uint64_t);
    size_t all = process.header->shard_count * size;
    uint64_t offset = ledger_space_segment(
        LEDGER_SEGMENT_SIZES, 0,
        (all + LEDGER_PAGE - 1) / LEDGER_PAGE * LEDGER_PAGE, &sizes);

    return offset == 0 ? NULL : (void *)ledger_space_at(offset + shard * size);
}

struct ledger_peak *ledger_peak_at(uint32_t site)
{
    uint32_t segment = site / LEDGER_PEAKS_PER_SEGMENT;
    size_t size = LEDGER_PEAKS_PER_SEGMENT * sizeof(struct ledger_peak);
    uint64_t offset = segment < LEDGER_DIRECTORY_CAPACITY
                          ? ledger_space_segment(LEDGER_SEGMENT_PEAKS, segment,
                                                 size, &peaks[segment])
                          : 0;
    struct ledger_peak *at =
        offset == 0 ? NULL : (void *)ledger_space_at(offset);

    return at == NULL ? NULL : at + site % LEDGER_PEAKS_PER_SEGMENT;
}

void ledger_open_peak(uint32_t site, uint32_t kind)
{
    struct ledger_peak *peak =
        process.is_sampled != 0 ? NULL : ledger_peak_at(site);

    if (peak != NULL)
        *peak = (struct ledger_peak){ 0, 0 };
    if (kind != LEDGER_SITE_HEAP)
        has_others[site / LEDGER_SITES_PER_SEGMENT] = true;
}

bool ledger_peaks_are_plain(uint32_t site)
{
    return (process.header->flags & LEDGER_FLAG_FORKED) == 0 &&
           !has_others[site / LEDGER_SITES_PER_SEGMENT];
}
