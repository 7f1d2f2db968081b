/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_space.c - windows and segments; see ledger_space.h
 *
 * Touching a page of shared memory for the first time can kill the program
 * (SIGBUS) if the system accounts for memory strictly and has none left. So
 * under overcommit_memory=2 each segment is filled by MADV_POPULATE_WRITE
 * before it is published: that call returns an error instead.
 *
 * The directory's own pages hold 1,920 entries. The last one leads to a segment
 * of more entries, made when the others are in use.
 *
 * This file is long because windows and their segments, in a new process and in
 * a forked child, share one state.
 */
#define _GNU_SOURCE
#include "ledger/space/ledger_space.h"

#include <string.h>
#include <sys/mman.h>

#include "core/base/plain_load.h"
#include "format/invariant.h"
#include "format/ledger/ledger_layout.h"
#include "format/ledger/segments_layout.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
    WINDOW_CAPACITY = 2048, /* the whole extent */
    WINDOWS_OF_CALLS = 8,
    WINDOWS_AHEAD = 64,
};

#define WINDOW UINT64_C(0x200000)

/* free address space wanted behind the first window, in bytes */
#define ROOM_TO_GROW UINT64_C(0x10000000)

enum { NEAR_IN_WINDOW = WINDOW / sizeof(struct ledger_counter) };

uint32_t ledger_space_near;

static struct {
    uint64_t next; /* offset of the first byte not handed out */
    uint32_t directory_next;
    uint64_t more_entries; /* offset of the DIRECTORY segment; 0: none */
    uint32_t shard_count;
    bool is_strict; /* overcommit_memory=2 */
} space;

KEPT static char *windows[WINDOW_CAPACITY];

bool ledger_space_can_touch(void *pages, size_t size)
{
    long result;

    if (!space.is_strict || sandbox_is_closed())
        return true;
    result = raw_madvise(pages, size, MADV_POPULATE_WRITE);
    return result == 0 || result == -22; /* EINVAL: kernels before 5.14 */
}

size_t ledger_space_site_segment_size(void)
{
    return LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site) +
           (size_t)space.shard_count * LEDGER_PAGE +
           ledger_rows_size(space.shard_count + LEDGER_GROWN_ROWS);
}

uint32_t ledger_space_shards(void)
{
    return space.shard_count;
}

bool ledger_space_is_for_calls(void)
{
    return __atomic_load_n(&space.next, __ATOMIC_RELAXED) >
           (WINDOW_CAPACITY - WINDOWS_OF_CALLS) * WINDOW;
}

uint64_t *ledger_space_temporary(const struct ledger_counter *counter,
                                 uint32_t shard)
{
    uintptr_t offset = (uintptr_t)counter % LEDGER_PAGE;
    char *page = (char *)(uintptr_t)counter - offset;

    return (uint64_t *)(void *)(page + space.shard_count * (size_t)LEDGER_PAGE +
                                shard * (size_t)LEDGER_SITES_PER_SEGMENT *
                                    sizeof(uint64_t) +
                                offset / sizeof *counter * sizeof(uint64_t));
}

