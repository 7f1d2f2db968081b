/* SPDX-License-Identifier: Apache-2.0 */
/* image_table.c - which image has which ledger; see image_table.h */
#include "tool/session/find/image_table.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/ledger_units.h"
#include "tool/session/find/ledger_snapshot.h"
#include "tool/session/find/outer_pid.h"
#include "tool/session/find/process_state.h"

static bool make_room(struct image_table *table, uint32_t count)
{
    struct image *images;

    if (count <= table->capacity)
        return true;
    images = realloc(table->images, 2 * (size_t)count * sizeof *images);
    if (images == NULL)
        return false;
    table->images = images;
    table->capacity = 2 * count;
    return true;
}

/*
 * A process has one image after the other, so the numbers of one pid are opened
 * in order, and the latest knows how many there were.
 */
static void open_image(struct image_table *table, uint32_t number,
                       const struct session_file *session)
{
    struct image *image = &table->images[number];
    struct ledger_header header;
    uint32_t latest;

    if (session->is_inside)
        outer_pid_write(session->fd, session_extent_offset(number));
    if (ledger_header_read(session->fd, session_extent_offset(number),
                           &header) < 0 ||
        header.pid >= SESSION_PID_LIMIT)
        return; /* not open yet, or never */
    latest = table->latest[header.pid];
    image->pid = (pid_t)header.pid;
    image->start_ticks = header.start_ticks;
    image->generation =
        latest == 0 ? 0 : table->images[latest - 1].generation + 1;
    image->is_forked = (header.flags & LEDGER_FLAG_FORKED) != 0;
    image->is_open = true;
    table->latest[header.pid] = number + 1;
}

bool image_table_refresh(struct image_table *table,
                         const struct session_file *session)
{
    uint32_t count = session_file_ledger_count(session);

    /* A table of so many words is memory only where it is used. */
    if (table->latest == NULL)
        table->latest = calloc(SESSION_PID_LIMIT, sizeof *table->latest);
    if (table->latest == NULL || !make_room(table, count))
        return false;
    for (; table->count < count; table->count++)
        table->images[table->count] = (struct image){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        if (!table->images[i].is_open)
            open_image(table, i, session);
    }
    return true;
}

uint32_t image_table_missing(const struct image_table *table,
                             const struct session_file *session, bool are_alive)
{
    enum { WORDS = LEDGER_PAGE / sizeof(uint32_t) };
    uint32_t *taken = calloc(SESSION_PID_LIMIT, sizeof *taken);
    off_t at = (off_t)SESSION_EXPECTED;
    uint32_t words[WORDS];
    uint32_t missing = 0;

    if (taken == NULL)
        return 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct image *image = &table->images[i];
        uint32_t pid = (uint32_t)image->pid;

        if (!image->is_open &&
            pread(session->fd, &pid, sizeof pid,
                  (off_t)(session_extent_offset(i) +
                          offsetof(struct ledger_header, pid))) != sizeof pid)
            continue;
        missing += !image->is_open && !are_alive;
        if (!image->is_forked && pid < SESSION_PID_LIMIT)
            taken[pid]++;
    }
    while (
        (at = lseek(session->fd, at, SEEK_DATA)) >= 0 &&
        at < (off_t)(SESSION_EXPECTED + SESSION_PID_LIMIT * sizeof words[0]) &&
        pread(session->fd, words, sizeof words, at) == sizeof words) {
        uint32_t first =
            (uint32_t)(((uint64_t)at - SESSION_EXPECTED) / sizeof words[0]);

        for (uint32_t i = 0; i < WORDS; i++) {
            int32_t count = (int32_t)(words[i] - taken[first + i]);

            if (count > 0 &&
                (!are_alive || process_is_alive((pid_t)(first + i), 0)))
                missing += (uint32_t)count;
        }
        at += (off_t)sizeof words;
    }
    free(taken);
    return missing;
}

void image_table_free(struct image_table *table)
{
    free(table->images);
    free(table->latest);
    *table = (struct image_table){ 0 };
}

long image_table_find_first(const struct image_table *table, pid_t pid)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->images[i].is_open && table->images[i].pid == pid)
            return (long)i;
    }
    return -1;
}

struct search {
    uint64_t inode;       /* of the session's file */
    uint64_t start_ticks; /* when this process began: older ones are not ours */
    const struct session_file *session;
    struct image_table *table;
    uint32_t without;
    bool maps_any; /* the process that is looked at */
};

