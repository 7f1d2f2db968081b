/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_store.c - see timeline_store.h */
#include "tool/session/sampling/timeline_store.h"

#include <fcntl.h>
#include <sys/mman.h>

void store_timed(void *place, const void *value, size_t size)
{
    uint64_t *words = place;
    const uint64_t *from = value;

    __atomic_store_n(&words[0], 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (size_t i = 1; i < size / sizeof *words; i++)
        __atomic_store_n(&words[i], from[i], __ATOMIC_RELAXED);
    __atomic_store_n(&words[0], from[0], __ATOMIC_RELEASE);
}

static void thin_out(struct ledger_sample *samples)
{
    uint32_t half = LEDGER_SAMPLE_CAPACITY / 2;

    for (uint32_t i = 0; i < half; i++) {
        const struct ledger_sample *pair = &samples[2 * i];
        bool is_first = pair[0].live_bytes > pair[1].live_bytes;
        struct ledger_sample kept = is_first ? pair[0] : pair[1];

        store_timed(&samples[i], &kept, sizeof kept);
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
    store_timed(&samples[used], sample, sizeof *sample);
    return is_full;
}

/* The page of the live ledger that was written last; NULL: none. */
struct mapped {
    unsigned char *page;
    uint64_t offset;
};

static void unmap(struct mapped *mapped)
{
    if (mapped->page != NULL)
        munmap(mapped->page, LEDGER_PAGE);
    mapped->page = NULL;
}

/*
 * Sites come in the order in which they lie, so that one page of the live
 * ledger at a time is enough. It is allocated by fallocate(), which can fail,
 * before it is touched, which could kill.
 */
static bool map_page(const struct ledger_snapshot *snapshot, uint64_t offset,
                     struct mapped *mapped)
{
    off_t at = (off_t)(snapshot->offset + offset);
    void *page;

    if (mapped->page != NULL && mapped->offset == offset)
        return true;
    unmap(mapped);
    if (fallocate(snapshot->fd, FALLOC_FL_KEEP_SIZE, at, LEDGER_PAGE) < 0)
        return false;
    page = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                snapshot->fd, at);
    if (page == MAP_FAILED)
        return false;
    *mapped = (struct mapped){ page, offset };
    return true;
}

/* Other processes may do the same meanwhile. */
static void raise(struct ledger_site *site, uint64_t live)
{
    uint64_t held = __atomic_load_n(&site->peak_seen, __ATOMIC_RELAXED);

    while (held < live &&
           !__atomic_compare_exchange_n(&site->peak_seen, &held, live, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void note_peak(const struct ledger_snapshot *snapshot,
                      const struct ledger_site_view *site, uint64_t live,
                      struct mapped *mapped)
{
    uint64_t page_offset = site->offset & ~(uint64_t)(LEDGER_PAGE - 1);

    if (live <= site->peak_seen)
        return;
    raise((void *)(snapshot->bytes + site->offset), live);
    if (snapshot->fd >= 0 && map_page(snapshot, page_offset, mapped))
        raise((void *)(mapped->page + (site->offset - page_offset)), live);
}

/* Read at different instants, a live value may come out below zero. */
static uint64_t settle(uint64_t live)
{
    return (int64_t)live < 0 ? 0 : live;
}

bool ledger_totals_read(const struct ledger_snapshot *snapshot, uint64_t ns,
                        struct ledger_totals *totals)
{
    struct ledger_sample *sum = &totals->sample;
    struct mapped mapped = { 0 };
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    int result;

    *totals = (struct ledger_totals){ .sample.ns = ns };
    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return false;
    totals->is_estimate = ledger_reader_sample_interval(&reader) > 1;
    while ((result = ledger_reader_next_site(&reader, &cursor, &site)) > 0) {
        const struct ledger_counter *counter = &site.counter;
        uint64_t live =
            site.inherited_bytes + counter->alloc_bytes - counter->free_bytes;

        note_peak(snapshot, &site, settle(live), &mapped);
        if (site.kind != LEDGER_SITE_HEAP)
            continue;
        totals->allocations += counter->alloc_blocks;
        sum->alloc_bytes += counter->alloc_bytes;
        sum->live_blocks += site.inherited_blocks + counter->alloc_blocks -
                            counter->free_blocks;
        sum->live_bytes += live;
    }
    unmap(&mapped);
    if (reader.process.ended == 0) {
        sum->live_blocks = settle(sum->live_blocks);
        sum->live_bytes = settle(sum->live_bytes);
    }
    return result == 0;
}

void timeline_store_close(const struct ledger_snapshot *snapshot, uint64_t ns)
{
    struct ledger_sample *samples = ledger_snapshot_timeline(snapshot);
    struct ledger_totals totals;

    if (ledger_totals_read(snapshot, ns, &totals) && samples != NULL)
        timeline_store_add(samples, &totals.sample);
}
