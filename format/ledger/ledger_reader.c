/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_reader.c - the bytes of a ledger, checked, as structs
 *
 * A ledger is valid at every instant of its life, so what a writer has handed
 * out but not yet stored (kind 0) is skipped, and a count that runs ahead of
 * the entries is no damage. What is damage:
 *
 *   R1  a directory entry that does not lie within the bytes at hand, or is too
 *       small for what its kind promises
 *   R2  a kind, state, code or index that no writer of this version stores
 *   R3  a text outside every TEXT segment
 *
 * The words that vouch for others are read first, as they were stored last.
 * Offsets are found by offsetof in the structs of ledger_layout.h, and words by
 * bytes.h, so that the host's alignment and byte order do not matter.
 */
#include "format/ledger/ledger_reader.h"

#include <string.h>

#include "format/bytes.h"
#include "format/ledger/ledger_directory.h"

enum { SHARD_LIMIT = 1 << 20 };

#define HEADER(field) offsetof(struct ledger_header, field)

static uint32_t header_u32(const struct ledger_reader *reader, size_t offset)
{
    return read_u32le(reader->bytes + offset);
}

static uint64_t header_u64(const struct ledger_reader *reader, size_t offset)
{
    return read_u64le(reader->bytes + offset);
}

static int read_process(struct ledger_reader *reader)
{
    struct ledger_process_view *process = &reader->process;
    int error;

    process->pid = header_u32(reader, HEADER(pid));
    process->parent_pid = header_u32(reader, HEADER(parent_pid));
    process->start_ns = header_u64(reader, HEADER(start_ns));
    process->start_ticks = header_u64(reader, HEADER(start_ticks));
    process->end_ns = header_u64(reader, HEADER(end_ns));
    process->writer_version = header_u32(reader, HEADER(writer_version));
    process->ended = header_u32(reader, HEADER(ended));
    process->control = header_u32(reader, HEADER(control));
    process->flags = header_u32(reader, HEADER(flags));
    if (process->ended > 1)
        return ledger_reader_fail(reader, LEDGER_E_GEOMETRY, HEADER(ended));
    if (process->control > LEDGER_CONTROL_NEVER)
        return ledger_reader_fail(reader, LEDGER_E_GEOMETRY, HEADER(control));

    error = ledger_text_read(reader, HEADER(program), &process->program);
    if (error > 0)
        error = ledger_text_read(reader, HEADER(command_line),
                                 &process->command_line);
    return error < 0 ? error : LEDGER_E_OK;
}

static int check_header(struct ledger_reader *reader)
{
    uint64_t used_bytes;

    if (reader->size < LEDGER_MAGIC_SIZE ||
        memcmp(reader->bytes, LEDGER_MAGIC, LEDGER_MAGIC_SIZE) != 0)
        return ledger_reader_fail(reader, LEDGER_E_MAGIC, 0);
    if (reader->size < LEDGER_FIRST_SEGMENT)
        return ledger_reader_fail(reader, LEDGER_E_TRUNCATED, reader->size);
    if (header_u32(reader, HEADER(byte_order)) != LEDGER_BYTE_ORDER)
        return ledger_reader_fail(reader, LEDGER_E_BYTE_ORDER,
                                  HEADER(byte_order));
    if (read_u16le(reader->bytes + HEADER(major)) != LEDGER_MAJOR)
        return ledger_reader_fail(reader, LEDGER_E_MAJOR, HEADER(major));
    reader->minor = read_u16le(reader->bytes + HEADER(minor));

    used_bytes = header_u64(reader, HEADER(used_bytes));
    if (used_bytes < LEDGER_FIRST_SEGMENT)
        return ledger_reader_fail(reader, LEDGER_E_GEOMETRY,
                                  HEADER(used_bytes));
    if (used_bytes > reader->size)
        return ledger_reader_fail(reader, LEDGER_E_TRUNCATED, reader->size);
    if (header_u32(reader, HEADER(directory_capacity)) !=
        LEDGER_DIRECTORY_CAPACITY)
        return ledger_reader_fail(reader, LEDGER_E_GEOMETRY,
                                  HEADER(directory_capacity));
    reader->shard_count = header_u32(reader, HEADER(shard_count));
    if (reader->shard_count == 0 || reader->shard_count > SHARD_LIMIT)
        return ledger_reader_fail(reader, LEDGER_E_GEOMETRY,
                                  HEADER(shard_count));
    return LEDGER_E_OK;
}