static void mark(struct search *search, uint64_t start, uint64_t size)
{
    uint64_t first = start / SESSION_EXTENT_SIZE;
    uint64_t last = (start + size - 1) / SESSION_EXTENT_SIZE;

    for (uint64_t extent = first; extent <= last; extent++) {
        if (extent > 0 && extent <= search->table->count)
            search->table->images[extent - 1].is_mapped = true;
        search->maps_any |= extent > 0;
    }
}

/* A process that hides its maps from us may hold ledgers. */
static bool may_be_ours(pid_t pid)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    /* Root owns the folder of a process that forbids being dumped. */
    return stat(path, &status) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == 0);
}

/* Whether that process has an image here, or image_table_missing() counts
   one. */
static bool knows(const struct search *search, pid_t pid, uint64_t start_ticks)
{
    const struct image_table *table = search->table;
    uint32_t latest = pid < (pid_t)SESSION_PID_LIMIT ? table->latest[pid] : 0;
    int32_t expected = 0;

    if (latest != 0 && table->images[latest - 1].start_ticks == start_ticks)
        return true;
    (void)!pread(search->session->fd, &expected, sizeof expected,
                 (off_t)(SESSION_EXPECTED + (uint64_t)pid * sizeof expected));
    return expected > 0;
}

/* A forked child that has no ledger of its own. */
static bool is_without(const struct search *search, pid_t pid,
                       const struct process_state *state)
{
    return search->maps_any && !knows(search, pid, state->start_ticks) &&
           syscall(SYS_kcmp, pid, state->parent, KCMP_VM, 0, 0) != 0;
}

/* False when the process could hold ledgers but does not show. */
static bool search_process(struct search *search, pid_t pid)
{
    struct process_state state;
    struct smaps maps = { 0 };
    struct smaps_entry entry;
    bool is_read;

    if (process_state_read(pid, &state) < 0 ||
        state.start_ticks < search->start_ticks || state.has_ended)
        return true;
    maps.file = process_file(pid, "maps");
    if (maps.file == NULL) /* ENOENT, ESRCH: it has ended, or is about to */
        return errno == ENOENT || errno == ESRCH || !may_be_ours(pid);
    errno = 0;
    search->maps_any = false;
    while (smaps_next(&maps, &entry)) {
        if (entry.inode == search->inode &&
            strncmp(entry.path, "/memfd:tally", 12) == 0)
            mark(search, entry.offset, entry.end - entry.start);
    }
    is_read = !ferror(maps.file) || errno == ESRCH;
    search->without += is_without(search, pid, &state);
    smaps_end(&maps);
    fclose(maps.file);
    return is_read || !may_be_ours(pid);
}

/*
 * One entry at a time: a buffered list would miss processes that others in it
 * start meanwhile. A child's pid comes after its parent's, until pids wrap.
 */
static bool search_all(struct search *search, int folder)
{
    union {
        struct dirent64 entry;
        char bytes[64];
    } next;
    bool is_complete = true;

    while (getdents64(folder, &next, sizeof next.bytes) > 0) {
        lseek(folder, next.entry.d_off, SEEK_SET);
        if (isdigit((unsigned char)next.entry.d_name[0]))
            is_complete &= search_process(search, atoi(next.entry.d_name));
    }
    return is_complete;
}

bool image_table_find_mapped(struct image_table *table,
                             const struct session_file *session,
                             uint32_t *without)
{
    struct search search = { .session = session, .table = table };
    struct process_state own;
    struct stat status;
    int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_complete = folder >= 0 && fstat(session->fd, &status) == 0 &&
                       process_state_read(getpid(), &own) == 0;

    for (uint32_t i = 0; i < table->count; i++)
        table->images[i].is_mapped = false;
    if (is_complete) {
        search.inode = status.st_ino;
        search.start_ticks = session->is_adopted ? 0 : own.start_ticks;
        is_complete = search_all(&search, folder);
    }
    if (folder >= 0)
        close(folder);
    *without = search.without;
    return is_complete;
}

bool image_has_ended(const struct image_table *table, uint32_t number)
{
    const struct image *image = &table->images[number];

    return !image_is_latest(table, number) ||
           !process_is_alive(image->pid, image->start_ticks);
}

void image_path_write(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                      uint32_t generation)
{
    snprintf(path, IMAGE_PATH_SIZE, "%.*s.d/%ld-%" PRIu32, PATH_MAX, first,
             (long)pid, generation);
}

int image_path_make(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                    uint32_t generation, const char *what,
                    struct session_failure *failure)
{
    snprintf(path, IMAGE_PATH_SIZE, "%.*s.d", PATH_MAX, first);
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return session_fail(failure,
                            "record: %s: %s; %s of other processes are lost",
                            path, strerror(errno), what);
    image_path_write(path, first, pid, generation);
    return 0;
}
