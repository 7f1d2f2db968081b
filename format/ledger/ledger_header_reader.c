/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_header_reader.c - read figures of the whole process from the header */
#include "format/ledger/ledger_reader.h"

#define PLACE(field) offsetof(struct ledger_header, field)

/* Each count has its place in the header. */
STATIC_ASSERT((int)LEDGER_COUNT_COUNT <= (int)LEDGER_COUNT_CAPACITY);

uint64_t ledger_reader_count(const struct ledger_reader *reader,
                             enum ledger_count count)
{
    return read_u64le(reader->bytes + PLACE(counts) + count * sizeof(uint64_t));
}

/* Find the smallest and largest interval of a ledger with a budget. Whatever
   the numbers, `above` reaches `all` at the end. */
static void read_intervals(const struct ledger_reader *reader, uint64_t *least,
                           uint64_t *most)
{
    uint64_t volumes[LEDGER_INTERVALS], all = 0, above = 0;
    unsigned i = LEDGER_INTERVALS;

    ledger_reader_words(reader, PLACE(sample_volumes), volumes,
                        LEDGER_INTERVALS);
    while (i-- > 0) {
        all += volumes[i];
        if (volumes[i] != 0)
            *least = UINT64_C(1) << i;
    }
    for (i = LEDGER_INTERVALS; all != 0 && above <= all >> LEDGER_THIN_LOG2;) {
        above += volumes[--i];
        *most = UINT64_C(1) << i;
    }
}

void ledger_reader_sampling(const struct ledger_reader *reader,
                            struct ledger_sampling *sum)
{
    uint64_t most = ledger_reader_sample_interval(reader), least = most;
    uint32_t budget = LEDGER_HEADER(reader, sample_budget);

    if (most == 0)
        return;
    if (budget != 0) {
        read_intervals(reader, &least, &most);
        sum->cost_ns += LEDGER_HEADER(reader, sample_cost_ns);
        sum->capacity_ns += LEDGER_HEADER(reader, sample_capacity_ns);
    }
    if (most > sum->interval)
        sum->interval = most;
    if (sum->least == 0 || least < sum->least)
        sum->least = least;
    if (budget > sum->budget)
        sum->budget = budget;
}

uint64_t ledger_reader_sample_interval(const struct ledger_reader *reader)
{
    uint64_t interval = LEDGER_HEADER(reader, sample_interval);

    if ((reader->process.flags & LEDGER_FLAG_SAMPLED) == 0)
        return 0;
    return interval == 0 ? 1 : interval;
}

/* Totals of the header plus pending changes, of the heap and of heap and
   maps. */
struct heap_totals {
    int64_t most, live;
    int64_t most_with_maps, live_with_maps;
    uint64_t used; /* shards in use */
};

static void raise(int64_t *most, int64_t value)
{
    if (*most < value)
        *most = value;
}

static struct heap_totals read_totals(const struct ledger_reader *reader)
{
    bool is_joint = LEDGER_HEADER(reader, peak_has_maps) != 0;
    bool has_maps = is_joint || LEDGER_HEADER(reader, map_peak_number) != 0;
    uint64_t live = (uint64_t)LEDGER_HEADER(reader, live_bytes);
    uint64_t maps = has_maps ? (uint64_t)LEDGER_HEADER(reader, map_bytes) : 0;
    int64_t peak = LEDGER_HEADER(reader, peak_bytes);
    struct heap_totals totals = {
        .most = is_joint ? LEDGER_HEADER(reader, heap_peak) : peak,
        .most_with_maps =
            is_joint ? peak : LEDGER_HEADER(reader, peak_with_maps),
    };

    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        uint64_t at = PLACE(totals) + i * sizeof(struct ledger_total);
        uint64_t highest, most, maps_then;

        if (LEDGER_GET(reader, at, ledger_total, is_used) == 0)
            continue;
        highest = (uint64_t)LEDGER_GET(reader, at, ledger_total, highest);
        maps_then = (uint64_t)LEDGER_GET(reader, at, ledger_total, maps);
        totals.used++;
        live += highest + LEDGER_TOTAL_BATCH -
                (uint64_t)LEDGER_GET(reader, at, ledger_total, room);
        most = highest + (uint64_t)LEDGER_GET(reader, at, ledger_total, others);
        most -= is_joint ? maps_then : 0;
        raise(&totals.most, (int64_t)most);
        raise(&totals.most_with_maps, (int64_t)(most + maps_then));
    }
    totals.live = (int64_t)live;
    totals.live_with_maps = (int64_t)(live + maps);
    if (totals.used != 0) {
        raise(&totals.most, totals.live);
        raise(&totals.most_with_maps, totals.live_with_maps);
    }
    return totals;
}

/* Return by how much the peak may be off: by LEDGER_TOTAL_BATCH for each of
   several threads, but not by more than it allocated or freed. */