int ledger_reader_open(struct ledger_reader *reader, const unsigned char *bytes,
                       size_t size)
{
    int error;

    *reader = (struct ledger_reader){ .bytes = bytes, .size = size };
    error = check_header(reader);
    if (error < 0)
        return error;
    error = ledger_directory_open(reader);
    return error < 0 ? error : read_process(reader);
}

uint64_t ledger_reader_count(const struct ledger_reader *reader,
                             enum ledger_count count)
{
    return header_u64(reader, HEADER(counts) + count * sizeof(uint64_t));
}

/*
 * Move the cursor to the next slot of a segment of `kind`; 1 with the segment
 * and the slot, 0 at the end. Slot 0 of segment 0 is never used.
 */
static int next_slot(struct ledger_reader *reader, struct ledger_cursor *cursor,
                     uint32_t kind, struct ledger_segment *segment,
                     uint32_t *slot)
{
    while (cursor->entry < ledger_directory_used(reader)) {
        int found = ledger_directory_read(reader, cursor->entry, segment);

        if (found < 0)
            return found;
        if (found > 0 && segment->kind == kind) {
            if (segment->index == 0 && cursor->slot == 0)
                cursor->slot = 1;
            if (cursor->slot < LEDGER_SITES_PER_SEGMENT) {
                *slot = cursor->slot++;
                return 1;
            }
        }
        cursor->entry++;
        cursor->slot = 0;
    }
    return 0;
}

_Static_assert(
    (int)LEDGER_SITES_PER_SEGMENT == (int)LEDGER_MODULES_PER_SEGMENT &&
        (int)LEDGER_SITES_PER_SEGMENT == (int)LEDGER_NOTICES_PER_SEGMENT &&
        (int)LEDGER_SITES_PER_SEGMENT == (int)LEDGER_REGIONS_PER_SEGMENT,
    "next_slot() takes one capacity for all");

static void sum_shards(const struct ledger_reader *reader,
                       const struct ledger_segment *segment, uint32_t slot,
                       struct ledger_counter *sum)
{
    const unsigned char *first =
        reader->bytes + segment->offset +
        LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site) +
        slot * sizeof(struct ledger_counter);

    *sum = (struct ledger_counter){ 0 };
    for (uint32_t shard = 0; shard < reader->shard_count; shard++) {
        const unsigned char *bytes = first + (size_t)shard * LEDGER_PAGE;

        sum->alloc_blocks +=
            read_u64le(bytes + offsetof(struct ledger_counter, alloc_blocks));
        sum->alloc_bytes +=
            read_u64le(bytes + offsetof(struct ledger_counter, alloc_bytes));
        sum->free_blocks +=
            read_u64le(bytes + offsetof(struct ledger_counter, free_blocks));
        sum->free_bytes +=
            read_u64le(bytes + offsetof(struct ledger_counter, free_bytes));
    }
}

/* As stored, but no more than was ever there. */
static uint64_t read_peak(const unsigned char *bytes,
                          const struct ledger_site_view *site)
{
    uint64_t stored =
        read_u64le(bytes + offsetof(struct ledger_site, peak_seen));
    uint64_t most = site->inherited_bytes + site->counter.alloc_bytes;

    return stored < most ? stored : most;
}

