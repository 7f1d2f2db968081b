/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.c - see attach.h
 *
 * Jumps are found by comparing the code of a process with its files. It has a
 * copy of its own only of pages that were written to: /proc/PID/pagemap tells,
 * so no other page is read.
 */
#include "tool/attach/attach.h"

#include <string.h>
#include <unistd.h>

#include "format/text_after.h"
#include "tool/files/files.h"
#include "tool/patch/patch.h"

enum { PAGES = 4096 };

/* Pages decide for most words of a stack that no jump covers them. */
struct covering {
    const struct patch_plan *plan;
    bool has_page[PAGES]; /* by the end of its number */
};

static uint64_t page_of(uint64_t address)
{
    return address / 4096 % PAGES;
}

/* Return true if code that goes on there would go on inside a jump. */
static bool is_covered(uint64_t address, const void *context)
{
    const struct covering *covering = context;
    const struct patch_plan *plan = covering->plan;

    if (!covering->has_page[page_of(address)])
        return false;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        if (address > entry->at && address - entry->at < entry->covered_size)
            return true;
    }
    return false;
}

/*
 * A word of a stack that is such an address can only be where a handler returns
 * to, or left over: a call's return address is behind a call, and none is
 * covered.
 */
static bool are_free(const struct stack_words *words,
                     const struct patch_plan *plan)
{
    struct covering covering = { .plan = plan };

    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        covering.has_page[page_of(entry->at)] = true;
        covering.has_page[page_of(entry->at + entry->covered_size)] = true;
    }
    for (size_t i = 0; i < words->tracee->count; i++) {
        if (stack_words_may_have(words, &words->tracee->threads[i], is_covered,
                                 &covering))
            return false;
    }
    return true;
}

static void list_jumps(const struct patch_plan *plan, struct jump_list *list)
{
    list->count = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];
        struct jump *jump = &list->jumps[list->count];

        if (entry->covered_size == 0)
            continue;
        jump->at = entry->at;
        displaced_write_jump(jump->bytes, entry->at,
                             plan->ways[entry->is_far != 0] +
                                 i * (uint64_t)PATCH_CODE);
        memcpy(jump->before, entry->covered, sizeof jump->before);
        list->count++;
    }
}

static bool stands(const struct tracee *tracee, const struct jump *jump)
{
    uint8_t found[PATCH_JUMP];

    return tracee_read(tracee, jump->at, found, sizeof found) &&
           memcmp(found, jump->bytes, sizeof found) == 0;
}

bool jumps_stand(const struct tracee *tracee, const struct jump_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (stands(tracee, &list->jumps[i]))
            return true;
    }
    return false;
}

/* False: not all of them. */
static bool restore(const struct tracee *tracee, const struct jump_list *list)
{
    bool are_written = true;

    for (size_t i = 0; i < list->count; i++) {
        const struct jump *jump = &list->jumps[i];

        if (stands(tracee, jump))
            are_written &= tracee_write(tracee, jump->at, jump->before,
                                        sizeof jump->before);
    }
    return are_written;
}

static bool is_as_planned(const struct tracee *tracee,
                          const struct patch_plan *plan)
{
    uint8_t found[PATCH_COVERED];

    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        if (entry->covered_size != 0 &&
            (!tracee_read(tracee, entry->at, found, entry->covered_size) ||
             memcmp(found, entry->covered, entry->covered_size) != 0))
            return false;
    }
    return true;
}

struct writing {
    struct patch_plan *plan;
    struct jump_list *list;
};

static enum standstill try_to_write(const struct stack_words *words,
                                    void *context)
{
    const struct writing *writing = context;

    const struct jump_list *list = writing->list;
    const struct tracee *tracee = words->tracee;
    bool are_written;

    if (!are_free(words, writing->plan))
        return STANDSTILL_AGAIN;
    are_written = is_as_planned(tracee, writing->plan);
    for (size_t i = 0; i < list->count && are_written; i++)
        are_written = tracee_write(tracee, list->jumps[i].at,
                                   list->jumps[i].bytes, PATCH_JUMP);
    if (!are_written)
        (void)restore(tracee, list);
    return are_written ? STANDSTILL_DONE : STANDSTILL_REFUSED;
}

int jumps_write(struct tracee *tracee, struct patch_plan *plan,
                struct jump_list *list, int limit_ms, uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused =
            "another tool has patched the allocator; stop that tool first",
        .again =
            "a thread stays at an instruction that must be replaced; try again",
    };

    list_jumps(plan, list);
    return standstill(tracee, limit_ms, try_to_write,
                      &(struct writing){ plan, list }, &why, stopped_ns);
}

static enum standstill try_to_remove(const struct stack_words *words,
                                     void *context)
{
    return restore(words->tracee, context) ? STANDSTILL_DONE
                                           : STANDSTILL_REFUSED;
}

int jumps_remove(struct tracee *tracee, struct jump_list *list, int limit_ms,
                 uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused = "cannot write to the program's code; try again",
    };

    return !jumps_stand(tracee, list) /* another command was faster */
               ? 0
               : standstill(tracee, limit_ms, try_to_remove, list, &why,
                            stopped_ns);
}

