/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_store.c - see timeline_store.h */
#include "tool/session/sampling/timeline_store.h"

#include "format/ledger/ledger_reader.h"

/* The time last, and none while the rest changes. */
static void store(struct ledger_sample *place,
                  const struct ledger_sample *sample)
{
    __atomic_store_n(&place->ns, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&place->live_bytes, sample->live_bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&place->live_blocks, sample->live_blocks,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&place->alloc_bytes, sample->alloc_bytes,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&place->ns, sample->ns, __ATOMIC_RELEASE);
}

static void thin_out(struct ledger_sample *samples)
{
    uint32_t half = LEDGER_SAMPLE_CAPACITY / 2;

    for (uint32_t i = 0; i < half; i++) {
        const struct ledger_sample *pair = &samples[2 * i];
        bool is_first = pair[0].live_bytes > pair[1].live_bytes;
        struct ledger_sample kept = is_first ? pair[0] : pair[1];

        store(&samples[i], &kept);
    }
    for (uint32_t i = half; i < LEDGER_SAMPLE_CAPACITY; i++)
        __atomic_store_n(&samples[i].ns, 0, __ATOMIC_RELEASE);
}

bool timeline_store_add(struct ledger_sample *samples,
                        const struct ledger_sample *sample)
{
    uint32_t used = 0;
    bool is_full;

    while (used < LEDGER_SAMPLE_CAPACITY && samples[used].ns != 0)
        used++;
    is_full = used == LEDGER_SAMPLE_CAPACITY;
    if (is_full) {
        thin_out(samples);
        used /= 2;
    }
    store(&samples[used], sample);
    return is_full;
}

/* Read at different instants, a live value may come out below zero. */
static uint64_t settle(uint64_t live, bool has_ended)
{
    return !has_ended && (int64_t)live < 0 ? 0 : live;
}

bool timeline_store_measure(const struct ledger_snapshot *snapshot, uint64_t ns,
                            struct ledger_sample *sample,
                            struct site_peaks *peaks)
{
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    bool has_ended;
    int result;

    *sample = (struct ledger_sample){ .ns = ns };
    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return false;
    while ((result = ledger_reader_next_site(&reader, &cursor, &site)) > 0) {
        const struct ledger_counter *counter = &site.counter;

        if (peaks != NULL)
            site_peaks_see(peaks, &site);
        if (site.kind != LEDGER_SITE_HEAP)
            continue;
        sample->alloc_bytes += counter->alloc_bytes;
        sample->live_blocks += site.inherited_blocks + counter->alloc_blocks -
                               counter->free_blocks;
        sample->live_bytes +=
            site.inherited_bytes + counter->alloc_bytes - counter->free_bytes;
    }
    has_ended = reader.process.ended != 0;
    sample->live_blocks = settle(sample->live_blocks, has_ended);
    sample->live_bytes = settle(sample->live_bytes, has_ended);
    return result == 0;
}

void timeline_store_close(struct ledger_snapshot *snapshot, uint64_t ns,
                          struct site_peaks *peaks)
{
    const struct ledger_directory_entry *room =
        ledger_snapshot_timeline(snapshot);
    struct ledger_sample sample;

    if (timeline_store_measure(snapshot, ns, &sample, peaks) && room != NULL)
        timeline_store_add((void *)(snapshot->bytes + room->offset), &sample);
}
