/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_reader.c - the bytes of a ledger, checked, as structs
 *
 * A ledger is valid at every instant of its life, so what a writer has handed
 * out but not yet stored (kind 0) is skipped, and a count that runs ahead of
 * the entries is no damage. Damage is a directory entry that does not lie
 * within the bytes at hand, or is too small for what its kind promises; a kind,
 * state, code or index that no writer of this version stores; and a text
 * outside every TEXT segment.
 *
 * The words that vouch for others are read first, as they were stored last.
 */
#include "format/ledger/ledger_reader.h"

#include <string.h>

enum { SHARD_LIMIT = 1 << 20 };

#define HEADER(field) offsetof(struct ledger_header, field)

static int read_process(struct ledger_reader *reader)
{
    struct ledger_process_view *process = &reader->process;
    int error;

#define READ(field) process->field = LEDGER_HEADER(reader, field)
    READ(pid);
    READ(parent_pid);
    READ(start_ns);
    READ(start_ticks);
    READ(end_ns);
    READ(writer_version);
    READ(ended);
    READ(control);
    READ(flags);
#undef READ
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
    if (LEDGER_HEADER(reader, byte_order) != LEDGER_BYTE_ORDER)
        return ledger_reader_fail(reader, LEDGER_E_BYTE_ORDER,
                                  HEADER(byte_order));
    if (LEDGER_HEADER(reader, major) != LEDGER_MAJOR)
        return ledger_reader_fail(reader, LEDGER_E_MAJOR, HEADER(major));
    reader->minor = LEDGER_HEADER(reader, minor);

    used_bytes = LEDGER_HEADER(reader, used_bytes);
    if (used_bytes < LEDGER_FIRST_SEGMENT)
        return ledger_reader_fail(reader, LEDGER_E_GEOMETRY,
                                  HEADER(used_bytes));
    if (used_bytes > reader->size)
        return ledger_reader_fail(reader, LEDGER_E_TRUNCATED, reader->size);
    if (LEDGER_HEADER(reader, directory_capacity) != LEDGER_DIRECTORY_CAPACITY)
        return ledger_reader_fail(reader, LEDGER_E_GEOMETRY,
                                  HEADER(directory_capacity));
    reader->shard_count = LEDGER_HEADER(reader, shard_count);
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
    return read_u64le(reader->bytes + HEADER(counts) +
                      count * sizeof(uint64_t));
}

static void sum_shards(const struct ledger_reader *reader,
                       struct ledger_record site, struct ledger_counter *sum)
{
    uint32_t slot = site.number % LEDGER_SITES_PER_SEGMENT;
    uint64_t at =
        site.at +
        (LEDGER_SITES_PER_SEGMENT - slot) * sizeof(struct ledger_site) +
        slot * sizeof(struct ledger_counter);