enum {
    MOST_AREAS = 64,
    MOST_PAGES = 1 << 20, /* 4 GiB of code */
    PAGES_AT_ONCE = 512,
    ROOM = PAGE_BYTES + PATCH_JUMP - 1, /* a jump may go over a page's end */
};

struct search {
    const struct tracee *tracee;
    struct jump_list *list;
    uint64_t areas[MOST_AREAS]; /* of moved code: where each begins */
    size_t area_count;
    uint64_t pages_left;
    int pagemap, file; /* -1: not to be had */
    bool is_complete;
};

static void see_area(struct search *search, const struct smaps_entry *entry)
{
    if (entry->access[2] == 'x' && search->area_count < MOST_AREAS &&
        text_after(entry->path, "/memfd:" PATCH_AREA) != NULL)
        search->areas[search->area_count++] = entry->start;
}

/* Return true if a jump with these bytes at `at` leads to a way to a hook. */
static bool is_ours(const struct search *search, uint64_t at,
                    const uint8_t bytes[PATCH_JUMP])
{
    int32_t away;
    uint64_t into;

    memcpy(&away, bytes + 1, sizeof away);
    for (size_t i = 0; i < search->area_count && *bytes == PATCH_JUMP_CODE;
         i++) {
        into = at + PATCH_JUMP + (uint64_t)(int64_t)away - search->areas[i] -
               PATCH_ROOM;
        if (into < PATCH_ROOM && into % PATCH_CODE == 0)
            return true;
    }
    return false;
}

static void add(struct search *search, uint64_t at, uint64_t offset,
                const uint8_t bytes[PATCH_JUMP])
{
    struct jump_list *list = search->list;
    struct jump *jump = &list->jumps[list->count];

    if (list->count == JUMP_CAPACITY ||
        regular_file_read(search->file, jump->before, PATCH_JUMP, offset) < 0) {
        search->is_complete = false;
    } else if (memcmp(bytes, jump->before, PATCH_JUMP) != 0) {
        jump->at = at;
        memcpy(jump->bytes, bytes, PATCH_JUMP);
        list->count++;
    }
}

static void see_page(struct search *search, uint64_t at, uint64_t end,
                     uint64_t offset)
{
    uint8_t bytes[ROOM];
    size_t size = end - at < ROOM ? (size_t)(end - at) : ROOM;

    if (!tracee_read(search->tracee, at, bytes, size))
        return;
    for (size_t i = 0; i + PATCH_JUMP <= size; i++) {
        if (is_ours(search, at + i, bytes + i))
            add(search, at + i, offset + i, bytes + i);
    }
}

static void see_pages(struct search *search, const struct smaps_entry *entry)
{
    uint64_t words[PAGES_AT_ONCE], at = entry->start;

    while (at < entry->end && search->pages_left > 0) {
        uint64_t left = (entry->end - at) / PAGE_BYTES;
        size_t count = left < PAGES_AT_ONCE ? (size_t)left : PAGES_AT_ONCE;
        bool is_known =
            pagemap_read(search->pagemap, at / PAGE_BYTES, count, words);

        for (size_t i = 0; i < count; i++, at += PAGE_BYTES) {
            /* A page of the file, or none, has no jump. */
            if (!is_known ||
                ((words[i] & (PAGE_IS_PRESENT | PAGE_IS_SWAPPED)) != 0 &&
                 (words[i] & PAGE_IS_FILES) == 0))
                see_page(search, at, entry->end,
                         entry->offset + (at - entry->start));
        }
        search->pages_left -=
            count < search->pages_left ? count : search->pages_left;
    }
    search->is_complete &= at >= entry->end;
}

static void see_code(struct search *search, const struct smaps_entry *entry)
{
    if (entry->access[2] != 'x' || entry->path[0] != '/' ||
        text_after(entry->path, "/memfd:" PATCH_AREA) != NULL)
        return;
    search->file = process_mapped_open(search->tracee->pid, entry);
    see_pages(search, entry);
    if (search->file >= 0)
        close(search->file);
}

typedef void see_fn(struct search *search, const struct smaps_entry *entry);

static void see_maps(struct search *search, see_fn *see)
{
    struct smaps maps = { .file = process_file(search->tracee->pid, "maps") };
    struct smaps_entry entry;

    while (smaps_next(&maps, &entry))
        see(search, &entry);
    smaps_end(&maps);
}

bool jumps_find(const struct tracee *tracee, struct jump_list *list)
{
    struct search search = { .tracee = tracee,
                             .list = list,
                             .pages_left = MOST_PAGES,
                             .is_complete = true };

    list->count = 0;
    see_maps(&search, see_area);
    if (search.area_count == 0)
        return true;
    search.pagemap = process_open(tracee->pid, "pagemap");
    see_maps(&search, see_code);
    if (search.pagemap >= 0)
        close(search.pagemap);
    return search.is_complete;
}
