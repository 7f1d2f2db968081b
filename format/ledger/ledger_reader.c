/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_reader.c - read and check the bytes of a ledger
 *
 * This file is long because all of a ledger is found through its directory; the
 * functions for it return only offsets within the bytes.
 *
 * A ledger is valid at any time, so records that a writer has allocated but not
 * yet stored (kind 0) are skipped, and a count above the number of entries is
 * not damage. Damage is a directory entry outside the bytes, or too small for
 * its kind; a kind, state, code or index that no writer of this version stores;
 * and a text outside every TEXT segment.
 */
#include "format/ledger/ledger_reader.h"

#include <string.h>

enum { SHARD_LIMIT = 1 << 20 };

/* Offset of a field of the header. */
#define PLACE(field) offsetof(struct ledger_header, field)

/* Read a field of a view that is stored under the same name. */
#define READ(view, at, type, field) \
    (view)->field = LEDGER_GET(reader, at, type, field)

/* Record in a segment, by its number among all of its kind. */
struct record {
    uint64_t at;
    uint32_t number;
};

/* Read a record into its view: return 1, 0 if it is not in use, or an error. */
typedef int read_fn(struct ledger_reader *reader, struct record record,
                    void *view);

/* Records of a segment, by kind; other kinds hold bytes, or words by shard.
   Readers allocate memory for the highest index: the limit bounds it. */
static const struct {
    uint32_t count, size, index_limit;
} records[LEDGER_SEGMENT_KINDS] = {
#define RECORDS(kind, count, type, limit)                                     \
    [LEDGER_SEGMENT_##kind] = { LEDGER_##count, sizeof(struct ledger_##type), \
                                LEDGER_##limit }
    RECORDS(SITES, SITES_PER_SEGMENT, site, ENTRY_LIMIT),
    RECORDS(MODULES, MODULES_PER_SEGMENT, module, DIRECTORY_CAPACITY),
    RECORDS(NOTICES, NOTICES_PER_SEGMENT, notice, DIRECTORY_CAPACITY),
    RECORDS(TIMELINE, SAMPLE_CAPACITY, sample, DIRECTORY_CAPACITY),
    RECORDS(REGIONS, REGIONS_PER_SEGMENT, region, DIRECTORY_CAPACITY),
    RECORDS(FRAMES, FRAMES_PER_SEGMENT, frame, FRAME_SEGMENTS),
    RECORDS(PEAKS, PEAKS_PER_SEGMENT, peak, ENTRY_LIMIT),
    RECORDS(MAP_PEAKS, PEAKS_PER_SEGMENT, map_peak, ENTRY_LIMIT),
    RECORDS(LIFETIMES, SITES_PER_SEGMENT, lifetimes, ENTRY_LIMIT),
    RECORDS(RESIDENCY, RESIDENCY_PER_SEGMENT, residency, ENTRY_LIMIT),
    RECORDS(DIRECTORY, MORE_ENTRIES, directory_entry, DIRECTORY_CAPACITY),
    [LEDGER_SEGMENT_TEXT] = { .index_limit = LEDGER_DIRECTORY_CAPACITY },
    [LEDGER_SEGMENT_SIZES] = { .index_limit = LEDGER_DIRECTORY_CAPACITY },
    [LEDGER_SEGMENT_HISTORY] = { .index_limit = LEDGER_DIRECTORY_CAPACITY },
    RECORDS(EVENTS, EVENTS_PER_SEGMENT, events, DIRECTORY_CAPACITY),
};

/* Whole pages. */
STATIC_ASSERT(LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_lifetimes) %
                  LEDGER_PAGE ==
              0);

/* Store the error and its offset; return `error`. */
static int fail(struct ledger_reader *reader, int error, uint64_t offset)
{
    reader->error = error;
    reader->error_offset = offset;
    return error;
}

/* Skip a value that a newer writer may store; from other writers it is
   damage. */