/* 1 and the site; 0 when the slot holds none. */
static int read_site(struct ledger_reader *reader,
                     const struct ledger_segment *segment, uint32_t slot,
                     struct ledger_site_view *site)
{
    uint64_t at = segment->offset + slot * sizeof(struct ledger_site);
    const unsigned char *bytes = reader->bytes + at;
    int found;

    site->kind = read_u32le_acquire(bytes + offsetof(struct ledger_site, kind));
    if (site->kind == LEDGER_SITE_NONE)
        return 0;
    if (site->kind > LEDGER_SITE_MAP)
        return ledger_reader_may_be_newer(reader)
                   ? 0
                   : ledger_reader_fail(reader, LEDGER_E_SITE, at);
    site->id = segment->index * LEDGER_SITES_PER_SEGMENT + slot;
    site->module = read_u32le(bytes + offsetof(struct ledger_site, module));
    if (site->module >= ledger_reader_module_limit(reader))
        return ledger_reader_fail(reader, LEDGER_E_SITE, at);
    site->address = read_u64le(bytes + offsetof(struct ledger_site, address));
    site->inherited_blocks =
        read_u64le(bytes + offsetof(struct ledger_site, inherited_blocks));
    site->inherited_bytes =
        read_u64le(bytes + offsetof(struct ledger_site, inherited_bytes));
    site->line = read_u32le(bytes + offsetof(struct ledger_site, line));
    site->offset = at;
    sum_shards(reader, segment, slot, &site->counter);
    site->peak_seen = read_peak(bytes, site);
    site->unseen_frees =
        read_u32le(bytes + offsetof(struct ledger_site, place.unseen_frees));
    found = ledger_text_read(reader, at + offsetof(struct ledger_site, place),
                             &site->place);
    site->frame = 0;
    if ((reader->process.flags & LEDGER_FLAG_STACKS) != 0 &&
        site->kind == LEDGER_SITE_HEAP && site->place.length == 0)
        site->frame = read_u32le(bytes + offsetof(struct ledger_site, frame));
    return found;
}

int ledger_reader_next_site(struct ledger_reader *reader,
                            struct ledger_cursor *cursor,
                            struct ledger_site_view *site)
{
    struct ledger_segment segment;
    uint32_t slot;
    int found;

    while ((found = next_slot(reader, cursor, LEDGER_SEGMENT_SITES, &segment,
                              &slot)) > 0) {
        found = read_site(reader, &segment, slot, site);
        if (found != 0)
            return found;
    }
    return found;
}

static int read_notice(struct ledger_reader *reader, uint64_t at,
                       struct ledger_notice_view *notice)
{
    const unsigned char *bytes = reader->bytes + at;

    notice->code =
        read_u32le_acquire(bytes + offsetof(struct ledger_notice, code));
    if (notice->code == LEDGER_NOTICE_NONE)
        return 0;
    if (notice->code >= LEDGER_NOTICE_COUNT &&
        !ledger_reader_may_be_newer(reader))
        return ledger_reader_fail(reader, LEDGER_E_NOTICE, at);
    notice->times = read_u32le(bytes + offsetof(struct ledger_notice, times));
    if (notice->times == 0)
        return 0; /* taken back */
    return ledger_text_read(reader, at + offsetof(struct ledger_notice, text),
                            &notice->text);
}

int ledger_reader_next_notice(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_notice_view *notice)
{
    struct ledger_segment segment;
    uint32_t slot;
    int found;

    while ((found = next_slot(reader, cursor, LEDGER_SEGMENT_NOTICES, &segment,
                              &slot)) > 0) {
        found = read_notice(
            reader, segment.offset + slot * sizeof(struct ledger_notice),
            notice);
        if (found != 0)
            return found;
    }
    return found;
}

#define REGION(bytes, field) \
    read_u64le((bytes) + offsetof(struct ledger_region, field))

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

static int read_region(struct ledger_reader *reader, uint64_t at,
                       struct ledger_region_view *region)
{
    const unsigned char *bytes = reader->bytes + at;
    uint64_t largest_and_1;

