/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resident_memory.c - see sampling.h
 *
 * glibc maps a thread's stack with a guard page below it, and maps arenas of
 * its allocator without reserving swap: this tells them apart. A whole mapping
 * is a thread's stack if its flags exclude other memory in it (Linux 6.7 and
 * later), or if it is no larger than a stack. Otherwise its lowest part is.
 *
 * This file is long because a mapping is judged by the one before it, by the
 * loaded files, and by the table of the process's own mappings.
 */
#include "tool/session/sampling/sampling.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_GUARD_BYTES   (UINT64_C(1) << 20)
#define MOST_UNKNOWN_BYTES (UINT64_C(1) << 20)

static const char our_file[] = "libtally-record";

/* default limit of mappings of a process in Linux */
enum { MOST_MAPS = 1 << 20, TRIES = 3, MOST_MAP_PAGES = 1 << 24 };

static bool read_table(struct program_maps *maps, pid_t pid, uint64_t address)
{
    struct ledger_map_table table;
    size_t size;

    if (address == 0 ||
        !other_memory_read(pid, address, &table, sizeof table) ||
        table.count > MOST_MAPS)
        return false;
    if (table.count == 0)
        return true;
    size = (size_t)table.count * sizeof *maps->maps;
    maps->maps = malloc(size);
    if (maps->maps == NULL ||
        !other_memory_read(pid, table.address, maps->maps, size))
        return false;
    maps->count = (size_t)table.count;
    for (size_t i = 0; i < maps->count; i++) {
        if (maps->maps[i].start >= maps->maps[i].end ||
            (i > 0 && maps->maps[i].start < maps->maps[i - 1].end))
            return false;
    }
    return true;
}

void program_maps_read(struct program_maps *maps, pid_t pid, uint64_t address)
{
    *maps = (struct program_maps){ 0 };
    for (unsigned tries = 0; tries < TRIES && !maps->is_known; tries++) {
        maps->is_known = read_table(maps, pid, address);
        if (!maps->is_known)
            program_maps_free(maps);
    }
}

void program_maps_free(struct program_maps *maps)
{
    free(maps->maps);
    free(maps->resident);
    *maps = (struct program_maps){ 0 };
}

