/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_writer.c - appending records; see ledger_writer.h
 *
 * Ids and indices count up in private memory, so that a forked child goes on
 * where its parent was at the fork. Records of each kind fill segments; the
 * arrays below say where each segment is mapped in this process.
 */
#include "recorder/ledger_writer.h"

#include <string.h>

#include "recorder/ledger_space.h"
#include "recorder/process.h"

enum { SEGMENT_CAPACITY = 64, TEXT_CAPACITY = 512 };

/* A growing list of records of one size, 128 to a segment. */
struct record_list {
    enum ledger_segment_kind kind;
    size_t record_size;
    uint32_t next; /* index of the next record; 0 is never used */
    char *segments[SEGMENT_CAPACITY];
};

static struct record_list modules = {
    LEDGER_SEGMENT_MODULES, sizeof(struct ledger_module), 1, { 0 }
};
static struct record_list notices = {
    LEDGER_SEGMENT_NOTICES, sizeof(struct ledger_notice), 1, { 0 }
};

static struct {
    char *segments[TEXT_CAPACITY];
    uint64_t offsets[TEXT_CAPACITY];
    uint64_t next; /* counted over all segments */
} texts;

static struct {
    struct ledger_site *segments[LEDGER_DIRECTORY_CAPACITY];
    /* The reference of the first site in each; stored after the segment. */
    uint32_t references[LEDGER_DIRECTORY_CAPACITY];
    uint32_t next; /* id of the next site */
} sites = { .next = 1 };