static uint64_t read_uncertainty(struct ledger_reader reader,
                                 const struct heap_totals *totals)
{
    uint64_t sum = totals->used * LEDGER_TOTAL_BATCH;
    uint64_t moved[LEDGER_TOTAL_CAPACITY][2] = { 0 };
    struct ledger_segment sites;

    if (totals->used < 2 || 20 * sum < (uint64_t)totals->most)
        return totals->used < 2 ? 0 : sum;
    for (uint32_t i = 0;
         ledger_reader_segment(&reader, LEDGER_SEGMENT_SITES, i, &sites) > 0;
         i++) {
        for (uint32_t n = 0; n < reader.shard_count * LEDGER_SITES_PER_SEGMENT;
             n++) {
            uint64_t site = sites.offset + n % LEDGER_SITES_PER_SEGMENT *
                                               sizeof(struct ledger_site);
            uint64_t at =
                sites.offset +
                LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site) +
                n * sizeof(struct ledger_counter);
            uint32_t owner = n / LEDGER_SITES_PER_SEGMENT;

            owner = owner < LEDGER_TOTAL_CAPACITY ? owner : 0;
            if (LEDGER_GET(&reader, site, ledger_site, kind) !=
                LEDGER_SITE_HEAP)
                continue;
            moved[owner][0] +=
                LEDGER_GET(&reader, at, ledger_counter, alloc_bytes);
            moved[owner][1] +=
                LEDGER_GET(&reader, at, ledger_counter, free_bytes);
        }
    }
    sum = 0;
    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        uint64_t most = moved[i][moved[i][0] < moved[i][1]];

        sum += most < LEDGER_TOTAL_BATCH ? most : LEDGER_TOTAL_BATCH;
    }
    return sum;
}

/* Return true if the live bytes are the peak: a heap that has not shrunk since
   is not copied, nor is an unwatched one. */
static bool is_live_the_peak(const struct ledger_heap_peak *peak, int64_t live)
{
    if (live <= 0 || (uint64_t)live <= peak->copied)
        return false;
    return peak->copied != 0 ||
           (uint64_t)live + peak->uncertainty >=
               (peak->is_joint ? peak->with_maps : peak->bytes);
}

/* With several threads, a copy may find more than any thread noticed. */
static void raise_to_copy(struct ledger_heap_peak *peak)
{
    uint64_t *bytes = peak->is_joint ? &peak->with_maps : &peak->bytes;
    uint64_t more = peak->copied - *bytes;

    if (peak->copied <= *bytes)
        return;
    *bytes = peak->copied;
    peak->uncertainty -= more < peak->uncertainty ? more : peak->uncertainty;
}

static uint64_t no_less_than_none(int64_t bytes)
{
    return bytes < 0 ? 0 : (uint64_t)bytes;
}

void ledger_reader_heap_peak(const struct ledger_reader *reader,
                             struct ledger_heap_peak *peak)
{
    struct heap_totals totals = read_totals(reader);
    uint64_t noted;

    *peak = (struct ledger_heap_peak){
        .bytes = no_less_than_none(totals.most),
        .with_maps = no_less_than_none(totals.most_with_maps),
        .uncertainty = LEDGER_HEADER(reader, peak_uncertainty) +
                       read_uncertainty(*reader, &totals),
        .copied = LEDGER_HEADER(reader, peak_copied),
        .sample_most = (uint64_t)LEDGER_HEADER(reader, sample_most),
        .is_joint = LEDGER_HEADER(reader, peak_has_maps) != 0,
        .has_maps = LEDGER_HEADER(reader, map_peak_number) != 0,
        .has_map_reading = LEDGER_HEADER(reader, map_reading) != 0,
    };
    noted = LEDGER_HEADER(reader, peak_noted);
    peak->is_difference = noted != 0;
    if (noted != 0)
        peak->copied = noted;
    if (peak->is_joint)
        totals.live = totals.live_with_maps;
    peak->is_live = is_live_the_peak(peak, totals.live);
    if (peak->is_live)
        peak->copied = (uint64_t)totals.live;
    raise_to_copy(peak);
    if (peak->with_maps < peak->bytes && peak->is_joint)
        peak->bytes = peak->with_maps;
    else if (peak->with_maps < peak->bytes)
        peak->with_maps = peak->bytes;
}

uint64_t ledger_resident_sum(const struct ledger_resident *resident)
{
    return resident->heap + resident->maps + resident->files +
           resident->stacks + resident->tally + resident->unexplained;
}

/* Limit of each part, so that sums do not wrap. */
#define RESIDENT_LIMIT (UINT64_C(1) << 57)

bool ledger_reader_resident(const struct ledger_reader *reader,
                            enum ledger_resident_time time,
                            struct ledger_resident *resident)
{
    *resident = (struct ledger_resident){ 0 };
    ledger_reader_words(reader, PLACE(resident) + time * sizeof *resident,
                        resident,
                        offsetof(struct ledger_resident, reserved) / 8);
    /* a record being replaced has no time */
    return resident->ns != 0 &&
           (resident->heap | resident->maps | resident->files |
            resident->stacks | resident->tally | resident->unexplained |
            resident->live_bytes | resident->highest) < RESIDENT_LIMIT;
}

uint64_t ledger_reader_process_peak(const struct ledger_reader *reader)
{
    struct ledger_heap_peak peak;
    uint64_t maps = LEDGER_HEADER(reader, map_resident);

    ledger_reader_heap_peak(reader, &peak);
    if (!peak.has_map_reading)
        maps = peak.bytes != 0 ? 0
               : peak.is_joint
                   ? peak.with_maps
                   : (uint64_t)LEDGER_HEADER(reader, map_peak.accessible);
    return maps < RESIDENT_LIMIT ? peak.bytes + maps : peak.bytes;
}