    region->kind =
        read_u32le_acquire(bytes + offsetof(struct ledger_region, kind));
    if (region->kind == LEDGER_REGION_NONE)
        return 0;
    if (region->kind > LEDGER_REGION_K_HEAP)
        return ledger_reader_may_be_newer(reader)
                   ? 0
                   : ledger_reader_fail(reader, LEDGER_E_REGION, at);
    region->is_gone =
        read_u32le(bytes + offsetof(struct ledger_region, is_gone));
    region->address = REGION(bytes, address);
    region->size = REGION(bytes, size);
    region->block_size = REGION(bytes, block_size);
    region->used = at_most(REGION(bytes, used), region->size);
    region->peak = at_most(REGION(bytes, peak), region->size);
    region->refused = REGION(bytes, refused);
    region->timed_out = REGION(bytes, timed_out);
    region->waiting = REGION(bytes, waiting);
    region->longest_wait_ns = REGION(bytes, longest_wait_ns);
    region->faults = REGION(bytes, faults);
    largest_and_1 = REGION(bytes, largest_and_1);
    region->knows_largest = largest_and_1 != 0;
    region->largest = largest_and_1 == 0 ? 0
                                         : at_most(largest_and_1 - 1,
                                                   region->size - region->used);
    return ledger_text_read(reader, at + offsetof(struct ledger_region, name),
                            &region->name);
}

int ledger_reader_next_region(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_region_view *region)
{
    struct ledger_segment segment;
    uint32_t slot;
    int found;

    while ((found = next_slot(reader, cursor, LEDGER_SEGMENT_REGIONS, &segment,
                              &slot)) > 0) {
        found = read_region(
            reader, segment.offset + slot * sizeof(struct ledger_region),
            region);
        if (found != 0)
            return found;
    }
    return found;
}

uint32_t ledger_reader_module_limit(const struct ledger_reader *reader)
{
    uint32_t capacity = LEDGER_DIRECTORY_CAPACITY * LEDGER_MODULES_PER_SEGMENT;
    uint32_t count = header_u32(reader, HEADER(module_count));

    return count < capacity ? count + 1 : capacity;
}

static int read_module(struct ledger_reader *reader, uint64_t at,
                       struct ledger_module_view *module)
{
    const unsigned char *bytes = reader->bytes + at;

    module->state =
        read_u32le_acquire(bytes + offsetof(struct ledger_module, state));
    if (module->state == LEDGER_MODULE_NONE)
        return 0;
    module->build_id_size =
        read_u32le(bytes + offsetof(struct ledger_module, build_id_size));
    module->start = read_u64le(bytes + offsetof(struct ledger_module, start));
    module->end = read_u64le(bytes + offsetof(struct ledger_module, end));
    module->bias = read_u64le(bytes + offsetof(struct ledger_module, bias));
    if (module->state > LEDGER_MODULE_UNLOADED ||
        module->build_id_size > LEDGER_BUILD_ID_CAPACITY ||
        module->start > module->end)
        return ledger_reader_fail(reader, LEDGER_E_MODULE, at);
    memcpy(module->build_id, bytes + offsetof(struct ledger_module, build_id),
           LEDGER_BUILD_ID_CAPACITY);
    return ledger_text_read(reader, at + offsetof(struct ledger_module, path),
                            &module->path);
}

int ledger_reader_module(struct ledger_reader *reader, uint32_t index,
                         struct ledger_module_view *module)
{
    struct ledger_segment segment;
    int found;

    if (index == 0)
        return 0;
    found = ledger_directory_find(reader, LEDGER_SEGMENT_MODULES,
                                  index / LEDGER_MODULES_PER_SEGMENT, &segment);
    if (found <= 0)
        return found;
    return read_module(reader,
                       segment.offset + index % LEDGER_MODULES_PER_SEGMENT *
                                            sizeof(struct ledger_module),
                       module);
}