static bool open_segment(char **slot, enum ledger_segment_kind kind,
                         uint32_t index, size_t size, uint64_t *offset)
{
    char *held = NULL;
    char *segment;

    if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) != NULL)
        return true;
    segment = ledger_space_segment(kind, index, size, offset);
    if (segment == NULL)
        return false;
    /* The loser's segment stays in the ledger, empty: readers do not mind. */
    if (!__atomic_compare_exchange_n(slot, &held, segment, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        *offset = 0;
    return true;
}

static void raise_count(uint32_t *count, uint32_t value)
{
    uint32_t held = __atomic_load_n(count, __ATOMIC_RELAXED);

    while (held < value &&
           !__atomic_compare_exchange_n(count, &held, value, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static void *record_at(const struct record_list *list, uint32_t index)
{
    char *segment = list->segments[index / LEDGER_MODULES_PER_SEGMENT];

    return segment + (index % LEDGER_MODULES_PER_SEGMENT) * list->record_size;
}

static void *append(struct record_list *list, uint32_t *index)
{
    uint32_t segment;
    uint64_t offset;

    *index = __atomic_fetch_add(&list->next, 1, __ATOMIC_RELAXED);
    segment = *index / LEDGER_MODULES_PER_SEGMENT;
    if (segment >= SEGMENT_CAPACITY ||
        !open_segment(&list->segments[segment], list->kind, segment,
                      LEDGER_MODULES_PER_SEGMENT * list->record_size, &offset))
        return NULL;
    return record_at(list, *index);
}

/* Room in one segment for the whole text. */
static uint64_t take_text(size_t length)
{
    uint64_t next = __atomic_load_n(&texts.next, __ATOMIC_RELAXED);
    uint64_t start;

    do {
        uint64_t left =
            LEDGER_TEXT_SEGMENT_SIZE - next % LEDGER_TEXT_SEGMENT_SIZE;

        start = length <= left ? next : next + left;
    } while (!__atomic_compare_exchange_n(&texts.next, &next, start + length,
                                          false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return start;
}

struct ledger_text ledger_write_text(const char *text, size_t length)
{
    struct ledger_text none = { 0, 0, 0 };
    uint64_t start, offset = 0;
    uint32_t segment;

    if (length == 0)
        return none;
    if (length > LEDGER_TEXT_SEGMENT_SIZE)
        length = LEDGER_TEXT_SEGMENT_SIZE;
    start = take_text(length);
    segment = (uint32_t)(start / LEDGER_TEXT_SEGMENT_SIZE);
    if (segment >= TEXT_CAPACITY)
        return none;
    if (texts.segments[segment] == NULL) {
        if (!open_segment(&texts.segments[segment], LEDGER_SEGMENT_TEXT,
                          segment, LEDGER_TEXT_SEGMENT_SIZE, &offset))
            return none;
        if (offset != 0)
            __atomic_store_n(&texts.offsets[segment], offset, __ATOMIC_RELEASE);
    }
    offset = __atomic_load_n(&texts.offsets[segment], __ATOMIC_ACQUIRE);
    if (offset == 0) /* its maker has not said yet where it lies */
        return none;
    start %= LEDGER_TEXT_SEGMENT_SIZE;
    memcpy(texts.segments[segment] + start, text, length);
    return (struct ledger_text){ offset + start, (uint32_t)length, 0 };
}

struct ledger_site *ledger_site_at(uint32_t id)
{
    struct ledger_site *segment = __atomic_load_n(
        &sites.segments[id / LEDGER_SITES_PER_SEGMENT], __ATOMIC_ACQUIRE);

    return segment == NULL ? NULL : segment + id % LEDGER_SITES_PER_SEGMENT;
}

uint32_t ledger_reference_of(uint32_t id)
{
    uint32_t first = __atomic_load_n(
        &sites.references[id / LEDGER_SITES_PER_SEGMENT], __ATOMIC_ACQUIRE);

    return first == 0 ? 0 : first + id % LEDGER_SITES_PER_SEGMENT;
}

uint32_t ledger_id_of(uint32_t reference)
{
    uint32_t last = __atomic_load_n(&sites.next, __ATOMIC_RELAXED);

    for (uint32_t i = 0; i <= last / LEDGER_SITES_PER_SEGMENT; i++) {
        uint32_t first =
            __atomic_load_n(&sites.references[i], __ATOMIC_ACQUIRE);

        if (first != 0 && reference - first < LEDGER_SITES_PER_SEGMENT)
            return i * LEDGER_SITES_PER_SEGMENT + (reference - first);
    }
    return 0;
}

struct ledger_site *ledger_site_of(uint32_t reference)
{
    uint32_t id = ledger_id_of(reference);

    return id == 0 ? NULL : ledger_site_at(id);
}

struct ledger_counter *ledger_counter_of(uint32_t reference)
{
    return (struct ledger_counter *)(void *)ledger_space_at(
        reference * (uint64_t)sizeof(struct ledger_counter));
}

/* Two threads may open one segment; the second's stays empty, and unused. */
static bool open_site_segment(uint32_t index)
{
    struct ledger_site *unset = NULL;
    struct ledger_site *segment;
    uint64_t offset;

    while (__atomic_load_n(&sites.references[index], __ATOMIC_ACQUIRE) == 0) {
        segment =
            ledger_space_segment(LEDGER_SEGMENT_SITES, index,
                                 ledger_space_site_segment_size(), &offset);
        if (segment == NULL)
            return false;
        if (!__atomic_compare_exchange_n(&sites.segments[index], &unset,
                                         segment, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            return false; /* its maker has not said yet where it lies */
        offset += LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site);
        __atomic_store_n(&sites.references[index],
                         (uint32_t)(offset / sizeof(struct ledger_counter)),
                         __ATOMIC_RELEASE);
    }
    return true;
}

uint32_t ledger_write_site(enum ledger_site_kind kind, uintptr_t address,
                           uint32_t module)
{
    uint32_t id = __atomic_fetch_add(&sites.next, 1, __ATOMIC_RELAXED);
    struct ledger_site *site;

    if (id / LEDGER_SITES_PER_SEGMENT >= LEDGER_DIRECTORY_CAPACITY ||
        !open_site_segment(id / LEDGER_SITES_PER_SEGMENT))
        return 0;
    site = ledger_site_at(id);
    site->module = module;
    site->address = address;
    site->inherited_blocks = 0;
    site->inherited_bytes = 0;
    __atomic_store_n(&site->kind, (uint32_t)kind, __ATOMIC_RELEASE);
    raise_count(&process.header->site_count, id);
    return id;
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
    raise_count(&process.header->module_count, index);
    return index;
}

struct ledger_module *ledger_module_at(uint32_t index)
{
    return record_at(&modules, index);
}

static char *text_at(struct ledger_text text)
{
    for (uint32_t i = 0; i < TEXT_CAPACITY && texts.segments[i] != NULL; i++) {
        if (text.offset >= texts.offsets[i] &&
            text.offset - texts.offsets[i] < LEDGER_TEXT_SEGMENT_SIZE)
            return texts.segments[i] + (text.offset - texts.offsets[i]);
    }
    return NULL;
}

static struct ledger_notice *find_notice(enum ledger_notice_code code,
                                         const char *text, size_t length)
{
    for (uint32_t i = 1; i < notices.next; i++) {
        struct ledger_notice *notice;

        if (i / LEDGER_NOTICES_PER_SEGMENT >= SEGMENT_CAPACITY ||
            notices.segments[i / LEDGER_NOTICES_PER_SEGMENT] == NULL)
            break;
        notice = record_at(&notices, i);
        if (__atomic_load_n(&notice->code, __ATOMIC_ACQUIRE) != code ||
            notice->text.length != length)
            continue;
        if (length == 0 || memcmp(text_at(notice->text), text, length) == 0)
            return notice;
    }
    return NULL;
}

uint32_t *ledger_write_notice(enum ledger_notice_code code, const char *text)
{
    size_t length = strlen(text);
    struct ledger_notice *notice = find_notice(code, text, length);
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
    notice->text = ledger_write_text(text, length);
    __atomic_store_n(&notice->code, (uint32_t)code, __ATOMIC_RELEASE);
    raise_count(&process.header->notice_count, index);
    return &notice->times;
}

static void adopt_list(struct record_list *list)
{
    for (uint32_t i = 0; i < SEGMENT_CAPACITY; i++)
        list->segments[i] =
            list->segments[i] == NULL ? NULL : ledger_space_find(list->kind, i);
}

void ledger_writer_adopt(struct ledger_header *header)
{
    adopt_list(&modules);
    /* What the parent had to say is said in the parent's ledger. */
    memset(notices.segments, 0, sizeof notices.segments);
    notices.next = 1;
    for (uint32_t i = 0; i < TEXT_CAPACITY; i++) {
        if (texts.segments[i] != NULL)
            texts.segments[i] = ledger_space_find(LEDGER_SEGMENT_TEXT, i);
    }
    for (uint32_t i = 0; i < LEDGER_DIRECTORY_CAPACITY; i++) {
        if (sites.segments[i] != NULL)
            sites.segments[i] = ledger_space_find(LEDGER_SEGMENT_SITES, i);
    }
    header->site_count = sites.next - 1;
    header->module_count = modules.next - 1;
}
