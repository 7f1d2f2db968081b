/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_stacks.c - call stacks, and what sites held at the peak, checked
 */
#include "format/ledger/ledger_stacks.h"

#include "format/bytes.h"
#include "format/ledger/ledger_directory.h"

#define HEADER(field) offsetof(struct ledger_header, field)

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
    const unsigned char *bytes = reader->bytes + at;

    frame->address =
        read_u64le_acquire(bytes + offsetof(struct ledger_frame, address));
    if (frame->address == 0)
        return 0;
    frame->parent = read_u32le(bytes + offsetof(struct ledger_frame, parent));
    frame->module = read_u32le(bytes + offsetof(struct ledger_frame, module));
    if ((frame->parent >= index && frame->parent != LEDGER_FRAME_CUT) ||
        frame->module >= ledger_reader_module_limit(reader))
        return ledger_reader_fail(reader, LEDGER_E_FRAME, at);
    return 1;
}

int ledger_reader_frame(struct ledger_reader *reader, uint32_t index,
                        struct ledger_frame_view *frame)
{
    struct ledger_segment segment;
    int found;

    if (index == 0)
        return 0;
    found = ledger_directory_find(reader, LEDGER_SEGMENT_FRAMES,
                                  index / LEDGER_FRAMES_PER_SEGMENT, &segment);
    if (found <= 0)
        return found;
    return read_frame(reader,
                      segment.offset + index % LEDGER_FRAMES_PER_SEGMENT *
                                           sizeof(struct ledger_frame),
                      index, frame);
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
    const unsigned char *bytes = reader->bytes;
    uint64_t live = read_u64le(bytes + HEADER(live_bytes));
    struct heap_totals totals = {
        .most = (int64_t)read_u64le(bytes + HEADER(peak_bytes)),
    };

    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        const unsigned char *total =
            bytes + HEADER(totals) + i * sizeof(struct ledger_total);
        uint64_t highest;

        if (read_u64le(total + offsetof(struct ledger_total, is_used)) == 0)
            continue;
        highest = read_u64le(total + offsetof(struct ledger_total, highest));
        totals.used++;
        live += highest + LEDGER_TOTAL_BATCH -
                read_u64le(total + offsetof(struct ledger_total, room));
        raise(
            &totals.most,
            (int64_t)(highest + read_u64le(total + offsetof(struct ledger_total,
                                                            others))));
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
    const unsigned char *bytes = reader->bytes;
    struct heap_totals totals = read_totals(reader);
    uint64_t noted;

    *peak = (struct ledger_heap_peak){
        .bytes = totals.most < 0 ? 0 : (uint64_t)totals.most,
        .uncertainty = read_u64le(bytes + HEADER(peak_uncertainty)) +
                       (totals.used > 1 ? totals.used * LEDGER_TOTAL_BATCH : 0),
        .copied = read_u64le(bytes + HEADER(peak_copied)),
        .copied_ns = read_u64le(bytes + HEADER(peak_copied_ns)),
        .sample_most = read_u64le(bytes + HEADER(sample_most)),
    };
    noted = read_u64le_acquire(bytes + HEADER(peak_noted));
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
    struct ledger_segment segment;
    const unsigned char *bytes;
    int found =
        ledger_directory_find(reader, LEDGER_SEGMENT_PEAKS,
                              site / LEDGER_PEAKS_PER_SEGMENT, &segment);

    *peak = (struct ledger_peak){ 0 };
    if (found <= 0)
        return found;
    bytes = reader->bytes + segment.offset +
            site % LEDGER_PEAKS_PER_SEGMENT * sizeof(struct ledger_peak);
    peak->blocks = read_u64le(bytes + offsetof(struct ledger_peak, blocks));
    peak->bytes = read_u64le(bytes + offsetof(struct ledger_peak, bytes));
    return 1;
}

bool ledger_reader_has_temporary(const struct ledger_reader *reader)
{
    return (read_u32le(reader->bytes + HEADER(flags)) &
            LEDGER_FLAG_TEMPORARY) != 0;
}

int ledger_reader_temporary(struct ledger_reader *reader, uint32_t site,
                            uint64_t *blocks)
{
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
        *blocks += read_u64le(bytes + (size_t)shard * LEDGER_SITES_PER_SEGMENT *
                                          sizeof(uint64_t));
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