/* Return the first map that ends above `address`. */
static size_t find(const struct program_maps *maps, uint64_t address)
{
    size_t low = 0, high = maps->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (maps->maps[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool program_maps_next(const struct program_maps *maps, uint64_t *from,
                       uint64_t end, uint64_t *to)
{
    size_t i = find(maps, *from);

    while (i < maps->count && (maps->maps[i].site & LEDGER_MAP_STACK) != 0)
        i++;
    if (*from >= end || i == maps->count || maps->maps[i].start >= end)
        return false;
    if (maps->maps[i].start > *from)
        *from = maps->maps[i].start;
    *to = maps->maps[i].end < end ? maps->maps[i].end : end;
    return true;
}

/* a loaded file and the range of its variables */
struct loaded {
    uint64_t start;
    uint64_t end;
    bool is_ours;
};

struct reading {
    pid_t pid;
    const struct ledger_snapshot *snapshot;
    struct program_maps maps;
    struct loaded *loaded;
    size_t loaded_count;
    uint64_t inode; /* inode of the session's file */
    uint64_t stack_size;
    int pagemap;
    bool has_ledger;
    struct smaps_entry previous;
    uint64_t map_pages; /* pages read so far for `maps` */
    struct ledger_resident sum;
    struct heap_ranges *ranges; /* NULL: not requested */
};

static bool is_private(const struct smaps_entry *entry)
{
    return entry->access[3] == 'p';
}

/* Return true if the file name begins with the recorder's. */
static bool is_our_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && strncmp(slash + 1, our_file, strlen(our_file)) == 0;
}

/* Return the loaded file whose range contains `entry`, or NULL. */
static const struct loaded *find_loaded(const struct reading *reading,
                                        const struct smaps_entry *entry)
{
    for (size_t i = 0; i < reading->loaded_count; i++) {
        if (entry->start > reading->loaded[i].start &&
            entry->start < reading->loaded[i].end)
            return &reading->loaded[i];
    }
    return NULL;
}

/* Return true for variables of a file that is not in the ledger, because none
   of its calls is known. */
static bool is_behind_file(const struct smaps_entry *entry,
                           const struct smaps_entry *file)
{
    return file->end == entry->start && file->path[0] == '/' &&
           is_private(file) && entry->path[0] == '\0' &&
           entry->end - entry->start <= MOST_UNKNOWN_BYTES;
}

/* Return true for memory right above a guard area, other than an arena of
   libc's allocator. */
static bool is_above_guard(const struct smaps_entry *entry,
                           const struct smaps_entry *guard)
{
    return (entry->flags & SMAPS_NO_RESERVE) == 0 && entry->path[0] == '\0' &&
           guard->end == entry->start && strcmp(guard->access, "---p") == 0 &&
           guard->path[0] == '\0' &&
           guard->end - guard->start <= MOST_GUARD_BYTES &&
           (guard->flags & SMAPS_NO_RESERVE) == 0;
}

/* Add [start, end) of `entry` to the heap's ranges. If memory runs out, leave
   it out. */
static void add_range(struct reading *reading, const struct smaps_entry *entry,
                      uint64_t start, uint64_t end)
{
    struct heap_ranges *ranges = reading->ranges;
    struct heap_range *grown;

    if (ranges == NULL || start >= end ||
        (entry->resident == 0 && entry->swapped == 0))
        return;
    if ((ranges->count & (ranges->count - 1)) == 0) { /* full: the count is a
                                                         power of two */
        grown =
            reallocarray(ranges->ranges, 2 * ranges->count + 1, sizeof *grown);
        if (grown == NULL)
            return;
        ranges->ranges = grown;
    }
    ranges->ranges[ranges->count++] =
        (struct heap_range){ start, end, entry->huge, entry->shared != 0 };
}

/* Set *part to the bytes of `entry` below `limit`, which belong to `row`. The
   rest is heap. */
static uint64_t *split_at(struct reading *reading,
                          const struct smaps_entry *entry, uint64_t limit,
                          uint64_t *row, uint64_t *part)
{
    if (limit >= entry->end ||
        present_pages_count(reading->pagemap, entry->start, limit, part)) {
        add_range(reading, entry, limit, entry->end);
        return row;
    }
    *part = entry->resident;
    return &reading->sum.unexplained;
}

/* Set *part to the bytes mapped by the process itself. The rest is heap. */
static uint64_t *mixed_row(struct reading *reading,
                           const struct smaps_entry *entry, uint64_t *part)
{
    uint64_t from = entry->start, to, bytes, rest = from;

    *part = 0;
    for (; program_maps_next(&reading->maps, &from, entry->end, &to);
         rest = from = to) {
        add_range(reading, entry, rest, from);
        if (!present_pages_count(reading->pagemap, from, to, &bytes)) {
            *part = entry->resident;
            return &reading->sum.unexplained;
        }
        *part += bytes;
    }
    add_range(reading, entry, rest, entry->end);
    return &reading->sum.maps;
}

static uint64_t *anonymous_row(struct reading *reading,
                               const struct smaps_entry *entry, uint64_t *part)
{
    const uint32_t ours = SMAPS_NOT_DUMPED | SMAPS_NO_HUGE_PAGES;
    const struct loaded *loaded = find_loaded(reading, entry);
    struct ledger_resident *sum = &reading->sum;
    uint64_t from = entry->start, to, cover = 0;

    for (; program_maps_next(&reading->maps, &from, entry->end, &to); from = to)
        cover += to - from;
    if (cover == entry->end - entry->start)
        return &sum->maps;
    if (cover > 0)
        return mixed_row(reading, entry, part);
    if ((entry->flags & ours) == ours)
        return &sum->tally;
    if (loaded != NULL)
        return split_at(reading, entry, loaded->end,
                        loaded->is_ours ? &sum->tally : &sum->files, part);
    if (is_behind_file(entry, &reading->previous))
        return is_our_file(reading->previous.path) ? &sum->tally : &sum->files;
    if (is_above_guard(entry, &reading->previous))
        return split_at(reading, entry,
                        (entry->flags & SMAPS_NO_HUGE_PAGES) != 0
                            ? entry->end
                            : reading->previous.start + reading->stack_size,
                        &sum->stacks, part);
    return is_private(entry) && strncmp(entry->access, "rw", 2) == 0
               ? &sum->heap
               : &sum->unexplained;
}

/* Return the row of `*part` of the entry, initially the whole. The rest is
   heap. */
static uint64_t *row_of(struct reading *reading,
                        const struct smaps_entry *entry, uint64_t *part)
{
    struct ledger_resident *sum = &reading->sum;
    uint64_t extent = reading->snapshot->offset;

    if (entry->inode == reading->inode &&
        strncmp(entry->path, "/memfd:tally", 12) == 0) {
        reading->has_ledger |= entry->offset >= extent &&
                               entry->offset - extent < SESSION_EXTENT_SIZE;
        return &sum->tally;
    }
    if (entry->path[0] == '\0' || strncmp(entry->path, "[anon", 5) == 0 ||
        strncmp(entry->path, "/dev/zero", 9) == 0 ||
        strcmp(entry->path, "[heap]") == 0)
        return anonymous_row(reading, entry, part);
    if (is_our_file(entry->path))
        return &sum->tally;
    if (strncmp(entry->path, "[stack", 6) == 0)
        return &sum->stacks;
    return entry->path[0] == '/' || strncmp(entry->path, "[v", 2) == 0
               ? &sum->files
               : &sum->unexplained;
}

/* Add the resident bytes of an entry to its maps, for at most MOST_MAP_PAGES
   pages in all. */
static void add_to_maps(struct reading *reading,
                        const struct smaps_entry *entry)
{
    const struct program_maps *maps = &reading->maps;
    size_t i = find(maps, entry->start);

    for (; maps->resident != NULL && entry->resident != 0 && i < maps->count &&
           maps->maps[i].start < entry->end;
         i++) {
        uint64_t from = maps->maps[i].start, to = maps->maps[i].end;
        uint64_t bytes = entry->resident;

        from = from > entry->start ? from : entry->start;
        to = to < entry->end ? to : entry->end;
        if (to - from != entry->end - entry->start) {
            reading->map_pages += (to - from) / PAGE_BYTES;
            if (reading->map_pages > MOST_MAP_PAGES ||
                !present_pages_count(reading->pagemap, from, to, &bytes))
                bytes = 0;
        }
        maps->resident[i] += bytes;
    }
}

static void add(struct reading *reading, const struct smaps_entry *entry)
{
    uint64_t part = entry->resident;
    uint64_t *row = row_of(reading, entry, &part);

    add_to_maps(reading, entry);
    if (row == &reading->sum.heap)
        add_range(reading, entry, entry->start, entry->end);
    if (part > entry->resident)
        part = entry->resident;
    *row += part;
    reading->sum.heap += entry->resident - part;
}

static bool load_modules(struct reading *reading)
{
    const struct ledger_snapshot *snapshot = reading->snapshot;
    struct ledger_reader reader;
    uint32_t limit;

    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return false;
    limit = ledger_reader_module_limit(&reader);
    reading->loaded = calloc((size_t)limit + 1, sizeof *reading->loaded);
    if (reading->loaded == NULL)
        return false;
    for (uint32_t i = 1; i < limit; i++) {
        struct loaded *loaded = &reading->loaded[reading->loaded_count];
        struct ledger_module_view module;
        char path[SMAPS_PATH_CAPACITY];
        size_t length;

        if (ledger_reader_module(&reader, i, &module) != 1 ||
            module.state != LEDGER_MODULE_LOADED)
            continue;
        length = module.path.length < sizeof path ? module.path.length : 0;
        if (length > 0)
            memcpy(path, module.path.bytes, length);
        path[length] = '\0';
        *loaded =
            (struct loaded){ module.start, module.end, is_our_file(path) };
        reading->loaded_count++;
    }
    return true;
}

static bool read_mappings(struct reading *reading)
{
    struct smaps smaps = { .file = process_file(reading->pid, "smaps") };
    struct smaps_entry entry;

    while (smaps_next(&smaps, &entry)) {
        add(reading, &entry);
        reading->previous = entry;
    }
    smaps_end(&smaps);
    return reading->has_ledger;
}

int resident_memory_read(pid_t pid, const struct ledger_snapshot *snapshot,
                         struct ledger_resident *resident,
                         struct heap_ranges *ranges)
{
    struct reading reading = { .pid = pid,
                               .snapshot = snapshot,
                               .ranges = ranges };
    struct stat status;
    struct rlimit limit;
    bool is_read = false;

    if (fstat(snapshot->fd, &status) < 0)
        return -1;
    reading.inode = status.st_ino;
    reading.stack_size = prlimit(pid, RLIMIT_STACK, NULL, &limit) < 0 ||
                                 limit.rlim_cur == RLIM_INFINITY
                             ? UINT64_C(2) << 20 /* glibc's default */
                             : limit.rlim_cur;
    reading.pagemap = process_open(pid, "pagemap");
    program_maps_read(&reading.maps, pid, snapshot->header->map_table);
    if (ranges != NULL)
        reading.maps.resident =
            calloc(reading.maps.count + 1, sizeof *reading.maps.resident);
    if (load_modules(&reading))
        is_read = read_mappings(&reading);
    reading.sum.live_bytes = resident->live_bytes;
    reading.sum.ns = resident->ns;
    reading.sum.highest = process_status_read(pid, "VmHWM:", 10) * 1024;
    if (reading.maps.is_known)
        reading.sum.flags |= LEDGER_RESIDENT_MAPS_KNOWN;
    /* A process that does not map the ledger is not the recorded one. */
    if (!is_read && ranges != NULL) {
        free(ranges->ranges);
        *ranges = (struct heap_ranges){ 0 };
    }
    if (is_read && ranges != NULL)
        ranges->maps = reading.maps;
    else
        program_maps_free(&reading.maps);
    free(reading.loaded);
    if (reading.pagemap >= 0)
        close(reading.pagemap);
    *resident = reading.sum;
    return is_read ? 0 : -1;
}
