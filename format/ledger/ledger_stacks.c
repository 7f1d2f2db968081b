/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_stacks.c - call stacks, and what else is known of sites, checked
 */
#include "format/ledger/ledger_stacks.h"

uint32_t ledger_reader_frame_limit(struct ledger_reader *reader)
{
    uint32_t used = ledger_directory_used(reader);
    uint32_t limit = 0;

    for (uint32_t entry = 0; entry < used; entry++) {
        struct ledger_segment segment;

        if (ledger_directory_read(reader, entry, &segment) > 0 &&
            segment.kind == LEDGER_SEGMENT_FRAMES && segment.index >= limit)
            limit = segment.index + 1;
    }
    return limit * LEDGER_FRAMES_PER_SEGMENT;
}

static int read_frame(struct ledger_reader *reader, uint64_t at, uint32_t index,
                      struct ledger_frame_view *frame)
{
    frame->address = read_u64le_acquire(reader->bytes + at +
                                        offsetof(struct ledger_frame, address));
    if (frame->address == 0)
        return 0;
    frame->parent = LEDGER_GET(reader, at, ledger_frame, parent);
    frame->module = LEDGER_GET(reader, at, ledger_frame, module);
    if ((frame->parent >= index && frame->parent != LEDGER_FRAME_CUT) ||
        frame->module >= ledger_reader_module_limit(reader))
        return ledger_reader_fail(reader, LEDGER_E_FRAME, at);
    return 1;
}

int ledger_reader_frame(struct ledger_reader *reader, uint32_t index,
                        struct ledger_frame_view *frame)
{
    uint64_t at;
    int found = index == 0 ? 0
                           : ledger_record_find(reader, LEDGER_SEGMENT_FRAMES,
                                                index, &at);

    return found <= 0 ? found : read_frame(reader, at, index, frame);
}

int ledger_reader_next_frame(struct ledger_reader *reader, uint32_t limit,
                             uint32_t *index, struct ledger_frame_view *frame)
{
    uint32_t next = *index + 1;

    while (next < limit) {
        uint32_t number = next / LEDGER_FRAMES_PER_SEGMENT;
        uint32_t end = (number + 1) * LEDGER_FRAMES_PER_SEGMENT;
        struct ledger_segment segment;
        int found = ledger_directory_find(reader, LEDGER_SEGMENT_FRAMES, number,
                                          &segment);

        for (; found > 0 && next < end; next++) {
            int result =
                read_frame(reader,
                           segment.offset + next % LEDGER_FRAMES_PER_SEGMENT *
                                                sizeof(struct ledger_frame),
                           next, frame);

            *index = next;
            if (result != 0)
                return result;
        }
        if (found < 0)
            return found;
        next = end;
    }
    return 0;
}

/* The header's totals, with what has not been added to them yet. */
struct heap_totals {
    int64_t most, live;
    uint64_t used; /* shards */
};

static void raise(int64_t *most, int64_t value)
{
    if (*most < value)
        *most = value;
}

static struct heap_totals read_totals(const struct ledger_reader *reader)
{
    uint64_t live = (uint64_t)LEDGER_HEADER(reader, live_bytes);
    struct heap_totals totals = { .most = LEDGER_HEADER(reader, peak_bytes) };

    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        uint64_t at = offsetof(struct ledger_header, totals) +
                      i * sizeof(struct ledger_total);
        uint64_t highest;

        if (LEDGER_GET(reader, at, ledger_total, is_used) == 0)
            continue;
        highest = (uint64_t)LEDGER_GET(reader, at, ledger_total, highest);
        totals.used++;
        live += highest + LEDGER_TOTAL_BATCH -
                (uint64_t)LEDGER_GET(reader, at, ledger_total, room);
        raise(&totals.most,
              (int64_t)(highest + (uint64_t)LEDGER_GET(reader, at, ledger_total,
                                                       others)));
    }
    totals.live = (int64_t)live;
    if (totals.used != 0)
        raise(&totals.most, totals.live);
    return totals;
}

/* A heap that has not fallen since is not copied, nor is an unwatched one. */
static bool is_live_the_peak(const struct ledger_heap_peak *peak, int64_t live)
{
    if (live <= 0 || (uint64_t)live <= peak->copied)
        return false;
    return peak->copied != 0 ||
           (uint64_t)live + peak->uncertainty >= peak->bytes;
}

/* With several threads a copy may find more than any of them noticed. */
static void raise_to_copy(struct ledger_heap_peak *peak)
{
    uint64_t more = peak->copied - peak->bytes;

    if (peak->copied <= peak->bytes)
        return;
    peak->bytes = peak->copied;
    peak->uncertainty -= more < peak->uncertainty ? more : peak->uncertainty;
}

void ledger_reader_heap_peak(const struct ledger_reader *reader,
                             struct ledger_heap_peak *peak)
{
    struct heap_totals totals = read_totals(reader);
    uint64_t noted;

