/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_ledger.c - ledgers built by hand, for tests of readers
 *
 * The structs of ledger_layout.h are laid over the bytes, as a writer does, and
 * a little-endian host is assumed.
 */
#include "tests/fakes/fake_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_SIZE = 8 << 20,
    PER_SEGMENT = LEDGER_SITES_PER_SEGMENT,
    LAST_ENTRY = LEDGER_DIRECTORY_CAPACITY - 1, /* points to more entries */
};

static void *at(struct fake_ledger *ledger, uint64_t offset)
{
    return ledger->bytes + offset;
}

struct fake_ledger *fake_ledger_create(uint32_t shard_count)
{
    return fake_ledger_create_large(shard_count, BUFFER_SIZE);
}

struct fake_ledger *fake_ledger_create_large(uint32_t shard_count,
                                             size_t capacity)
{
    struct fake_ledger *ledger = calloc(1, sizeof *ledger);
    struct ledger_header *header;

    if (ledger == NULL || (ledger->bytes = calloc(1, capacity)) == NULL)
        abort();
    ledger->capacity = capacity;
    ledger->size = LEDGER_FIRST_SEGMENT;
    ledger->header = header = at(ledger, 0);
    ledger->directory = at(ledger, LEDGER_HEADER_SIZE);

    memcpy(header->magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    header->major = LEDGER_MAJOR;
    header->minor = LEDGER_MINOR;
    header->byte_order = LEDGER_BYTE_ORDER;
    header->used_bytes = ledger->size;
    header->control = LEDGER_CONTROL_ON;
    header->shard_count = shard_count;
    header->directory_capacity = LEDGER_DIRECTORY_CAPACITY;
    header->pid = 4242;
    header->parent_pid = 4241;
    header->start_ns = 1000;
    header->end_ns = 2000;
    header->ended = 1;
    header->program = fake_ledger_text(ledger, "/bin/fake", 9);
    header->command_line = fake_ledger_text(ledger, "fake\0-x", 7);
    return ledger;
}

void fake_ledger_destroy(struct fake_ledger *ledger)
{
    free(ledger->bytes);
    free(ledger);
}

static struct ledger_directory_entry *entry_of(struct fake_ledger *ledger,
                                               uint32_t number)
{
    if (number < LAST_ENTRY)
        return &ledger->directory[number];
    return (struct ledger_directory_entry *)at(
               ledger, ledger->directory[LAST_ENTRY].offset) +
           (number - LAST_ENTRY);
}

static void fill_entry(struct fake_ledger *ledger,
                       struct ledger_directory_entry *entry, uint32_t kind,
                       uint32_t index, uint64_t size)
{
    uint64_t whole =
        (size + LEDGER_PAGE - 1) / LEDGER_PAGE * (uint64_t)LEDGER_PAGE;

    if (ledger->size + whole > ledger->capacity)
        abort();
    *entry = (struct ledger_directory_entry){
        .kind = kind,
        .index = index,
        .offset = ledger->size,
        .size = whole,
    };
    ledger->size += whole;
    ledger->header->used_bytes = ledger->size;
}

static uint32_t add_segment(struct fake_ledger *ledger, uint32_t kind,
                            uint32_t index, uint64_t size)
{
    uint32_t number = ledger->header->directory_used++;

    if (number == LAST_ENTRY)
        fill_entry(ledger, &ledger->directory[LAST_ENTRY],
                   LEDGER_SEGMENT_DIRECTORY, 0,
                   LEDGER_MORE_ENTRIES * sizeof *ledger->directory);
    fill_entry(ledger, entry_of(ledger, number), kind, index, size);
    return number;
}

unsigned char *fake_ledger_add_history(struct fake_ledger *ledger, size_t size)
{
    uint32_t entry = add_segment(ledger, LEDGER_SEGMENT_HISTORY, 0, size);

    return ledger->bytes + entry_of(ledger, entry)->offset;
}

/* Find the youngest entry, which is written to. UINT32_MAX: there is none. */
static uint32_t find_entry(struct fake_ledger *ledger, uint32_t kind,
                           uint32_t index)
{
    uint32_t i = ledger->header->directory_used;

    while (i-- > 0) {
        if (entry_of(ledger, i)->kind == kind &&
            entry_of(ledger, i)->index == index)
            return i;
    }
    return UINT32_MAX;
}

uint32_t fake_ledger_entry(struct fake_ledger *ledger, uint32_t kind,
                           uint32_t index)
{
    uint32_t found = find_entry(ledger, kind, index);

    if (found == UINT32_MAX)
        abort();
    return found;
}

/* Return the offset of record 0 of the segment that holds number `id` of
   `kind`. */
static uint64_t segment_of(struct fake_ledger *ledger, uint32_t kind,
                           uint32_t id)
{
    return entry_of(ledger, fake_ledger_entry(ledger, kind, id / PER_SEGMENT))
        ->offset;
}

/* Take the next number, with a new segment when the old ones are full. */
static uint32_t take_number(struct fake_ledger *ledger, uint32_t *count,
                            uint32_t kind, uint64_t segment_size)
{
    uint32_t number = ++*count;

    if (number == 1 || number % PER_SEGMENT == 0)
        add_segment(ledger, kind, number / PER_SEGMENT, segment_size);
    return number;
}

struct ledger_text fake_ledger_text(struct fake_ledger *ledger,
                                    const void *bytes, size_t length)
{
    uint32_t entry = add_segment(ledger, LEDGER_SEGMENT_TEXT,
                                 ledger->header->directory_used, length);
    struct ledger_text text = { .offset = entry_of(ledger, entry)->offset,
                                .length = (uint32_t)length };

    memcpy(at(ledger, text.offset), bytes, length);
    return text;
}

uint32_t fake_ledger_add_module(struct fake_ledger *ledger, const char *path,
                                const char *build_id, uint64_t bias)
{
    uint32_t index = take_number(
        ledger, &ledger->header->module_count, LEDGER_SEGMENT_MODULES,
        LEDGER_MODULES_PER_SEGMENT * sizeof(struct ledger_module));
    struct ledger_module *module = fake_ledger_module(ledger, index);

    module->state = LEDGER_MODULE_LOADED;
    module->start = bias;
    module->end = bias + 0x100000;
    module->bias = bias;
    module->path = fake_ledger_text(ledger, path, strlen(path));
    module->build_id_size = (uint32_t)strlen(build_id);
    memcpy(module->build_id, build_id, strlen(build_id));
    return index;
}

uint32_t fake_ledger_add_site(struct fake_ledger *ledger, uint32_t kind,
                              uint32_t module, uint64_t address)
{
    uint32_t id = take_number(
        ledger, &ledger->header->site_count, LEDGER_SEGMENT_SITES,
        PER_SEGMENT * sizeof(struct ledger_site) +
            ledger->header->shard_count * (uint64_t)LEDGER_PAGE +
            ledger_rows_size(ledger->header->shard_count + LEDGER_GROWN_ROWS));
    struct ledger_site *site = fake_ledger_site(ledger, id);

    site->module = module;
    site->address = address;
    site->kind = kind;
    return id;
}

uint32_t fake_ledger_add_notice(struct fake_ledger *ledger, uint32_t code,
                                const char *text)
{
    uint32_t index = take_number(
        ledger, &ledger->header->notice_count, LEDGER_SEGMENT_NOTICES,
        LEDGER_NOTICES_PER_SEGMENT * sizeof(struct ledger_notice));
    struct ledger_notice *notice = fake_ledger_notice(ledger, index);

    notice->code = code;
    notice->times = 1;
    notice->text = fake_ledger_text(ledger, text, strlen(text));
    return index;
}

struct ledger_region *fake_ledger_add_region(struct fake_ledger *ledger,
                                             const char *name)
{
    uint32_t count = 0;
    uint32_t index =
        take_number(ledger, &count, LEDGER_SEGMENT_REGIONS,
                    LEDGER_REGIONS_PER_SEGMENT * sizeof(struct ledger_region));
    struct ledger_text text = fake_ledger_text(ledger, name, strlen(name));
    struct ledger_region *region =
        (struct ledger_region *)at(
            ledger, segment_of(ledger, LEDGER_SEGMENT_REGIONS, index)) +
        index;

    region->name = text;
    region->kind = LEDGER_REGION_SLAB;
    return region;
}

/* Return the segment of this kind and index; create it if there is none. */
static void *get_segment(struct fake_ledger *ledger, uint32_t kind,
                         uint32_t index, uint64_t size)
{
    uint32_t entry = find_entry(ledger, kind, index);

    if (entry == UINT32_MAX)
        entry = add_segment(ledger, kind, index, size);
    return at(ledger, entry_of(ledger, entry)->offset);
}

struct ledger_frame *fake_ledger_frame(struct fake_ledger *ledger,
                                       uint32_t index)
{
    struct ledger_frame *frames = get_segment(
        ledger, LEDGER_SEGMENT_FRAMES, index / LEDGER_FRAMES_PER_SEGMENT,
        LEDGER_FRAMES_PER_SEGMENT * sizeof *frames);

    return &frames[index % LEDGER_FRAMES_PER_SEGMENT];
}

uint32_t fake_ledger_add_frame(struct fake_ledger *ledger, uint32_t parent,
                               uint32_t module, uint64_t address)
{
    uint32_t index = ++ledger->frame_count;

    ledger->header->flags |= LEDGER_FLAG_STACKS;
    *fake_ledger_frame(ledger, index) =
        (struct ledger_frame){ parent, module, address };
    return index;
}

struct ledger_peak *fake_ledger_peak(struct fake_ledger *ledger, uint32_t site)
{
    struct ledger_peak *peaks = get_segment(
        ledger, LEDGER_SEGMENT_PEAKS, site / LEDGER_PEAKS_PER_SEGMENT,
        LEDGER_PEAKS_PER_SEGMENT * sizeof *peaks);

    return &peaks[site % LEDGER_PEAKS_PER_SEGMENT];
}

struct ledger_map_peak *fake_ledger_map_peak(struct fake_ledger *ledger,
                                             uint32_t site)
{
    struct ledger_map_peak *peaks = get_segment(
        ledger, LEDGER_SEGMENT_MAP_PEAKS, site / LEDGER_PEAKS_PER_SEGMENT,
        LEDGER_PEAKS_PER_SEGMENT * sizeof *peaks);

    return &peaks[site % LEDGER_PEAKS_PER_SEGMENT];
}

uint64_t *fake_ledger_temporary(struct fake_ledger *ledger, uint32_t site,
                                uint32_t shard)
{
    uint64_t offset = segment_of(ledger, LEDGER_SEGMENT_SITES, site) +
                      PER_SEGMENT * sizeof(struct ledger_site) +
                      ledger->header->shard_count * (uint64_t)LEDGER_PAGE;

    ledger->header->flags |= LEDGER_FLAG_TEMPORARY;
    return (uint64_t *)at(ledger, offset) + (size_t)shard * PER_SEGMENT +
           site % PER_SEGMENT;
}

uint64_t *fake_ledger_sizes(struct fake_ledger *ledger, uint32_t shard)
{
    uint64_t *sizes =
        get_segment(ledger, LEDGER_SEGMENT_SIZES, 0,
                    ledger->header->shard_count *
                        (uint64_t)LEDGER_SIZE_CLASSES * sizeof *sizes);

    return sizes + (size_t)shard * LEDGER_SIZE_CLASSES;
}

struct ledger_lifetimes *fake_ledger_lifetimes(struct fake_ledger *ledger,
                                               uint32_t site)
{
    struct ledger_lifetimes *lifetimes =
        get_segment(ledger, LEDGER_SEGMENT_LIFETIMES, site / PER_SEGMENT,
                    PER_SEGMENT * sizeof *lifetimes);

    ledger->header->flags |= LEDGER_FLAG_SAMPLED;
    ledger->header->sample_interval = 1000;
    return &lifetimes[site % PER_SEGMENT];
}

struct ledger_residency *fake_ledger_residency(struct fake_ledger *ledger,
                                               uint32_t site)
{
    const uint32_t each = LEDGER_RESIDENCY_PER_SEGMENT;
    struct ledger_residency *residency =
        get_segment(ledger, LEDGER_SEGMENT_RESIDENCY, site / each,
                    each * sizeof *residency);

    return &residency[site % each];
}

void fake_ledger_add_sample(struct fake_ledger *ledger, uint32_t slot,
                            struct ledger_sample sample)
{
    uint32_t entry = 0;

    while (entry < ledger->header->directory_used &&
           ledger->directory[entry].kind != LEDGER_SEGMENT_TIMELINE)
        entry++;
    if (entry == ledger->header->directory_used)
        add_segment(ledger, LEDGER_SEGMENT_TIMELINE, 0,
                    LEDGER_SAMPLE_CAPACITY * sizeof sample);
    ((struct ledger_sample *)at(
        ledger, ledger->directory[entry].offset))[slot] = sample;
}

struct ledger_site *fake_ledger_site(struct fake_ledger *ledger, uint32_t id)
{
    return (struct ledger_site *)at(
               ledger, segment_of(ledger, LEDGER_SEGMENT_SITES, id)) +
           id % PER_SEGMENT;
}

struct ledger_counter *fake_ledger_counter(struct fake_ledger *ledger,
                                           uint32_t id, uint32_t shard)
{
    uint64_t offset = segment_of(ledger, LEDGER_SEGMENT_SITES, id) +
                      PER_SEGMENT * sizeof(struct ledger_site) +
                      shard * (uint64_t)LEDGER_PAGE;

    return (struct ledger_counter *)at(ledger, offset) + id % PER_SEGMENT;
}

struct ledger_module *fake_ledger_module(struct fake_ledger *ledger,
                                         uint32_t index)
{
    return (struct ledger_module *)at(
               ledger, segment_of(ledger, LEDGER_SEGMENT_MODULES, index)) +
           index % PER_SEGMENT;
}

struct ledger_notice *fake_ledger_notice(struct fake_ledger *ledger,
                                         uint32_t index)
{
    return (struct ledger_notice *)at(
               ledger, segment_of(ledger, LEDGER_SEGMENT_NOTICES, index)) +
           index % PER_SEGMENT;
}

void fake_ledger_save(const struct fake_ledger *ledger, const char *path)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL ||
        fwrite(ledger->bytes, 1, ledger->size, file) != ledger->size ||
        fclose(file) != 0)
        abort();
}
