/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_jumps.c - comparing the code of a process with its files
 *
 * The process has a copy of its own only of pages that were written to:
 * /proc/PID/pagemap tells, so no other page is read.
 */
#include "tool/attach/jumps.h"

#include <string.h>
#include <unistd.h>

#include "format/text_after.h"
#include "tool/files/files.h"
#include "tool/session/find/process_state.h"

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

/* A page that is in memory and no page of the file, or was taken out of it. */
static bool is_own_copy(uint64_t word)
{
    return (word & (PAGE_IS_PRESENT | PAGE_IS_SWAPPED)) != 0 &&
           (word & PAGE_IS_FILES) == 0;
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
            if (!is_known || is_own_copy(words[i]))
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