    *peak = (struct ledger_heap_peak){
        .bytes = totals.most < 0 ? 0 : (uint64_t)totals.most,
        .uncertainty = LEDGER_HEADER(reader, peak_uncertainty) +
                       (totals.used > 1 ? totals.used * LEDGER_TOTAL_BATCH : 0),
        .copied = LEDGER_HEADER(reader, peak_copied),
        .copied_ns = LEDGER_HEADER(reader, peak_copied_ns),
        .sample_most = (uint64_t)LEDGER_HEADER(reader, sample_most),
    };
    noted = read_u64le_acquire(reader->bytes +
                               offsetof(struct ledger_header, peak_noted));
    peak->is_difference = noted != 0;
    if (noted != 0)
        peak->copied = noted;
    peak->is_live = is_live_the_peak(peak, totals.live);
    if (peak->is_live)
        peak->copied = (uint64_t)totals.live;
    raise_to_copy(peak);
}

int ledger_reader_peak(struct ledger_reader *reader, uint32_t site,
                       struct ledger_peak *peak)
{
    uint64_t at;
    int found = ledger_record_find(reader, LEDGER_SEGMENT_PEAKS, site, &at);

    *peak = (struct ledger_peak){ 0 };
    if (found <= 0)
        return found;
    peak->blocks = LEDGER_GET(reader, at, ledger_peak, blocks);
    peak->bytes = LEDGER_GET(reader, at, ledger_peak, bytes);
    return 1;
}

int ledger_reader_temporary(struct ledger_reader *reader, uint32_t site,
                            uint64_t *blocks)
{
    const size_t row = LEDGER_SITES_PER_SEGMENT * sizeof(uint64_t);
    struct ledger_segment segment;
    const unsigned char *bytes;
    int found =
        ledger_reader_has_temporary(reader)
            ? ledger_directory_find(reader, LEDGER_SEGMENT_SITES,
                                    site / LEDGER_SITES_PER_SEGMENT, &segment)
            : 0;

    *blocks = 0;
    if (found <= 0)
        return found;
    bytes = reader->bytes + segment.offset +
            LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site) +
            (size_t)reader->shard_count * LEDGER_PAGE +
            site % LEDGER_SITES_PER_SEGMENT * sizeof(uint64_t);
    for (uint32_t shard = 0; shard < reader->shard_count; shard++)
        *blocks += read_u64le(bytes + shard * row);
    return 1;
}

int ledger_reader_sizes(struct ledger_reader *reader,
                        uint64_t sizes[LEDGER_SIZE_CLASSES])
{
    struct ledger_segment segment;
    int found =
        ledger_directory_find(reader, LEDGER_SEGMENT_SIZES, 0, &segment);

    for (uint32_t i = 0; i < LEDGER_SIZE_CLASSES; i++)
        sizes[i] = 0;
    if (found <= 0)
        return found;
    for (uint32_t i = 0; i < reader->shard_count * LEDGER_SIZE_CLASSES; i++)
        sizes[i % LEDGER_SIZE_CLASSES] +=
            read_u64le(reader->bytes + segment.offset + i * sizeof(uint64_t));
    return 1;
}

uint64_t ledger_reader_sample_interval(const struct ledger_reader *reader)
{
    uint64_t interval = LEDGER_HEADER(reader, sample_interval);

    if ((reader->process.flags & LEDGER_FLAG_SAMPLED) == 0)
        return 0;
    return interval == 0 ? 1 : interval;
}

#define INFINITY_BITS UINT64_C(0x7ff0000000000000)

/* False: one of its variances is no number that a sum of squares may be. */
static bool read_estimate(const struct ledger_reader *reader, uint64_t at,
                          struct ledger_estimate *sum)
{
#define READ(field) sum->field = LEDGER_GET(reader, at, ledger_estimate, field)
    READ(samples);
    READ(blocks);
    READ(bytes);
    READ(blocks_variance);
    READ(bytes_variance);
#undef READ
    return sum->blocks_variance < INFINITY_BITS &&
           sum->bytes_variance < INFINITY_BITS;
}

int ledger_reader_lifetimes(struct ledger_reader *reader, uint32_t site,
                            struct ledger_lifetimes *lifetimes)
{
    uint64_t at;
    int found = ledger_record_find(reader, LEDGER_SEGMENT_LIFETIMES, site, &at);

    *lifetimes = (struct ledger_lifetimes){ 0 };
    if (found <= 0)
        return found;
    for (unsigned i = 0; i < LEDGER_LIFE_COUNT; i++) {
        uint64_t sum = at + i * sizeof(struct ledger_estimate);

        if (!read_estimate(reader, sum, &lifetimes->sums[i]))
            return ledger_reader_fail(reader, LEDGER_E_LIFETIMES, sum);
    }
    return lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples != 0;
}
