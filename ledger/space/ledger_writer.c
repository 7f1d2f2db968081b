/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_writer.c - appending records; see ledger_writer.h
 *
 * Ids and indices count up in private memory, so that a forked child continues
 * from where its parent was at the fork. Each segment is known by one word, its
 * offset in the ledger. This word decides which of several threads has made the
 * segment, and is valid in a child's ledger too, wherever that is mapped.
 *
 * This file is long because all kinds of records are appended in one way, to
 * lists that are private to it.
 */
#include "ledger/space/ledger_writer.h"

#include <string.h>

#include "core/base/plain_load.h"
#include "format/ledger/ledger_layout.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/process.h"

enum { SEGMENT_CAPACITY = 64, TEXT_CAPACITY = 512, PLACE_CAPACITY = 512 };

struct record_list {
    enum ledger_segment_kind kind;
    uint32_t log2;     /* of the records in a segment */
    uint32_t capacity; /* segments */
    size_t record_size;
    uint64_t *offsets;
    uint32_t next; /* index of the next record; 0 is never used */
};

#define LOG2(number) ((uint32_t)__builtin_ctz(number))

#define LIST(kind, per_segment, capacity, record)                 \
    {                                                             \
        kind, LOG2(per_segment), capacity, sizeof(struct record), \
            (uint64_t[capacity]){ 0 }, 1                          \
    }

static struct record_list modules =
    LIST(LEDGER_SEGMENT_MODULES, LEDGER_MODULES_PER_SEGMENT, SEGMENT_CAPACITY,
         ledger_module);
static struct record_list notices =
    LIST(LEDGER_SEGMENT_NOTICES, LEDGER_NOTICES_PER_SEGMENT, SEGMENT_CAPACITY,
         ledger_notice);
static struct record_list regions =
    LIST(LEDGER_SEGMENT_REGIONS, LEDGER_REGIONS_PER_SEGMENT, SEGMENT_CAPACITY,
         ledger_region);

/* the tree of calls whose leaves are sites */
static struct record_list frames =
    LIST(LEDGER_SEGMENT_FRAMES, LEDGER_FRAMES_PER_SEGMENT,
         LEDGER_FRAME_SEGMENTS, ledger_frame);

/* indexed by site */
static struct record_list peaks =
    LIST(LEDGER_SEGMENT_PEAKS, LEDGER_PEAKS_PER_SEGMENT,
         LEDGER_DIRECTORY_CAPACITY, ledger_peak);
static struct record_list map_peaks =
    LIST(LEDGER_SEGMENT_MAP_PEAKS, LEDGER_PEAKS_PER_SEGMENT,
         LEDGER_DIRECTORY_CAPACITY, ledger_map_peak);
static struct record_list lifetimes =
    LIST(LEDGER_SEGMENT_LIFETIMES, LEDGER_SITES_PER_SEGMENT,
         LEDGER_DIRECTORY_CAPACITY, ledger_lifetimes);
static uint64_t sizes; /* offset of the counts by size, indexed by shard */

static struct record_list texts = { LEDGER_SEGMENT_TEXT,
                                    LOG2(LEDGER_TEXT_SEGMENT_SIZE),
                                    TEXT_CAPACITY,
                                    1,
                                    (uint64_t[TEXT_CAPACITY]){ 0 },
                                    0 };
static uint64_t next_text; /* bytes of text */

/* Tests lower it. */
#ifndef TALLY_SITE_SEGMENTS
#define TALLY_SITE_SEGMENTS 16384
#endif

/* Stacks leave space for single callers: if there is none for a stack, its
   caller is charged. */
enum {
    SITE_SEGMENTS = TALLY_SITE_SEGMENTS,
    SITES_OF_CALLS = 16 * LEDGER_SITES_PER_SEGMENT,
    SITE_LIMIT = SITE_SEGMENTS * LEDGER_SITES_PER_SEGMENT,
    STACK_LIMIT = SITE_LIMIT - SITES_OF_CALLS,
};

_Static_assert((int)SITE_SEGMENTS <= (int)LEDGER_ENTRY_LIMIT, "");

static struct record_list sites = LIST(
    LEDGER_SEGMENT_SITES, LEDGER_SITES_PER_SEGMENT, SITE_SEGMENTS, ledger_site);
/* bit set: the segment has sites outside the heap */
static unsigned char has_others[SITE_SEGMENTS / 8];

