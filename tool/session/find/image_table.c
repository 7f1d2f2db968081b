/* SPDX-License-Identifier: Apache-2.0 */
/* image_table.c - images and their ledgers; see session_ledgers.h */
#include "tool/session/find/session_ledgers.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "tool/session/find/process_facts.h"

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
 * Add an image. The images of one pid follow each other, so they are added in
 * order, and the latest one has the number of earlier ones.
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
        return; /* not open yet; some never are */
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

    /* Only the used pages of this large table take memory. */
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
    uint64_t inode;       /* inode of the session's file */
    pid_t eldest;         /* the program, or this process, which started it */
    uint64_t start_ticks; /* start of `eldest`; older processes are not in
                             the session */
    const struct session_file *session;
    struct image_table *table;
    uint32_t without;
    bool maps_any; /* true if the current process maps any ledger */
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

static bool has_image(const struct image_table *table, pid_t pid,
                      uint64_t start_ticks)
{
    uint32_t latest = pid < (pid_t)SESSION_PID_LIMIT ? table->latest[pid] : 0;

    return latest != 0 && table->images[latest - 1].start_ticks == start_ticks;
}

/* Return true if the process has an image, or is counted by
   image_table_missing(). */
static bool knows(const struct search *search, pid_t pid, uint64_t start_ticks)
{
    int32_t expected = 0;

    if (has_image(search->table, pid, start_ticks))
        return true;
    (void)!pread(search->session->fd, &expected, sizeof expected,
                 (off_t)(SESSION_EXPECTED + (uint64_t)pid * sizeof expected));
    return expected > 0;
}

/*
 * Return true if a process that hides its mappings may be a child without an
 * image. It has our user, and was started by a process of the session, or is an
 * orphan of one, adopted by an ancestor of the program.
 */
static bool may_be_without(const struct search *search, pid_t pid,
                           struct process_state state)
{
    unsigned real, effective, saved, user = geteuid();
    char words[256];

    process_status_words(pid, "Uid:", words);
    if (sscanf(words, "%u %u %u", &real, &effective, &saved) != 3 ||
        (user != 0 && user != real && user != effective && user != saved) ||
        has_image(search->table, pid, state.start_ticks))
        return false;
    do {
        pid = state.parent;
        if (process_state_read(pid, &state) < 0 || /* it has just ended */
            has_image(search->table, pid, state.start_ticks))
            return true;
    } while (state.start_ticks >= search->start_ticks);
    state.parent = search->eldest;
    while (state.parent > 1 && state.parent != pid &&
           process_state_read(state.parent, &state) == 0)
        ;
    return state.parent == pid;
}

static void search_process(struct search *search, pid_t pid)
{
    struct image_table *table = search->table;
    struct process_state state;
    struct smaps maps = { 0 };
    struct smaps_entry entry;
    bool is_hidden;

    if (process_state_read(pid, &state) < 0 ||
        state.start_ticks < search->start_ticks || state.has_ended)
        return;
    errno = 0;
    search->maps_any = false;
    maps.file = process_file(pid, "maps");
    while (smaps_next(&maps, &entry)) {
        if (entry.inode == search->inode &&
            strncmp(entry.path, "/memfd:tally", 12) == 0)
            mark(search, entry.offset, entry.end - entry.start);
    }
    /* ENOENT, ESRCH: the process has ended or is about to */
    is_hidden = (maps.file == NULL || ferror(maps.file)) && errno != ENOENT &&
                errno != ESRCH;
    /* a forked child without its own ledger */
    search->without += search->maps_any &&
                       !knows(search, pid, state.start_ticks) &&
                       syscall(SYS_kcmp, pid, state.parent, KCMP_VM, 0, 0) != 0;
    smaps_end(&maps);
    if (is_hidden && table->suspect_ticks < state.start_ticks &&
        may_be_without(search, pid, state))
        table->suspect_ticks = state.start_ticks;
}

/*
 * Search all processes. Entries are read one at a time: a buffered list would
 * miss processes that are started meanwhile. The pid of a child comes after its
 * parent's, until pids wrap.
 */
static void search_all(struct search *search, int folder)
{
    union {
        struct dirent64 entry;
        char bytes[64];
    } next;

    search->without = 0;
    lseek(folder, 0, SEEK_SET);
    while (getdents64(folder, &next, sizeof next.bytes) > 0) {
        lseek(folder, next.entry.d_off, SEEK_SET);
        if (isdigit((unsigned char)next.entry.d_name[0]))
            search_process(search, atoi(next.entry.d_name));
    }
}

bool image_table_find_mapped(struct image_table *table,
                             const struct session_file *session,
                             uint32_t *without)
{
    struct search search = { .session = session,
                             .table = table,
                             .eldest = getpid() };
    struct process_state eldest = { 0 };
    struct stat status;
    int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (session->is_adopted && table->count > 0)
        search.eldest = table->images[0].pid;
    for (uint32_t i = 0; i < table->count; i++)
        table->images[i].is_mapped = false;
    table->suspect_ticks = UINT64_MAX;
    if (folder >= 0 && fstat(session->fd, &status) == 0) {
        (void)process_state_read(search.eldest, &eldest);
        search.inode = status.st_ino;
        search.start_ticks = eldest.start_ticks;
        table->suspect_ticks = 0;
        search_all(&search, folder);
        search_all(&search, folder);
    }
    if (folder >= 0)
        close(folder);
    *without = search.without;
    return table->suspect_ticks == 0;
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
