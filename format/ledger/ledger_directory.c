/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_directory.c - the segments of a ledger and the texts in them
 */
#include "format/ledger/ledger_directory.h"

#include "format/ledger/counts_layout.h"
#include "format/ledger/ledger_error.h"
#include "format/ledger/lifetimes_layout.h"
#include "format/ledger/modules_layout.h"
#include "format/ledger/regions_layout.h"
#include "format/ledger/sites_layout.h"

/* Records of a segment, by kind; the others hold bytes, or words by shard. */
static const struct {
    uint32_t count, size;
} records[LEDGER_SEGMENT_KINDS] = {
#define RECORDS(count, type)       \
    {                              \
        count, sizeof(struct type) \
    }
    [LEDGER_SEGMENT_SITES] = RECORDS(LEDGER_SITES_PER_SEGMENT, ledger_site),
    [LEDGER_SEGMENT_MODULES] =
        RECORDS(LEDGER_MODULES_PER_SEGMENT, ledger_module),
    [LEDGER_SEGMENT_NOTICES] =
        RECORDS(LEDGER_NOTICES_PER_SEGMENT, ledger_notice),
    [LEDGER_SEGMENT_TIMELINE] = RECORDS(LEDGER_SAMPLE_CAPACITY, ledger_sample),
    [LEDGER_SEGMENT_REGIONS] =
        RECORDS(LEDGER_REGIONS_PER_SEGMENT, ledger_region),
    [LEDGER_SEGMENT_FRAMES] = RECORDS(LEDGER_FRAMES_PER_SEGMENT, ledger_frame),
    [LEDGER_SEGMENT_PEAKS] = RECORDS(LEDGER_PEAKS_PER_SEGMENT, ledger_peak),
    [LEDGER_SEGMENT_LIFETIMES] =
        RECORDS(LEDGER_SITES_PER_SEGMENT, ledger_lifetimes),
    [LEDGER_SEGMENT_DIRECTORY] =
        RECORDS(LEDGER_MORE_ENTRIES, ledger_directory_entry),
};

_Static_assert((int)LEDGER_COUNT_COUNT <= (int)LEDGER_COUNT_CAPACITY,
               "each count has its place in the header");
_Static_assert(LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_lifetimes) %
                       LEDGER_PAGE ==
                   0,
               "whole pages");

int ledger_reader_fail(struct ledger_reader *reader, int error, uint64_t offset)
{
    reader->error = error;
    reader->error_offset = offset;
    return error;
}

bool ledger_reader_has_temporary(const struct ledger_reader *reader)
{
    return (LEDGER_HEADER(reader, flags) & LEDGER_FLAG_TEMPORARY) != 0;
}

uint32_t ledger_directory_used(const struct ledger_reader *reader)
{
    uint32_t used = LEDGER_HEADER(reader, directory_used);
    uint32_t limit = reader->more_entries == 0 ? LEDGER_DIRECTORY_CAPACITY
                                               : LEDGER_ENTRY_LIMIT;

    return used < limit ? used : limit;
}

static size_t entry_offset(const struct ledger_reader *reader, uint32_t entry)
{
    const size_t size = sizeof(struct ledger_directory_entry);

    return entry < LEDGER_DIRECTORY_CAPACITY
               ? LEDGER_HEADER_SIZE + entry * size
               : reader->more_entries +
                     (entry - LEDGER_DIRECTORY_CAPACITY) * size;
}

/* What a segment of that kind has room for at least. */
static uint64_t least_size(const struct ledger_reader *reader, uint32_t kind)
{
    uint64_t size, shards = reader->shard_count;

    if (kind >= LEDGER_SEGMENT_KINDS)
        return 0;
    size = (uint64_t)records[kind].count * records[kind].size;
    if (kind == LEDGER_SEGMENT_SITES)
        size += shards * LEDGER_PAGE +
                (ledger_reader_has_temporary(reader)
                     ? ledger_temporary_size(reader->shard_count)
                     : 0);
    if (kind == LEDGER_SEGMENT_SIZES)
        size = shards * LEDGER_SIZE_CLASSES * sizeof(uint64_t);
    return size;
}

/* Readers make room for the highest index: it must not exhaust memory. */
static bool is_possible(uint32_t kind, uint32_t index)
{
    const uint32_t of_sites = 1u << LEDGER_SEGMENT_SITES |
                              1u << LEDGER_SEGMENT_PEAKS |
                              1u << LEDGER_SEGMENT_LIFETIMES;

    if ((of_sites >> kind & 1) != 0)
        return index < LEDGER_ENTRY_LIMIT;
    return index < (kind == LEDGER_SEGMENT_FRAMES
                        ? (uint32_t)LEDGER_FRAME_SEGMENTS
                        : (uint32_t)LEDGER_DIRECTORY_CAPACITY);
}

bool ledger_reader_may_be_newer(const struct ledger_reader *reader)
{
    return reader->minor > LEDGER_MINOR;
}

/* LEDGER_E_OK, or what happens when it is too much. */
static int add_work(struct ledger_reader *reader, uint64_t work, uint64_t at)
{
    if (work > ledger_reader_work_limit(reader->size) - reader->work)
        return ledger_reader_fail(reader, LEDGER_E_WORK, at);
    reader->work += work;
    return LEDGER_E_OK;
}

int ledger_directory_read(struct ledger_reader *reader, uint32_t entry,
                          struct ledger_segment *segment)
{
    size_t at = entry_offset(reader, entry);