static uint32_t per_segment(const struct record_list *list)
{
    return UINT32_C(1) << list->log2;
}

static uint64_t offset_of(const struct record_list *list, uint32_t index)
{
    uint32_t segment = index >> list->log2;

    return segment < list->capacity
               ? __atomic_load_n(&list->offsets[segment], __ATOMIC_ACQUIRE)
               : 0;
}

static void *record_at(const struct record_list *list, uint32_t index)
{
    uint64_t offset = offset_of(list, index);
    char *at = offset == 0 ? NULL : ledger_space_at(offset);

    return at == NULL
               ? NULL
               : at + (index & (per_segment(list) - 1)) * list->record_size;
}

static size_t segment_size(const struct record_list *list)
{
    return list == &sites ? ledger_space_site_segment_size()
                          : per_segment(list) * list->record_size;
}

/* Return the record, in a segment made now if need be. */
static void *make_record(struct record_list *list, uint32_t index)
{
    uint32_t segment = index >> list->log2;
    void *record = record_at(list, index);

    if (record != NULL)
        return record;
    if (segment >= list->capacity ||
        ledger_space_segment(list->kind, segment, segment_size(list),
                             &list->offsets[segment]) == 0)
        return NULL;
    return record_at(list, index);
}

/* Return the next index, or 0 if all below the limit are in use. */
static uint32_t take_index(struct record_list *list, uint32_t limit)
{
    uint32_t index = __atomic_load_n(&list->next, __ATOMIC_RELAXED);

    while (index < limit &&
           !__atomic_compare_exchange_n(&list->next, &index, index + 1, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return index < limit ? index : 0;
}

static void *append(struct record_list *list, uint32_t *index)
{
    *index = take_index(list, list->capacity * per_segment(list));
    return *index == 0 ? NULL : make_record(list, *index);
}

struct ledger_text ledger_write_text(const char *text, size_t length)
{
    struct ledger_text none = { 0, 0, 0 };
    char *at = NULL;
    uint64_t start;

    if (length > LEDGER_TEXT_SEGMENT_SIZE)
        length = LEDGER_TEXT_SEGMENT_SIZE;
    start = ledger_space_take(&next_text, LEDGER_TEXT_SEGMENT_SIZE, length);
    if (length != 0 && start <= UINT32_MAX)
        at = make_record(&texts, (uint32_t)start);
    if (at == NULL)
        return none;
    memcpy(at, text, length);
    return (struct ledger_text){ offset_of(&texts, (uint32_t)start) +
                                     start % LEDGER_TEXT_SEGMENT_SIZE,
                                 (uint32_t)length, 0 };
}

static const uint64_t counters_behind =
    LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site);

uint32_t ledger_site_count(void)
{
    return __atomic_load_n(&sites.next, __ATOMIC_RELAXED) - 1;
}

struct ledger_site *ledger_site_at(uint32_t id)
{
    return record_at(&sites, id);
}

uint32_t ledger_place_of(uint32_t id)
{
    uint64_t offset = offset_of(&sites, id);

    if (offset == 0)
        return 0;
    return (uint32_t)((offset + counters_behind) /
                      sizeof(struct ledger_counter)) +
           id % LEDGER_SITES_PER_SEGMENT;
}

/* Find the site by its counter: sites lie right before a segment's shard 0. */
struct ledger_site *ledger_site_of(uint32_t reference)
{
    uint64_t counter = reference * (uint64_t)sizeof(struct ledger_counter);
    uint64_t shard = counter - counter % LEDGER_PAGE;
    struct ledger_site *segment;

    if (process_is_compressed)
        return ledger_site_at(reference);
    if (shard < LEDGER_FIRST_SEGMENT + counters_behind)
        return NULL;
    segment = (void *)ledger_space_at(shard - counters_behind);
    return segment == NULL ? NULL
                           : segment + reference % LEDGER_SITES_PER_SEGMENT;
}

/* Find the segment by binary search: segments are in the order of their ids,
   unless threads raced. */
uint32_t ledger_id_of(uint32_t reference)
{
    uint64_t counter = reference * (uint64_t)sizeof(struct ledger_counter);
    uint64_t offset = counter - counter % LEDGER_PAGE - counters_behind;
    uint32_t low = 0, high = sites.next / LEDGER_SITES_PER_SEGMENT + 1;

    if (process_is_compressed)
        return reference;
    while (low + 1 < high) {
        uint32_t middle = (low + high) / 2;

        if (sites.offsets[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    if (sites.offsets[low] != offset)
        for (low = 0; low < SITE_SEGMENTS && sites.offsets[low] != offset;
             low++)
            ;
    return low == SITE_SEGMENTS ? 0
                                : low * LEDGER_SITES_PER_SEGMENT +
                                      reference % LEDGER_SITES_PER_SEGMENT;
}

static struct ledger_counter *counter_at(uint32_t place)
{
    return (struct ledger_counter *)(void *)ledger_space_at(
        place * (uint64_t)sizeof(struct ledger_counter));
}

struct ledger_counter *ledger_counter_at(uint32_t id)
{
    return counter_at(ledger_place_of(id));
}

struct ledger_counter *ledger_counter_of(uint32_t reference)
{
    return process_is_compressed ? ledger_counter_at(reference)
                                 : counter_at(reference);
}

enum { SIZES_OF_SHARD = LEDGER_SIZE_CLASSES * sizeof(uint64_t) };

static size_t sizes_size(void)
{
    size_t size = ledger_space_shards() * (size_t)SIZES_OF_SHARD;

    return (size + LEDGER_PAGE - 1) / LEDGER_PAGE * LEDGER_PAGE;
}

uint64_t *ledger_sizes_at(uint32_t shard)
{
    uint64_t offset =
        ledger_space_segment(LEDGER_SEGMENT_SIZES, 0, sizes_size(), &sizes);

    return offset == 0
               ? NULL
               : (void *)ledger_space_at(offset + shard * SIZES_OF_SHARD);
}

struct ledger_peak *ledger_peak_at(uint32_t site)
{
    return make_record(&peaks, site);
}

struct ledger_map_peak *ledger_map_peak_at(uint32_t site)
{
    return make_record(&map_peaks, site);
}

uint32_t ledger_sampled_id_of(uint32_t reference)
{
    uint32_t id = reference == 0 ? 0 : ledger_id_of(reference);

    return id / LEDGER_SITES_PER_SEGMENT < LEDGER_DIRECTORY_CAPACITY ? id : 0;
}

static void add_double(uint64_t *bits, double added)
{
    uint64_t seen = __atomic_load_n(bits, __ATOMIC_RELAXED), next;

    do {
        double sum;

        memcpy(&sum, &seen, sizeof sum);
        sum = sum + added > 0 ? sum + added : 0; /* rounded differences */
        memcpy(&next, &sum, sizeof next);
    } while (!__atomic_compare_exchange_n(bits, &seen, next, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

bool ledger_add_sample(uint32_t site, unsigned which,
                       const struct sample_weight *weight)
{
    struct ledger_lifetimes *added =
        site == 0 ? NULL : make_record(&lifetimes, site);
    struct ledger_estimate *sum;

    if (added == NULL)
        return false;
    sum = &added->sums[which];
    add_double(&sum->blocks_variance, weight->blocks_variance);
    add_double(&sum->bytes_variance, weight->bytes_variance);
    if (which != LEDGER_LIFE_INHERITED_BLOCKS &&
        which != LEDGER_LIFE_INHERITED_BYTES)
        __atomic_fetch_add(&sum->seen, weight->size, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->bytes, weight->bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->blocks, weight->blocks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->samples, 1, __ATOMIC_RELEASE);
    return true;
}

void ledger_add_inherited(uint32_t site, const struct sample_weight *weight,
                          int sign)
{
    struct ledger_lifetimes *added =
        site == 0 ? NULL : make_record(&lifetimes, site);

    if (added == NULL)
        return;
    add_double(&added->sums[LEDGER_LIFE_INHERITED_BLOCKS].seen,
               sign * weight->blocks_variance);
    add_double(&added->sums[LEDGER_LIFE_INHERITED_BYTES].seen,
               sign * weight->bytes_variance);
}

bool ledger_peaks_are_plain(uint32_t site)
{
    uint32_t segment = site / LEDGER_SITES_PER_SEGMENT;

    return (process.header->flags & LEDGER_FLAG_FORKED) == 0 &&
           (has_others[segment / 8] >> segment % 8 & 1) == 0;
}

/* Touch the site's page of peaks now: later there is no time to ask the
   kernel. */
static void open_peak(uint32_t site, uint32_t kind)
{
    uint32_t segment = site / LEDGER_SITES_PER_SEGMENT;
    struct ledger_peak *peak =
        process.is_sampled != 0 ? NULL : ledger_peak_at(site);

    if (peak != NULL)
        *peak = (struct ledger_peak){ 0, 0 };
    if (kind == LEDGER_SITE_MAP)
        (void)ledger_map_peak_at(site);
    if (kind != LEDGER_SITE_HEAP)
        __atomic_fetch_or(&has_others[segment / 8],
                          (unsigned char)(1u << segment % 8), __ATOMIC_RELAXED);
}

static uint32_t write_site(const struct ledger_site *record, uint32_t limit)
{
    uint32_t id = take_index(&sites, limit);
    struct ledger_site *site = id == 0 ? NULL : make_record(&sites, id);

    if (site == NULL)
        return 0;
    open_peak(id, record->kind);
    *site = *record;
    site->kind = LEDGER_SITE_NONE;
    __atomic_store_n(&site->kind, record->kind, __ATOMIC_RELEASE);
    WORD_RAISE(&process.header->site_count, id);
    return id;
}

uint32_t ledger_write_site(enum ledger_site_kind kind, uintptr_t address,
                           uint32_t module)
{
    struct ledger_site site = { .kind = (uint32_t)kind,
                                .module = module,
                                .address = address };

    return write_site(&site, SITE_LIMIT);
}

uint32_t ledger_write_stack(enum ledger_site_kind kind, uintptr_t address,
                            uint32_t module, uint32_t frame)
{
    struct ledger_site site = {
        .kind = kind, .module = module, .address = address, .frame = frame
    };

    if (frame == LEDGER_FRAME_CUT)
        return write_site(&site, SITE_LIMIT);
    return ledger_space_is_for_calls() ? 0 : write_site(&site, STACK_LIMIT);
}

static char *append_text(char *end, const char *text, size_t length)
{
    memcpy(end, text, length);
    end[length] = '\0';
    return end + length + 1;
}

/* Shorten FILE from the left: its end tells files apart. */
static struct ledger_text write_place(const struct tally_place *place)
{
    char text[PLACE_CAPACITY];
    const char *module = place->module == NULL ? "" : place->module;
    size_t file = strlen(place->file);
    size_t function = strnlen(place->function, PLACE_CAPACITY / 4);
    size_t module_length = strnlen(module, PLACE_CAPACITY / 4);
    size_t kept = file < PLACE_CAPACITY / 2 - 3 ? file : PLACE_CAPACITY / 2 - 3;
    char *end = append_text(text, place->file + file - kept, kept);

    end = append_text(end, place->function, function);
    end = append_text(end, module, module_length);
    return ledger_write_text(text, (size_t)(end - text) - 1);
}

uint32_t ledger_write_tag(const struct tally_place *place, uintptr_t address,
                          uint32_t module)
{
    struct ledger_site site = { .kind = LEDGER_SITE_HEAP,
                                .module = module,
                                .address = address,
                                .place = write_place(place),
                                .line = place->line };

    return site.place.length == 0 ? 0 : write_site(&site, SITE_LIMIT);
}

struct ledger_frame *ledger_frame_at(uint32_t index)
{
    return record_at(&frames, index);
}

uint32_t ledger_write_frame(uint32_t parent, uintptr_t address, uint32_t module)
{
    uint32_t index;
    struct ledger_frame *frame =
        ledger_space_is_for_calls() ? NULL : append(&frames, &index);

    if (frame == NULL)
        return 0;
    frame->parent = parent;
    frame->module = module;
    __atomic_store_n(&frame->address, address, __ATOMIC_RELEASE);
    return index;
}

uint32_t ledger_write_module(const struct ledger_module *module)
{
    uint32_t index;
    struct ledger_module *record = append(&modules, &index);

    if (record == NULL) {
        process_count(LEDGER_COUNT_lost_modules, 1);
        return 0;
    }
    *record = *module;
    record->state = LEDGER_MODULE_NONE;
    __atomic_store_n(&record->state, module->state, __ATOMIC_RELEASE);
    WORD_RAISE(&process.header->module_count, index);
    return index;
}

struct ledger_module *ledger_module_at(uint32_t index)
{
    return record_at(&modules, index);
}

static bool is_text(const struct ledger_text *text, const char *wanted)
{
    size_t length = wanted == NULL ? 0 : strlen(wanted);
    const char *found = ledger_space_found(
        __atomic_load_n(&text->offset, __ATOMIC_RELAXED), length);

    return text->length == length &&
           (length == 0 ||
            (found != NULL && memcmp(found, wanted, length) == 0));
}

static struct ledger_notice *find_notice(enum ledger_notice_code code,
                                         const char *text)
{
    for (uint32_t i = 1; i < notices.next; i++) {
        struct ledger_notice *notice = record_at(&notices, i);

        if (notice == NULL)
            break;
        if (__atomic_load_n(&notice->code, __ATOMIC_ACQUIRE) == code &&
            is_text(&notice->text, text))
            return notice;
    }
    return NULL;
}

uint32_t *ledger_write_notice(enum ledger_notice_code code, const char *text)
{
    struct ledger_notice *notice = find_notice(code, text);
    uint32_t index;

    if (notice != NULL) {
        __atomic_fetch_add(&notice->times, 1, __ATOMIC_RELAXED);
        return &notice->times;
    }
    notice = append(&notices, &index);
    if (notice == NULL) {
        process_count(LEDGER_COUNT_lost_notices, 1);
        return NULL;
    }
    notice->times = 1;
    notice->text = ledger_write_text(text, strlen(text));
    __atomic_store_n(&notice->code, (uint32_t)code, __ATOMIC_RELEASE);
    WORD_RAISE(&process.header->notice_count, index);
    return &notice->times;
}

enum { REGION_BUCKETS = 1024 };

/* Regions by address: the last of each hash chain, and each one's
   predecessor. */
static uint32_t last_regions[REGION_BUCKETS];
static uint32_t regions_before[SEGMENT_CAPACITY * LEDGER_MODULES_PER_SEGMENT];

static uint32_t *region_bucket(uintptr_t address)
{
    uint32_t hash = (uint32_t)(address >> 3) * UINT32_C(0x9e3779b1);

    return &last_regions[hash >> 22];
}

/* Return a region that vanished when its object was unloaded, to use it
   again. */
static struct ledger_region *find_gone(enum ledger_region_kind kind,
                                       uintptr_t address, const char *name)
{
    uint32_t index = *region_bucket(address);

    for (; index != 0; index = regions_before[index]) {
        struct ledger_region *region = record_at(&regions, index);

        if (region != NULL && region->is_gone && region->kind == kind &&
            region->address == address && is_text(&region->name, name))
            return region;
    }
    return NULL;
}

struct ledger_region *ledger_write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name)
{
    uint32_t index;

    if (region == NULL)
        region = find_gone(kind, address, name);
    if (region == NULL) {
        region = append(&regions, &index);
        if (region == NULL)
            return NULL;
        regions_before[index] = *region_bucket(address);
        *region_bucket(address) = index;
    }
    region->address = address;
    region->is_gone = 0;
    if (!is_text(&region->name, name))
        region->name = name == NULL ? (struct ledger_text){ 0, 0, 0 }
                                    : ledger_write_text(name, strlen(name));
    __atomic_store_n(&region->kind, (uint32_t)kind, __ATOMIC_RELEASE);
    return region;
}

/* Copy the list up to index `next`; without `content` its records are zero. */
static bool inherit_list(const struct record_list *list, uint32_t next,
                         bool content)
{
    for (uint32_t i = 0; i < list->capacity && i <= next >> list->log2; i++) {
        if (list->offsets[i] != 0 &&
            !ledger_space_inherit(
                list->kind, i, list->offsets[i], segment_size(list),
                content ? per_segment(list) * list->record_size : 0))
            return false;
    }
    return true;
}

bool ledger_writer_inherit(struct ledger_header *header)
{
    /* The parent's notices stay in the parent's ledger. */
    memset(notices.offsets, 0, SEGMENT_CAPACITY * sizeof *notices.offsets);
    notices.next = 1;
    header->site_count = sites.next - 1;
    header->module_count = modules.next - 1;
    return inherit_list(&modules, modules.next, true) &&
           inherit_list(&texts, (uint32_t)next_text, true) &&
           inherit_list(&regions, regions.next, true) &&
           inherit_list(&frames, frames.next, true) &&
           inherit_list(&sites, sites.next, true) &&
           inherit_list(&peaks, sites.next, false) &&
           inherit_list(&map_peaks, sites.next, false) &&
           inherit_list(&lifetimes, sites.next, false) &&
           (sizes == 0 || ledger_space_inherit(LEDGER_SEGMENT_SIZES, 0, sizes,
                                               sizes_size(), 0));
}