    *sum = (struct ledger_counter){ 0 };
    for (uint32_t shard = 0; shard < reader->shard_count;
         shard++, at += LEDGER_PAGE) {
#define ADD(field) sum->field += LEDGER_GET(reader, at, ledger_counter, field)
        ADD(alloc_blocks);
        ADD(alloc_bytes);
        ADD(free_blocks);
        ADD(free_bytes);
#undef ADD
    }
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

/* A view's field that is stored under the same name. */
#define READ(view, at, type, field) \
    (view)->field = LEDGER_GET(reader, at, type, field)

/* The word that vouches for the rest of a record. */
static uint32_t read_first(const struct ledger_reader *reader, uint64_t at)
{
    return read_u32le_acquire(reader->bytes + at);
}

_Static_assert(offsetof(struct ledger_site, kind) == 0 &&
                   offsetof(struct ledger_notice, code) == 0 &&
                   offsetof(struct ledger_region, kind) == 0 &&
                   offsetof(struct ledger_module, state) == 0,
               "read_first() reads them");

static int read_site(struct ledger_reader *reader, struct ledger_record record,
                     void *view)
{
    struct ledger_site_view *site = view;
    uint64_t at = record.at;
    int found;

    site->kind = read_first(reader, at);
    if (site->kind == LEDGER_SITE_NONE)
        return 0;
    if (site->kind > LEDGER_SITE_MAP)
        return ledger_reader_may_be_newer(reader)
                   ? 0
                   : ledger_reader_fail(reader, LEDGER_E_SITE, at);
    site->id = record.number;
    READ(site, at, ledger_site, module);
    if (site->module >= ledger_reader_module_limit(reader))
        return ledger_reader_fail(reader, LEDGER_E_SITE, at);
    READ(site, at, ledger_site, address);
    READ(site, at, ledger_site, inherited_blocks);
    READ(site, at, ledger_site, inherited_bytes);
    READ(site, at, ledger_site, line);
    site->offset = at;
    sum_shards(reader, record, &site->counter);
    /* As stored, but no more than was ever there. */
    site->peak_seen =
        at_most(LEDGER_GET(reader, at, ledger_site, peak_seen),
                site->inherited_bytes + site->counter.alloc_bytes);
    site->unseen_frees =
        LEDGER_GET(reader, at, ledger_site, place.unseen_frees);
    found = ledger_text_read(reader, at + offsetof(struct ledger_site, place),
                             &site->place);
    site->frame = 0;
    if ((reader->process.flags & LEDGER_FLAG_STACKS) != 0 &&
        site->kind == LEDGER_SITE_HEAP && site->place.length == 0)
        READ(site, at, ledger_site, frame);
    return found;
}

int ledger_reader_next_site(struct ledger_reader *reader,
                            struct ledger_cursor *cursor,
                            struct ledger_site_view *site)
{
    return ledger_record_next(reader, cursor, LEDGER_SEGMENT_SITES, read_site,
                              site);
}

static int read_notice(struct ledger_reader *reader,
                       struct ledger_record record, void *view)
{
    struct ledger_notice_view *notice = view;

    notice->code = read_first(reader, record.at);
    if (notice->code == LEDGER_NOTICE_NONE)
        return 0;
    if (notice->code >= LEDGER_NOTICE_COUNT &&
        !ledger_reader_may_be_newer(reader))
        return ledger_reader_fail(reader, LEDGER_E_NOTICE, record.at);
    READ(notice, record.at, ledger_notice, times);
    if (notice->times == 0)
        return 0; /* taken back */
    return ledger_text_read(reader,
                            record.at + offsetof(struct ledger_notice, text),
                            &notice->text);
}

int ledger_reader_next_notice(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_notice_view *notice)
{
    return ledger_record_next(reader, cursor, LEDGER_SEGMENT_NOTICES,
                              read_notice, notice);
}

static int read_region(struct ledger_reader *reader,
                       struct ledger_record record, void *view)
{
    struct ledger_region_view *region = view;
    uint64_t at = record.at, largest_and_1;

    region->kind = read_first(reader, at);
    if (region->kind == LEDGER_REGION_NONE)
        return 0;
    if (region->kind > LEDGER_REGION_K_HEAP)
        return ledger_reader_may_be_newer(reader)
                   ? 0
                   : ledger_reader_fail(reader, LEDGER_E_REGION, at);
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
    return ledger_text_read(reader, at + offsetof(struct ledger_region, name),
                            &region->name);
}

int ledger_reader_next_region(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_region_view *region)
{
    return ledger_record_next(reader, cursor, LEDGER_SEGMENT_REGIONS,
                              read_region, region);
}

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
    int found = index == 0 ? 0
                           : ledger_record_find(reader, LEDGER_SEGMENT_MODULES,
                                                index, &at);

    if (found <= 0)
        return found;
    module->state = read_first(reader, at);
    if (module->state == LEDGER_MODULE_NONE)
        return 0;
    READ(module, at, ledger_module, build_id_size);
    READ(module, at, ledger_module, start);
    READ(module, at, ledger_module, end);
    READ(module, at, ledger_module, bias);
    if (module->state > LEDGER_MODULE_UNLOADED ||
        module->build_id_size > LEDGER_BUILD_ID_CAPACITY ||
        module->start > module->end)
        return ledger_reader_fail(reader, LEDGER_E_MODULE, at);
    memcpy(module->build_id,
           reader->bytes + at + offsetof(struct ledger_module, build_id),
           LEDGER_BUILD_ID_CAPACITY);
    return ledger_text_read(reader, at + offsetof(struct ledger_module, path),
                            &module->path);
}