    if (add_work(reader, 1, at) < 0)
        return reader->error;
    segment->kind = LEDGER_GET(reader, at, ledger_directory_entry, kind);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (segment->kind == LEDGER_SEGMENT_NONE)
        return 0;
    segment->index = LEDGER_GET(reader, at, ledger_directory_entry, index);
    segment->offset = LEDGER_GET(reader, at, ledger_directory_entry, offset);
    segment->size = LEDGER_GET(reader, at, ledger_directory_entry, size);

    if (segment->offset < LEDGER_FIRST_SEGMENT ||
        segment->offset % LEDGER_PAGE != 0 || segment->offset > reader->size ||
        segment->size > reader->size - segment->offset ||
        segment->size < least_size(reader, segment->kind))
        return ledger_reader_fail(reader, LEDGER_E_DIRECTORY, at);
    if (segment->kind >= LEDGER_SEGMENT_KINDS)
        return ledger_reader_may_be_newer(reader)
                   ? 0
                   : ledger_reader_fail(reader, LEDGER_E_SEGMENT, at);
    if (!is_possible(segment->kind, segment->index))
        return ledger_reader_fail(reader, LEDGER_E_SEGMENT, at);
    return 1;
}

/* Segments that do not overlap fit into the file together. */
int ledger_directory_open(struct ledger_reader *reader)
{
    struct ledger_segment segment;
    uint64_t left = reader->size - LEDGER_FIRST_SEGMENT;
    int found =
        ledger_directory_read(reader, LEDGER_DIRECTORY_CAPACITY - 1, &segment);

    if (found > 0 && segment.kind == LEDGER_SEGMENT_DIRECTORY)
        reader->more_entries = segment.offset;
    for (uint32_t entry = 0;
         found >= 0 && entry < ledger_directory_used(reader); entry++) {
        found = ledger_directory_read(reader, entry, &segment);
        if (found > 0 && segment.size > left)
            return ledger_reader_fail(reader, LEDGER_E_OVERLAP,
                                      entry_offset(reader, entry));
        left -= found > 0 ? segment.size : 0;
    }
    return found < 0 ? found : 1;
}

/*
 * Search from the last segment found: numbers asked for in turn are in that
 * one, or in one soon after it.
 */
int ledger_directory_find(struct ledger_reader *reader, uint32_t kind,
                          uint32_t index, struct ledger_segment *segment)
{
    uint32_t used = ledger_directory_used(reader);

    if (reader->last_missing[kind] == index + 1)
        return 0;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t entry = (reader->last_found[kind] + i) % used;
        int found = ledger_directory_read(reader, entry, segment);

        if (found < 0)
            return found;
        if (found > 0 && segment->kind == kind && segment->index == index) {
            reader->last_found[kind] = entry;
            return 1;
        }
    }
    reader->last_missing[kind] = index + 1;
    return 0;
}

int ledger_record_find(struct ledger_reader *reader, uint32_t kind,
                       uint32_t number, uint64_t *at)
{
    struct ledger_segment segment;
    int found = ledger_directory_find(reader, kind,
                                      number / records[kind].count, &segment);

    if (found > 0)
        *at = segment.offset +
              (uint64_t)(number % records[kind].count) * records[kind].size;
    return found;
}

/* Record 0 is never used, except of a timeline. */
int ledger_record_next(struct ledger_reader *reader,
                       struct ledger_cursor *cursor, uint32_t kind,
                       ledger_record_fn *read, void *view)
{
    for (; cursor->entry < ledger_directory_used(reader); cursor->entry++) {
        struct ledger_segment segment;
        int found = ledger_directory_read(reader, cursor->entry, &segment);

        if (found < 0)
            return found;
        if (segment.index == 0 && cursor->slot == 0)
            cursor->slot = kind != LEDGER_SEGMENT_TIMELINE;
        while (found > 0 && segment.kind == kind &&
               cursor->slot < records[kind].count) {
            uint32_t slot = cursor->slot++;
            struct ledger_record record = {
                segment.offset + (uint64_t)slot * records[kind].size,
                segment.index * records[kind].count + slot,
            };
            int result = read(reader, record, view);

            if (result != 0)
                return result;
        }
        cursor->slot = 0;
    }
    return 0;
}

int ledger_text_read(struct ledger_reader *reader, uint64_t at,
                     struct ledger_text_view *text)
{
    uint32_t length = LEDGER_GET(reader, at, ledger_text, length);
    uint64_t offset = LEDGER_GET(reader, at, ledger_text, offset);
    uint32_t used = ledger_directory_used(reader);
    uint32_t *last = &reader->last_found[LEDGER_SEGMENT_TEXT];

    *text = (struct ledger_text_view){ 0 };
    if (length == 0)
        return 1;
    for (uint32_t i = 0; i < used; i++) {
        struct ledger_segment segment;
        uint32_t entry = (*last + i) % used;
        int found = ledger_directory_read(reader, entry, &segment);

        if (found < 0)
            return found;
        if (found == 0 || segment.kind != LEDGER_SEGMENT_TEXT ||
            offset < segment.offset || length > segment.size ||
            offset - segment.offset > segment.size - length)
            continue;
        if (add_work(reader, length, at) < 0)
            return reader->error;
        *last = entry;
        text->bytes = reader->bytes + offset;
        text->length = length;
        return 1;
    }
    return ledger_reader_fail(reader, LEDGER_E_TEXT, at);
}