void ledger_space_count_grown(const struct ledger_counter *counter,
                              uint64_t bytes)
{
    uint64_t *blocks = ledger_space_temporary(counter, space.shard_count);

    __atomic_fetch_add(blocks, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(blocks + LEDGER_SITES_PER_SEGMENT, bytes,
                       __ATOMIC_RELAXED);
}

static void advise_window(char *window)
{
    pages_advise(window, WINDOW);
    if (pages_are_locked())
        pages_unlock(window, WINDOW);
}

/* Map at `place`: replace what is there with MAP_FIXED, else only if it is
   free. */
static char *map_window(char *place, int fixed, int fd, uint64_t offset)
{
    long at = raw_mmap(place, WINDOW, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | fixed, fd, offset);

    if (raw_failed(at))
        return NULL;
    advise_window((char *)(uintptr_t)at);
    return (char *)(uintptr_t)at;
}

/* Move a window directly behind the one before it, if that space is free. */
static char *move_window(char *window, char *before)
{
    char *place = before + WINDOW;
    long at = raw_mmap(place, WINDOW, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                           MAP_FIXED_NOREPLACE,
                       -1, 0);

    if (raw_failed(at))
        return window;
    /* Linux before 4.17 takes the address as a hint */
    if (at != RAW_ARGUMENT(place) ||
        raw_failed(raw_mremap(window, WINDOW, WINDOW,
                              MREMAP_MAYMOVE | MREMAP_FIXED, place))) {
        raw_munmap((void *)(uintptr_t)at, WINDOW);
        return window;
    }
    return place;
}

/* Count near references anew: threads publish windows in any order. */
static void extend_near(void)
{
    uint32_t index = 1;

    while (index < WINDOW_CAPACITY && windows[index] != NULL &&
           windows[index] == windows[index - 1] + WINDOW)
        index++;
    WORD_RAISE(&ledger_space_near, index * NEAR_IN_WINDOW);
}

/* Map window `index` from the one before it; needs no descriptor. */
static char *extend_window(uint32_t index)
{
    char *last_page = windows[index - 1] + WINDOW - LEDGER_PAGE;
    size_t size = WINDOW + LEDGER_PAGE;
    long at = raw_mremap(last_page, 0, size, MREMAP_MAYMOVE, NULL);
    char *held = NULL;
    char *window;

    if (raw_failed(at))
        return NULL;
    raw_munmap((void *)(uintptr_t)at, LEDGER_PAGE);
    window =
        move_window((char *)(uintptr_t)at + LEDGER_PAGE, windows[index - 1]);
    advise_window(window);
    if (__atomic_compare_exchange_n(&windows[index], &held, window, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        extend_near();
        return window;
    }
    raw_munmap(window, WINDOW);
    return held;
}

static char *window_at(uint32_t index)
{
    char *mapped;

    if (index >= WINDOW_CAPACITY)
        return NULL;
    mapped = __atomic_load_n(&windows[index], __ATOMIC_ACQUIRE);
    if (mapped != NULL)
        return mapped;
    for (uint32_t i = 1; i <= index; i++) {
        if (__atomic_load_n(&windows[i], __ATOMIC_ACQUIRE) == NULL &&
            extend_window(i) == NULL)
            return NULL;
    }
    return windows[index];
}

char *ledger_space_at(uint64_t offset)
{
    char *window = window_at((uint32_t)(offset / WINDOW));

    return window == NULL ? NULL : window + offset % WINDOW;
}

char *ledger_space_found(uint64_t offset, size_t size)
{
    return offset < space.next && offset % WINDOW + size <= WINDOW
               ? ledger_space_at(offset)
               : NULL;
}

static struct ledger_header *header(void)
{
    return (struct ledger_header *)(void *)windows[0];
}

enum {
    LAST_ENTRY = LEDGER_DIRECTORY_CAPACITY - 1, /* leads to MORE_SIZE more */
    MORE_SIZE = LEDGER_MORE_ENTRIES * sizeof(struct ledger_directory_entry),
    TIMELINE_SIZE = LEDGER_SAMPLE_CAPACITY * sizeof(struct ledger_sample),
};

/* Return entry `number` of the directory; its pages must be mapped. */
static struct ledger_directory_entry *entry_at(uint32_t number)
{
    if (number < LEDGER_DIRECTORY_CAPACITY)
        return (void *)(windows[0] + LEDGER_HEADER_SIZE +
                        number * sizeof(struct ledger_directory_entry));
    return (void *)(ledger_space_at(space.more_entries) +
                    (number - LEDGER_DIRECTORY_CAPACITY) *
                        sizeof(struct ledger_directory_entry));
}

static struct ledger_header *lay_out(void)
{
    struct ledger_header *opened = header();

    if (!ledger_space_can_touch(opened, LEDGER_FIRST_SEGMENT))
        return NULL;
    opened->major = LEDGER_MAJOR;
    opened->minor = LEDGER_MINOR;
    opened->byte_order = LEDGER_BYTE_ORDER;
    opened->used_bytes = LEDGER_FIRST_SEGMENT;
    opened->shard_count = space.shard_count;
    opened->directory_capacity = LEDGER_DIRECTORY_CAPACITY;
    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++)
        opened->totals[i].room = LEDGER_TOTAL_BATCH;
    return opened;
}

uint64_t ledger_space_take(uint64_t *next, uint64_t piece, size_t size)
{
    uint64_t seen = __atomic_load_n(next, __ATOMIC_RELAXED);
    uint64_t start;

    do
        start =
            seen % piece + size <= piece ? seen : (seen / piece + 1) * piece;
    while (!__atomic_compare_exchange_n(next, &seen, start + size, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return start;
}

static void write_entry(uint32_t number, uint32_t kind, uint32_t index,
                        uint64_t offset, size_t size)
{
    struct ledger_directory_entry *entry = entry_at(number);

    INVARIANT(I2,
              kind != LEDGER_SEGMENT_NONE && offset >= LEDGER_FIRST_SEGMENT);
    INVARIANT(I3, offset + size <= space.next);
    WORD_RAISE(&header()->used_bytes, offset + size);
    /* Include this window in core dumps. Dumping fills its holes with memory,
       so unused windows stay out. */
    if (!sandbox_is_closed())
        raw_madvise(windows[offset / WINDOW], WINDOW, MADV_DODUMP);
    entry->index = index;
    entry->offset = offset;
    entry->size = size;
    __atomic_store_n(&entry->kind, (uint32_t)kind, __ATOMIC_RELEASE);
    WORD_RAISE(&header()->directory_used, number + 1);
}

/* Return the offset of the segment in `slot`, made now if there is none; 0: no
   space. If several threads make it at once, one wins and sets *is_ours. */
static NOINLINE uint64_t claim_segment(uint64_t *slot, size_t size,
                                       bool *is_ours)
{
    uint64_t held = __atomic_load_n(slot, __ATOMIC_ACQUIRE), offset;
    char *segment;

    *is_ours = false;
    if (held != 0)
        return held;
    offset = ledger_space_take(&space.next, WINDOW, size);
    segment = ledger_space_at(offset);
    if (segment == NULL || !ledger_space_can_touch(segment, size))
        return 0;
    /* The loser's space stays empty; no entry names it. */
    *is_ours = __atomic_compare_exchange_n(slot, &held, offset, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return *is_ours ? offset : held;
}

static bool make_more_entries(void)
{
    bool is_ours;
    uint64_t offset = claim_segment(&space.more_entries, MORE_SIZE, &is_ours);

    if (is_ours)
        write_entry(LAST_ENTRY, LEDGER_SEGMENT_DIRECTORY, 0, offset, MORE_SIZE);
    return offset != 0;
}

static bool publish(enum ledger_segment_kind kind, uint32_t index,
                    uint64_t offset, size_t size)
{
    uint32_t number;

    do {
        number = __atomic_fetch_add(&space.directory_next, 1, __ATOMIC_RELAXED);
        if (number >= LEDGER_ENTRY_LIMIT ||
            (number >= LAST_ENTRY && !make_more_entries()))
            return false;
    } while (number == LAST_ENTRY);
    write_entry(number, kind, index, offset, size);
    return true;
}

/* Publish the timeline untouched: tally record fills it and handles
   failures. */
static void publish_timeline(void)
{
    publish(LEDGER_SEGMENT_TIMELINE, 0, LEDGER_FIRST_SEGMENT, TIMELINE_SIZE);
}

/* Return the start of a large free range; NULL: let the kernel choose. */
static char *find_room(void)
{
    long at = raw_mmap(NULL, ROOM_TO_GROW, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (raw_failed(at))
        return NULL;
    raw_munmap((char *)(uintptr_t)at + WINDOW, ROOM_TO_GROW - WINDOW);
    return (char *)(uintptr_t)at;
}

/* Valgrind does not support mremap with an old size of 0. */
static bool can_extend(void)
{
    long at = raw_mremap(windows[0], 0, LEDGER_PAGE, MREMAP_MAYMOVE, NULL);

    return !raw_failed(at) &&
           !raw_failed(raw_munmap((void *)(uintptr_t)at, LEDGER_PAGE));
}

struct ledger_header *ledger_space_open(int fd, uint64_t offset,
                                        uint32_t shard_count, bool will_grow)
{
    struct ledger_header *opened = NULL;
    char overcommit = '0';
    char *room;

    space.shard_count = shard_count;
    space.next = LEDGER_FIRST_SEGMENT;
    space.directory_next = 0;
    space.more_entries = 0;
    raw_read_file("/proc/sys/vm/overcommit_memory", &overcommit, 1);
    space.is_strict = overcommit == '2';
    room = will_grow ? find_room() : NULL;
    windows[0] = map_window(room, room != NULL ? MAP_FIXED : 0, fd, offset);
    ledger_space_near = NEAR_IN_WINDOW;
    if (windows[0] != NULL)
        opened = lay_out();
    if (opened == NULL)
        return NULL;
    if (!can_extend()) { /* map windows while the descriptor is open */
        for (uint32_t i = 1; i < WINDOWS_AHEAD && windows[i - 1] != NULL; i++)
            windows[i] =
                map_window(windows[i - 1] + WINDOW, 0, fd, offset + i * WINDOW);
        extend_near();
    }
    space.next += TIMELINE_SIZE;
    publish_timeline();
    return opened;
}

uint64_t ledger_space_segment(enum ledger_segment_kind kind, uint32_t index,
                              size_t size, uint64_t *slot)
{
    uint64_t offset = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    bool is_ours;

    if (offset != 0) /* each block with short references comes here */
        return offset;
    if (__atomic_load_n(&space.directory_next, __ATOMIC_RELAXED) >=
        LEDGER_ENTRY_LIMIT)
        return 0;
    offset = claim_segment(slot, size, &is_ours);
    return !is_ours || publish(kind, index, offset, size) ? offset : 0;
}

/* the parent's windows, while a child copies them */
static char *parent_windows[WINDOW_CAPACITY];

bool ledger_space_inherit(enum ledger_segment_kind kind, uint32_t index,
                          uint64_t offset, size_t size, size_t inherited)
{
    const char *from = parent_windows[offset / WINDOW];
    char *to = ledger_space_at(offset);

    if (to == NULL || !ledger_space_can_touch(to, size) ||
        !publish(kind, index, offset, size))
        return false;
    /* NULL: the parent never mapped it, so wrote nothing there */
    if (from != NULL)
        memcpy(to, from + offset % WINDOW, inherited);
    return true;
}

/*
 * Map the child's windows over the parent's: an address of the old ledger, such
 * as one in a hot path that a signal handler interrupted, now leads to the new
 * one. The parent's bytes are copied from a second mapping.
 */
static bool replace_windows(int fd, uint64_t offset)
{
    for (uint32_t i = 0; i < WINDOW_CAPACITY && windows[i] != NULL; i++) {
        char *window = windows[i];
        long copy = raw_mremap(window, 0, WINDOW, MREMAP_MAYMOVE, NULL);

        if (raw_failed(copy))
            return false;
        parent_windows[i] = (char *)(uintptr_t)copy;
        window = map_window(window, MAP_FIXED, fd, offset + i * WINDOW);
        if (window == NULL)
            return false;
        INVARIANT(I1, window == windows[i]);
    }
    return true;
}

struct ledger_header *ledger_space_fork(int fd, uint64_t offset,
                                        ledger_inherit *inherit)
{
    struct ledger_header *opened = NULL;

    memset(parent_windows, 0, sizeof parent_windows);
    if (replace_windows(fd, offset))
        opened = lay_out();
    space.directory_next = 0;
    if (opened != NULL) {
        const struct ledger_header *old = (const void *)parent_windows[0];

        opened->program = old->program;
        opened->command_line = old->command_line;
        publish_timeline();
        /* Before a new entry would make that segment again. */
        if (space.more_entries != 0)
            write_entry(LAST_ENTRY, LEDGER_SEGMENT_DIRECTORY, 0,
                        space.more_entries, MORE_SIZE);
        if (!inherit(opened))
            opened = NULL;
    }
    for (uint32_t i = 0; i < WINDOW_CAPACITY && parent_windows[i] != NULL; i++)
        raw_munmap(parent_windows[i], WINDOW);
    return opened;
}

void ledger_space_unlock(void)
{
    pages_unlock(windows, sizeof windows);
    pages_unlock(parent_windows, sizeof parent_windows);
    for (uint32_t i = 0; i < WINDOW_CAPACITY && windows[i] != NULL; i++)
        pages_unlock(windows[i], WINDOW);
}

void ledger_space_close(void)
{
    for (uint32_t i = 0; i < WINDOW_CAPACITY && windows[i] != NULL; i++) {
        raw_munmap(windows[i], WINDOW);
        windows[i] = NULL;
    }
}