static int skip_newer(struct ledger_reader *reader, int error, uint64_t offset)
{
    return reader->minor > LEDGER_MINOR ? 0 : fail(reader, error, offset);
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

bool ledger_reader_has_temporary(const struct ledger_reader *reader)
{
    return (LEDGER_HEADER(reader, flags) & LEDGER_FLAG_TEMPORARY) != 0;
}

bool ledger_reader_has_grown(const struct ledger_reader *reader)
{
    const uint32_t both = LEDGER_FLAG_TEMPORARY | LEDGER_FLAG_GROWN;

    return (LEDGER_HEADER(reader, flags) & both) == both;
}

static size_t entry_offset(const struct ledger_reader *reader, uint32_t entry)
{
    const size_t size = sizeof(struct ledger_directory_entry);

    return entry < LEDGER_DIRECTORY_CAPACITY
               ? LEDGER_HEADER_SIZE + entry * size
               : reader->more_entries +
                     (entry - LEDGER_DIRECTORY_CAPACITY) * size;
}

/* Return the minimum size of a segment of this kind. */
static uint64_t least_size(const struct ledger_reader *reader, uint32_t kind)
{
    uint64_t size, shards = reader->shard_count;

    if (kind >= LEDGER_SEGMENT_KINDS)
        return 0;
    size = (uint64_t)records[kind].count * records[kind].size;
    if (kind == LEDGER_SEGMENT_SITES)
        size += shards * LEDGER_PAGE +
                (ledger_reader_has_temporary(reader)
                     ? ledger_rows_size(reader->shard_count +
                                        (ledger_reader_has_grown(reader)
                                             ? LEDGER_GROWN_ROWS
                                             : 0))
                     : 0);
    if (kind == LEDGER_SEGMENT_SIZES)
        size = shards * LEDGER_SIZE_CLASSES * sizeof(uint64_t);
    return size;
}

/* Add to `work`; return LEDGER_E_OK, or an error if it exceeds the limit. */
static int add_work(struct ledger_reader *reader, uint64_t work, uint64_t at)
{
    if (work > ledger_reader_work_limit(reader->size) - reader->work)
        return fail(reader, LEDGER_E_WORK, at);
    reader->work += work;
    return LEDGER_E_OK;
}

/* Return 1 and the segment, or 0 if the entry is not stored yet or of a newer
   kind. */
static int read_entry(struct ledger_reader *reader, uint32_t entry,
                      struct ledger_segment *segment)
{
    size_t at = entry_offset(reader, entry);

    if (add_work(reader, 1, at) < 0)
        return reader->error;
    READ(segment, at, ledger_directory_entry, kind);
    if (segment->kind == LEDGER_SEGMENT_NONE)
        return 0;
    READ(segment, at, ledger_directory_entry, index);
    READ(segment, at, ledger_directory_entry, offset);
    READ(segment, at, ledger_directory_entry, size);

    if (segment->offset < LEDGER_FIRST_SEGMENT ||
        segment->offset % LEDGER_PAGE != 0 || segment->offset > reader->size ||
        segment->size > reader->size - segment->offset ||
        segment->size < least_size(reader, segment->kind))
        return fail(reader, LEDGER_E_DIRECTORY, at);
    if (segment->kind >= LEDGER_SEGMENT_KINDS)
        return skip_newer(reader, LEDGER_E_SEGMENT, at);
    if (segment->index >= records[segment->kind].index_limit)
        return fail(reader, LEDGER_E_SEGMENT, at);
    return 1;
}

/* Open the DIRECTORY segment, if any, and check all entries; return 1 or an
   error. Segments must not overlap. */
static int open_directory(struct ledger_reader *reader)
{
    struct ledger_segment segment;
    uint64_t left = reader->size - LEDGER_FIRST_SEGMENT;
    int found = read_entry(reader, LEDGER_DIRECTORY_CAPACITY - 1, &segment);

    if (found > 0 && segment.kind == LEDGER_SEGMENT_DIRECTORY)
        reader->more_entries = segment.offset;
    reader->entry_count =
        (uint32_t)at_most(LEDGER_HEADER(reader, directory_used),
                          reader->more_entries == 0 ? LEDGER_DIRECTORY_CAPACITY
                                                    : LEDGER_ENTRY_LIMIT);
    for (uint32_t entry = 0; found >= 0 && entry < reader->entry_count;
         entry++) {
        found = read_entry(reader, entry, &segment);
        if (found > 0 && segment.size > left)
            return fail(reader, LEDGER_E_OVERLAP, entry_offset(reader, entry));
        left -= found > 0 ? segment.size : 0;
    }
    return found < 0 ? found : 1;
}

/* Search from the last entry found: consecutive numbers lie in the same segment
   or one soon after it. */
int ledger_reader_segment(struct ledger_reader *reader, uint32_t kind,
                          uint32_t index, struct ledger_segment *segment)
{
    uint32_t used = reader->entry_count;

    if (reader->last_missing[kind] == index + 1)
        return 0;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t entry = (reader->last_found[kind] + i) % used;
        int found = read_entry(reader, entry, segment);

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

/* Find record `number` of this kind; return 1, or 0 if it does not exist. */
static int find_record(struct ledger_reader *reader, uint32_t kind,
                       uint32_t number, uint64_t *at)
{
    struct ledger_segment segment;
    int found = ledger_reader_segment(reader, kind,
                                      number / records[kind].count, &segment);

    if (found > 0)
        *at = segment.offset +
              (uint64_t)(number % records[kind].count) * records[kind].size;
    return found;
}

/* Find the next record of this kind for which `read` does not return 0; return
   0 at the end. Record 0 is never used, except in a timeline. */
static int next_record(struct ledger_reader *reader,
                       struct ledger_cursor *cursor, uint32_t kind,
                       read_fn *read, void *view)
{
    for (; cursor->entry < reader->entry_count; cursor->entry++) {
        struct ledger_segment segment;
        int found = read_entry(reader, cursor->entry, &segment);

        if (found < 0)
            return found;
        if (segment.index == 0 && cursor->slot == 0)
            cursor->slot = kind != LEDGER_SEGMENT_TIMELINE;
        while (found > 0 && segment.kind == kind &&
               cursor->slot < records[kind].count) {
            uint32_t slot = cursor->slot++;
            struct record record = {
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

/* Check the text whose struct ledger_text lies at `at`; return 1 or an
   error. */
static int read_text(struct ledger_reader *reader, uint64_t at,
                     struct ledger_text_view *text)
{
    uint32_t length = LEDGER_GET(reader, at, ledger_text, length);
    uint64_t offset = LEDGER_GET(reader, at, ledger_text, offset);
    uint32_t used = reader->entry_count;
    uint32_t *last = &reader->last_found[LEDGER_SEGMENT_TEXT];

    *text = (struct ledger_text_view){ 0 };
    if (length == 0)
        return 1;
    for (uint32_t i = 0; i < used; i++) {
        struct ledger_segment segment;
        uint32_t entry = (*last + i) % used;
        int found = read_entry(reader, entry, &segment);

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
    return fail(reader, LEDGER_E_TEXT, at);
}

static int read_process(struct ledger_reader *reader)
{
    struct ledger_process_view *process = &reader->process;
    int error;

    READ(process, 0, ledger_header, pid);
    READ(process, 0, ledger_header, parent_pid);
    READ(process, 0, ledger_header, start_ns);
    READ(process, 0, ledger_header, start_ticks);
    READ(process, 0, ledger_header, end_ns);
    READ(process, 0, ledger_header, end);
    READ(process, 0, ledger_header, end_code);
    READ(process, 0, ledger_header, ended);
    READ(process, 0, ledger_header, control);
    READ(process, 0, ledger_header, flags);
    if (process->ended > 1)
        return fail(reader, LEDGER_E_GEOMETRY, PLACE(ended));
    if (process->control > LEDGER_CONTROL_NEVER)
        return fail(reader, LEDGER_E_GEOMETRY, PLACE(control));

    error = read_text(reader, PLACE(program), &process->program);
    if (error > 0)
        error = read_text(reader, PLACE(command_line), &process->command_line);
    return error < 0 ? error : LEDGER_E_OK;
}

static int check_header(struct ledger_reader *reader)
{
    uint64_t used_bytes;

    if (reader->size < LEDGER_MAGIC_SIZE ||
        memcmp(reader->bytes, LEDGER_MAGIC, LEDGER_MAGIC_SIZE) != 0)
        return fail(reader, LEDGER_E_MAGIC, 0);
    if (reader->size < LEDGER_FIRST_SEGMENT)
        return fail(reader, LEDGER_E_TRUNCATED, reader->size);
    if (LEDGER_HEADER(reader, byte_order) != LEDGER_BYTE_ORDER)
        return fail(reader, LEDGER_E_BYTE_ORDER, PLACE(byte_order));
    if (LEDGER_HEADER(reader, major) != LEDGER_MAJOR)
        return fail(reader, LEDGER_E_MAJOR, PLACE(major));
    reader->minor = LEDGER_HEADER(reader, minor);

    used_bytes = LEDGER_HEADER(reader, used_bytes);
    if (used_bytes < LEDGER_FIRST_SEGMENT)
        return fail(reader, LEDGER_E_GEOMETRY, PLACE(used_bytes));
    if (used_bytes > reader->size)
        return fail(reader, LEDGER_E_TRUNCATED, reader->size);
    if (LEDGER_HEADER(reader, directory_capacity) != LEDGER_DIRECTORY_CAPACITY)
        return fail(reader, LEDGER_E_GEOMETRY, PLACE(directory_capacity));
    reader->shard_count = LEDGER_HEADER(reader, shard_count);
    if (reader->shard_count == 0 || reader->shard_count > SHARD_LIMIT)
        return fail(reader, LEDGER_E_GEOMETRY, PLACE(shard_count));
    return LEDGER_E_OK;
}

/* Find the shards in use. A thread marks its own before it counts there; those
   without one mark 0, and may use those of CPUs. Samples mark none. */
static void find_shards(struct ledger_reader *reader)
{
    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        if (LEDGER_HEADER(reader, totals[i].is_used) != 0)
            reader->used_shards |= UINT32_C(1) << i;
    }
    if (reader->used_shards == 0 ||
        (reader->process.flags & LEDGER_FLAG_SAMPLED) != 0)
        reader->used_shards = UINT32_MAX;
}

int ledger_reader_open(struct ledger_reader *reader, const unsigned char *bytes,
                       size_t size)
{
    int error;

    *reader = (struct ledger_reader){ .bytes = bytes, .size = size };
    error = check_header(reader);
    if (error < 0)
        return error;
    error = open_directory(reader);
    if (error >= 0)
        error = read_process(reader);
    if (error >= 0)
        find_shards(reader);
    return error;
}

/* Return a site's counters, summed over all shards. Whole segments are summed
   at once, in the order of their pages. */
static const struct ledger_counter *sum_shards(struct ledger_reader *reader,
                                               uint32_t site, uint64_t at)
{
    uint32_t slot = site % LEDGER_SITES_PER_SEGMENT;
    uint64_t *words = (uint64_t *)reader->sums;

    at += (LEDGER_SITES_PER_SEGMENT - slot) * sizeof(struct ledger_site);
    if (reader->summed == at)
        return &reader->sums[slot];
    reader->summed = at;
    memset(reader->sums, 0, sizeof reader->sums);
    for (uint32_t shard = 0; shard < reader->shard_count;
         shard++, at += LEDGER_PAGE) {
        if (!ledger_reader_has_shard(reader, shard))
            continue;
        for (size_t i = 0; i < LEDGER_PAGE / sizeof *words; i++)
            words[i] += read_u64le(reader->bytes + at + i * sizeof *words);
    }
    return &reader->sums[slot];
}

static int read_site(struct ledger_reader *reader, struct record record,
                     void *view)
{
    struct ledger_site_view *site = view;
    uint64_t at = record.at;
    int found;

    READ(site, at, ledger_site, kind);
    if (site->kind == LEDGER_SITE_NONE)
        return 0;
    if (site->kind >= LEDGER_SITE_KINDS)
        return skip_newer(reader, LEDGER_E_SITE, at);
    site->id = record.number;
    READ(site, at, ledger_site, module);
    if (site->module >= ledger_reader_module_limit(reader))
        return fail(reader, LEDGER_E_SITE, at);
    READ(site, at, ledger_site, address);
    READ(site, at, ledger_site, inherited_blocks);
    READ(site, at, ledger_site, inherited_bytes);
    READ(site, at, ledger_site, line);
    site->offset = at;
    site->counter = *sum_shards(reader, record.number, at);
    /* bounded by the bytes ever held */
    site->peak_seen =
        at_most(LEDGER_GET(reader, at, ledger_site, peak_seen),
                site->inherited_bytes + site->counter.alloc_bytes);
    site->unseen_frees =
        LEDGER_GET(reader, at, ledger_site, place.unseen_frees);
    found = read_text(reader, at + offsetof(struct ledger_site, place),
                      &site->place);
    site->frame = 0;
    if ((reader->process.flags & LEDGER_FLAG_STACKS) != 0 &&
        site->place.length == 0)
        READ(site, at, ledger_site, frame);
    return found;
}

static bool ends_with(const struct ledger_text_view *path, const void *end,
                      size_t length)
{
    return path->length >= length &&
           memcmp(path->bytes + path->length - length, end, length) == 0;
}

/*
 * An executable's own malloc may call ours: then there are blocks requested by
 * it and by libc, whose calls it receives, too. Return true in that case.
 * Searched once, however many notices there are.
 */
static bool hands_on(struct ledger_reader *reader)
{
    const struct ledger_text_view *program = &reader->process.program;
    struct ledger_reader sites = *reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_module_view module;
    struct ledger_site_view site;
    unsigned callers = 1;

    while (reader->malloc_callers == 0 &&
           ledger_reader_next_site(&sites, &cursor, &site) > 0) {
        if (site.kind != LEDGER_SITE_HEAP || site.counter.alloc_blocks == 0 ||
            ledger_reader_module(&sites, site.module, &module) <= 0)
            continue;
        callers |= ends_with(&module.path, "/libc.so.6", 10) ? 2 : 0;
        callers |=
            ends_with(&module.path, program->bytes, program->length) ? 4 : 0;
    }
    reader->malloc_callers |= callers;
    return reader->malloc_callers == 7;
}

static int read_notice(struct ledger_reader *reader, struct record record,
                       void *view)
{
    struct ledger_notice_view *notice = view;
    int found;

    READ(notice, record.at, ledger_notice, code);
    if (notice->code == LEDGER_NOTICE_NONE)
        return 0;
    if (notice->code >= LEDGER_NOTICE_COUNT &&
        skip_newer(reader, LEDGER_E_NOTICE, record.at) < 0)
        return reader->error;
    READ(notice, record.at, ledger_notice, times);
    if (notice->times == 0)
        return 0; /* withdrawn */
    found = read_text(reader, record.at + offsetof(struct ledger_notice, text),
                      &notice->text);
    if (found > 0 && notice->code == LEDGER_NOTICE_own_allocator &&
        ends_with(&notice->text, "(malloc)", 8) && hands_on(reader))
        return 0;
    return found;
}

static int read_region(struct ledger_reader *reader, struct record record,
                       void *view)
{
    struct ledger_region_view *region = view;
    uint64_t at = record.at, largest_and_1;

    READ(region, at, ledger_region, kind);
    if (region->kind == LEDGER_REGION_NONE)
        return 0;
    if (region->kind > LEDGER_REGION_K_HEAP)
        return skip_newer(reader, LEDGER_E_REGION, at);
    READ(region, at, ledger_region, is_gone);
    READ(region, at, ledger_region, address);
    READ(region, at, ledger_region, size);
    READ(region, at, ledger_region, block_size);
    region->used =
        at_most(LEDGER_GET(reader, at, ledger_region, used), region->size);
    region->peak =
        at_most(LEDGER_GET(reader, at, ledger_region, peak), region->size);
    READ(region, at, ledger_region, refused);
    READ(region, at, ledger_region, timed_out);
    READ(region, at, ledger_region, waiting);
    READ(region, at, ledger_region, longest_wait_ns);
    READ(region, at, ledger_region, faults);
    largest_and_1 = LEDGER_GET(reader, at, ledger_region, largest_and_1);
    region->knows_largest = largest_and_1 != 0;
    region->largest = largest_and_1 == 0 ? 0
                                         : at_most(largest_and_1 - 1,
                                                   region->size - region->used);
    return read_text(reader, at + offsetof(struct ledger_region, name),
                     &region->name);
}

static int read_sample(struct ledger_reader *reader, struct record record,
                       void *view)
{
    struct ledger_sample *sample = view;

    ledger_reader_words(reader, record.at, sample,
                        sizeof *sample / sizeof(uint64_t));
    return sample->ns != 0; /* any four numbers are a data point */
}

#define NEXT(name, kind, view)                                                 \
    int ledger_reader_next_##name(struct ledger_reader *reader,                \
                                  struct ledger_cursor *cursor,                \
                                  struct view *name)                           \
    {                                                                          \
        return next_record(reader, cursor, LEDGER_SEGMENT_##kind, read_##name, \
                           name);                                              \
    }
NEXT(site, SITES, ledger_site_view)
NEXT(notice, NOTICES, ledger_notice_view)
NEXT(region, REGIONS, ledger_region_view)
NEXT(sample, TIMELINE, ledger_sample)

uint32_t ledger_reader_module_limit(const struct ledger_reader *reader)
{
    uint32_t capacity = LEDGER_DIRECTORY_CAPACITY * LEDGER_MODULES_PER_SEGMENT;
    uint32_t count = LEDGER_HEADER(reader, module_count);

    return count < capacity ? count + 1 : capacity;
}

int ledger_reader_module(struct ledger_reader *reader, uint32_t index,
                         struct ledger_module_view *module)
{
    uint64_t at;
    int found = index == 0
                    ? 0
                    : find_record(reader, LEDGER_SEGMENT_MODULES, index, &at);

    if (found <= 0)
        return found;
    READ(module, at, ledger_module, state);
    if (module->state == LEDGER_MODULE_NONE)
        return 0;
    READ(module, at, ledger_module, build_id_size);
    READ(module, at, ledger_module, start);
    READ(module, at, ledger_module, end);
    READ(module, at, ledger_module, bias);
    if (module->state > LEDGER_MODULE_UNLOADED ||
        module->build_id_size > LEDGER_BUILD_ID_CAPACITY ||
        module->start > module->end)
        return fail(reader, LEDGER_E_MODULE, at);
    memcpy(module->build_id,
           reader->bytes + at + offsetof(struct ledger_module, build_id),
           LEDGER_BUILD_ID_CAPACITY);
    module->is_label = LEDGER_GET(reader, at, ledger_module, is_label) == 1;
    return read_text(reader, at + offsetof(struct ledger_module, path),
                     &module->path);
}

uint32_t ledger_reader_frame_limit(struct ledger_reader *reader)
{
    uint32_t limit = 0;

    for (uint32_t entry = 0; entry < reader->entry_count; entry++) {
        struct ledger_segment segment;

        if (read_entry(reader, entry, &segment) > 0 &&
            segment.kind == LEDGER_SEGMENT_FRAMES && segment.index >= limit)
            limit = segment.index + 1;
    }
    return limit * LEDGER_FRAMES_PER_SEGMENT;
}

static int read_frame(struct ledger_reader *reader, uint64_t at, uint32_t index,
                      struct ledger_frame_view *frame)
{
    READ(frame, at, ledger_frame, address);
    if (frame->address == 0)
        return 0;
    READ(frame, at, ledger_frame, parent);
    READ(frame, at, ledger_frame, module);
    if ((frame->parent >= index && frame->parent != LEDGER_FRAME_CUT) ||
        frame->module >= ledger_reader_module_limit(reader))
        return fail(reader, LEDGER_E_FRAME, at);
    return 1;
}

int ledger_reader_next_frame(struct ledger_reader *reader, uint32_t limit,
                             uint32_t *index, struct ledger_frame_view *frame)
{
    uint32_t next = *index + 1;

    while (next < limit) {
        uint32_t number = next / LEDGER_FRAMES_PER_SEGMENT;
        uint32_t end = (number + 1) * LEDGER_FRAMES_PER_SEGMENT;
        struct ledger_segment segment;
        int found = ledger_reader_segment(reader, LEDGER_SEGMENT_FRAMES, number,
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

int ledger_reader_peak(struct ledger_reader *reader, uint32_t site,
                       struct ledger_peak *peak)
{
    uint64_t at;
    int found = find_record(reader, LEDGER_SEGMENT_PEAKS, site, &at);

    *peak = (struct ledger_peak){ 0 };
    if (found > 0)
        ledger_reader_words(reader, at, peak, 2);
    return found;
}

int ledger_reader_map_peak(struct ledger_reader *reader, uint32_t site,
                           struct ledger_map_peak_view *peak)
{
#define GET(field) LEDGER_GET(reader, peak->offset, ledger_map_peak, field)
    int found;

    *peak = (struct ledger_map_peak_view){ 0 };
    found = find_record(reader, LEDGER_SEGMENT_MAP_PEAKS, site, &peak->offset);
    if (found <= 0)
        return found;
    if (GET(number) == LEDGER_HEADER(reader, map_peak_number)) {
        peak->more.blocks = (uint64_t)GET(pieces);
        peak->more.bytes = (uint64_t)GET(bytes);
    }
    if (GET(reading) == LEDGER_HEADER(reader, map_reading))
        peak->resident = GET(resident);
    return found;
#undef GET
}

#define INFINITY_BITS UINT64_C(0x7ff0000000000000)

int ledger_reader_lifetimes(struct ledger_reader *reader, uint32_t site,
                            struct ledger_lifetimes *lifetimes)
{
    uint64_t at;
    int found = find_record(reader, LEDGER_SEGMENT_LIFETIMES, site, &at);

    *lifetimes = (struct ledger_lifetimes){ 0 };
    if (found <= 0)
        return found;
    for (unsigned i = 0; i < LEDGER_LIFE_COUNT; i++) {
        struct ledger_estimate *sum = &lifetimes->sums[i];

        ledger_reader_words(reader, at, sum, sizeof *sum / sizeof(uint64_t));
        if (reader->minor < 11)
            sum->seen = 0;
        if (sum->blocks_variance >= INFINITY_BITS ||
            sum->bytes_variance >= INFINITY_BITS ||
            ((i == LEDGER_LIFE_INHERITED_BLOCKS ||
              i == LEDGER_LIFE_INHERITED_BYTES) &&
             sum->seen >= INFINITY_BITS))
            return fail(reader, LEDGER_E_LIFETIMES, at);
        at += sizeof *sum;
    }
    return lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples != 0;
}

int ledger_reader_residency(struct ledger_reader *reader, uint32_t site,
                            struct ledger_residency *residency)
{
    const uint64_t limit = UINT64_C(1) << 57; /* so that sums do not wrap */
    const size_t count = sizeof *residency / 8;
    const uint64_t *words = (const uint64_t *)residency;
    uint64_t at;
    int found = find_record(reader, LEDGER_SEGMENT_RESIDENCY, site, &at);

    *residency = (struct ledger_residency){ 0 };
    if (found > 0)
        ledger_reader_words(reader, at, residency, count);
    for (size_t i = 0; found > 0 && i < count; i++) {
        if (words[i] >= limit)
            return fail(reader, LEDGER_E_RESIDENCY, at);
    }
    return found;
}

int ledger_reader_events(struct ledger_reader *reader,
                         struct ledger_events_view *view)
{
    struct ledger_segment segment;
    int found =
        ledger_reader_segment(reader, LEDGER_SEGMENT_EVENTS, 0, &segment);
    uint64_t at;

    if (found <= 0)
        return found;
    at = segment.offset;
    READ(view, at, ledger_events, size);
    READ(view, at, ledger_events, events);
    READ(view, at, ledger_events, overwritten);
    READ(view, at, ledger_events, first_ns);
    READ(view, at, ledger_events, last_ns);
    view->limit = LEDGER_HEADER(reader, copied_limit);
    view->used = LEDGER_HEADER(reader, copied_used);
    view->offset = at + sizeof(struct ledger_events);
    return view->size <= segment.size - sizeof(struct ledger_events)
               ? 1
               : fail(reader, LEDGER_E_EVENTS, at);
}
