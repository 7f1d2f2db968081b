/* SPDX-License-Identifier: Apache-2.0 */
/* map_peak.c - the bytes of each MAP site at the peak; see map_peak.h */
#include "ledger/blocks/map_peak.h"

#include "ledger/shards/heap_total.h"
#include "ledger/space/ledger_writer.h"

static void write_difference(struct peak_change change)
{
    uint32_t number = process.header->map_peak_number;
    uint32_t id = ledger_id_of(change.reference);
    struct ledger_map_peak *peak = id == 0 ? NULL : ledger_map_peak_at(id);

    if (peak == NULL)
        return;
    if (peak->number != number) {
        peak->pieces = 0;
        peak->bytes = 0;
        __atomic_store_n(&peak->number, number, __ATOMIC_RELEASE);
    }
    peak->pieces -= (int32_t)change.blocks;
    peak->bytes -= change.bytes;
}

static bool is_at_peak(const struct ledger_header *header)
{
    const struct ledger_map_bytes *now = &header->map_now;
    const struct ledger_map_bytes *peak = &header->map_peak;

    return now->accessible > peak->accessible ||
           (now->accessible == peak->accessible &&
            now->reserved >= peak->reserved);
}

void map_peak_add(struct peak_change change, bool is_reserved)
{
    struct ledger_header *header = process.header;
    bool had_fallen;

    heap_total_begin_maps(header);
    had_fallen = !is_at_peak(header);
    *(is_reserved ? &header->map_now.reserved : &header->map_now.accessible) +=
        change.bytes;
    if (!is_at_peak(header)) {
        write_difference(change);
    } else {
        header->map_peak = header->map_now;
        if (had_fallen)
            __atomic_store_n(&header->map_peak_number,
                             header->map_peak_number + 1, __ATOMIC_RELEASE);
    }
    peak_map(change.bytes);
}
