/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_directory.c - the segments of a ledger and the texts in them
 */
#include "format/ledger/ledger_directory.h"

#include <stdbool.h>

#include "format/bytes.h"
#include "format/ledger/ledger_stacks.h"
#include "format/ledger/lifetimes_layout.h"

int ledger_reader_fail(struct ledger_reader *reader, int error, uint64_t offset)
{
    reader->error = error;
    reader->error_offset = offset;
    return error;
}

uint32_t ledger_directory_used(const struct ledger_reader *reader)
{
    uint32_t used = read_u32le(reader->bytes +
                               offsetof(struct ledger_header, directory_used));

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

/* The least size of a segment of each kind; a table for R1 and R2. */
static uint64_t least_size(const struct ledger_reader *reader, uint32_t kind)
{
    const uint64_t sizes[] = {
        [LEDGER_SEGMENT_NONE] = 0,
        [LEDGER_SEGMENT_SITES] =
            LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site) +
            (uint64_t)reader->shard_count * LEDGER_PAGE +
            (ledger_reader_has_temporary(reader)
                 ? ledger_temporary_size(reader->shard_count)
                 : 0),
        [LEDGER_SEGMENT_MODULES] =
            LEDGER_MODULES_PER_SEGMENT * sizeof(struct ledger_module),
        [LEDGER_SEGMENT_TEXT] = 0,
        [LEDGER_SEGMENT_NOTICES] =
            LEDGER_NOTICES_PER_SEGMENT * sizeof(struct ledger_notice),
        [LEDGER_SEGMENT_TIMELINE] =
            LEDGER_SAMPLE_CAPACITY * sizeof(struct ledger_sample),
        [LEDGER_SEGMENT_REGIONS] =
            LEDGER_REGIONS_PER_SEGMENT * sizeof(struct ledger_region),
        [LEDGER_SEGMENT_FRAMES] =
            LEDGER_FRAMES_PER_SEGMENT * sizeof(struct ledger_frame),
        [LEDGER_SEGMENT_PEAKS] =
            LEDGER_PEAKS_PER_SEGMENT * sizeof(struct ledger_peak),
        [LEDGER_SEGMENT_SIZES] = (uint64_t)reader->shard_count *
                                 LEDGER_SIZE_CLASSES * sizeof(uint64_t),
        [LEDGER_SEGMENT_LIFETIMES] =
            LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_lifetimes),
        [LEDGER_SEGMENT_DIRECTORY] =
            LEDGER_MORE_ENTRIES * sizeof(struct ledger_directory_entry),
    };

    return kind < sizeof sizes / sizeof sizes[0] ? sizes[kind] : 0;
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
    const unsigned char *bytes = reader->bytes + at;

    if (add_work(reader, 1, at) < 0)
        return reader->error;
    segment->kind = read_u32le_acquire(
        bytes + offsetof(struct ledger_directory_entry, kind));
    if (segment->kind == LEDGER_SEGMENT_NONE)
        return 0;
    segment->index =
        read_u32le(bytes + offsetof(struct ledger_directory_entry, index));
    segment->offset =
        read_u64le(bytes + offsetof(struct ledger_directory_entry, offset));
    segment->size =
        read_u64le(bytes + offsetof(struct ledger_directory_entry, size));

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

int ledger_text_read(struct ledger_reader *reader, uint64_t at,
                     struct ledger_text_view *text)
{
    const unsigned char *bytes = reader->bytes + at;
    uint32_t length = read_u32le(bytes + offsetof(struct ledger_text, length));
    uint64_t offset = read_u64le(bytes + offsetof(struct ledger_text, offset));
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
