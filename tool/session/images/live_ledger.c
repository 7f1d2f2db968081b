/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_ledger.c - find and read a live ledger; see images.h
 *
 * This file is long because it has all bounds on reading the sessions of
 * others.
 */
#include "tool/session/images/images.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USERS = 64, MOST_PROGRAMS = 512, MOST_ANCESTORS = 4096 };

/* limit of CPU time for one user's sessions */
static const uint64_t most_ns = 1000000000;

/* CPU time of this thread at which a search ends; 0: no limit */
static _Thread_local uint64_t look_end;

/* Find the first ledger from `*number` on that has a header. Released ledgers
   have none. */
static bool next_ledger(int fd, uint32_t *number, struct ledger_header *header)
{
    for (;; ++*number) {
        off_t data =
            lseek(fd, (off_t)session_extent_offset(*number), SEEK_DATA);

        if (data < 0 ||
            (look_end != 0 && clock_ns(CLOCK_THREAD_CPUTIME_ID) > look_end))
            return false;
        *number = (uint32_t)((uint64_t)data / SESSION_EXTENT_SIZE - 1);
        if (*number >= SESSION_CAPACITY)
            return false;
        if (ledger_header_read(fd, session_extent_offset(*number), header) ==
                0 &&
            header->pid < SESSION_PID_LIMIT &&
            header->parent_pid < SESSION_PID_LIMIT)
            return true;
    }
}

static bool is_alive(const struct ledger_header *header)
{
    return process_is_alive((pid_t)header->pid, header->start_ticks);
}

/*
 * Find the newest ledger of process `pid`. If there is none and `pid` is a
 * tally record, find the newest ledger of a process that it started.
 */
static bool find_ledger(const struct session_header *session, pid_t pid,
                        struct live_ledger *ledger)
{
    struct ledger_header header;
    bool is_itself = false;

    for (uint32_t number = 0; next_ledger(ledger->fd, &number, &header) &&
                              number < session->ledger_count;
         number++) {
        bool is_named = header.pid == (uint32_t)pid;
        bool is_child = header.parent_pid == (uint32_t)pid && !is_itself;

        if ((is_named || is_child) && is_alive(&header)) {
            ledger->offset = session_extent_offset(number);
            ledger->pid = (pid_t)header.pid;
            is_itself = is_named || is_itself;
        }
    }
    return ledger->offset != 0;
}

/* Find the ledger of the oldest living process. */
static bool find_oldest(int fd, struct ledger_header *header)
{
    for (uint32_t number = 0; next_ledger(fd, &number, header); number++) {
        if (is_alive(header))
            return true;
    }
    return false;
}

/* Find the first ledger of a keeper of the session, such as tally record. */
static bool find_kept(const struct session_header *session, pid_t pid,
                      struct live_ledger *ledger)
{
    struct ledger_header header;

    return session_is_held_by(pid) && find_oldest(ledger->fd, &header) &&
           find_ledger(session, (pid_t)header.pid, ledger);
}

/* A running process of a session, indexed by pid. */
struct seen {
    uint32_t newest; /* 1 + number of its newest ledger; 0: none */
    uint32_t parent;
};

/* Return true if `root` is among the ancestors of `pid`, as far as these are in
   the session. */
static bool is_below(const struct seen *seen, uint32_t root, uint32_t pid)
{
    for (unsigned i = 0; i < MOST_ANCESTORS && pid != 0 && pid != root; i++)
        pid = seen[pid].newest != 0 ? seen[pid].parent : 0;
    return pid == root;
}

int live_ledger_each(const struct live_ledger *root,
                     int (*tell)(const struct live_ledger *ledger,
                                 void *context),
                     void *context)
{
    /* mmap() allocates only touched pages; calloc() would write them all. */
    size_t size = SESSION_PID_LIMIT * sizeof(struct seen);
    struct seen *seen = mmap(NULL, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct ledger_header header;
    int result = 0;

    if (seen == MAP_FAILED)
        return -1;
    for (uint32_t number = 0; next_ledger(root->fd, &number, &header);
         number++) {
        struct seen *process = &seen[header.pid];

        if (header.pid == (uint32_t)root->pid || !is_alive(&header))
            continue;
        if (process->newest == 0)
            process->parent = header.parent_pid;
        process->newest = number + 1;
    }
    for (uint32_t number = 0;
         result == 0 && next_ledger(root->fd, &number, &header); number++) {
        if (seen[header.pid].newest == number + 1 &&
            (root->offset == 0 ||
             is_below(seen, (uint32_t)root->pid, header.pid)))
            result = tell(&(struct live_ledger){ root->fd,
                                                 session_extent_offset(number),
                                                 (pid_t)header.pid },
                          context);
    }
    munmap(seen, size);
    return result;
}

int live_ledger_open(pid_t pid, struct live_ledger *ledger,
                     struct session_failure *failure)
{
    struct session_header session;

    *ledger = (struct live_ledger){ .pid = pid };
    ledger->fd = session_search(pid, &session, failure);
    if (ledger->fd < 0)
        return -1;
    if (session_is_left(ledger->fd)) {
        live_ledger_close(ledger);
        return session_fail(failure,
                            "%ld: no longer attached to; see the file of its "
                            "tally attach, or attach again",
                            (long)pid);
    }
    if (find_ledger(&session, pid, ledger) ||
        find_kept(&session, pid, ledger) ||
        session.control == LEDGER_CONTROL_NEVER)
        return 0;
    live_ledger_close(ledger);
    return session_fail(failure,
                        "%ld: started under tally record, but not "
                        "recorded itself (static, privileged, not "
                        "followed, or without an allocation yet); "
                        "name another process",
                        (long)pid);
}

void live_ledger_close(struct live_ledger *ledger)
{
    if (ledger->fd >= 0)
        close(ledger->fd);
    ledger->fd = -1;
}

/* Copy a ledger. Raised peaks are stored in the session; the data point is only
   in the copy. */
static int take(const struct live_ledger *ledger,
                struct ledger_snapshot *snapshot)
{
    int result = ledger_snapshot_take(ledger->fd, ledger->offset, snapshot);

    if (result == 0)
        timeline_store_close(snapshot, clock_ns(CLOCK_REALTIME));
    return result;
}

int live_ledger_read(const struct live_ledger *ledger,
                     struct ledger_snapshot *snapshot,
                     struct session_failure *failure)
{
    if (ledger->offset == 0)
        return session_fail(failure,
                            "%ld: vm.mem_profiling is never, so there "
                            "are no accounts; record it again without",
                            (long)ledger->pid);
    if (take(ledger, snapshot) == 0)
        return 0;
    if (errno == ENOMSG) /* written and released */
        return session_fail(failure,
                            "%ld: the program has ended; see the "
                            "file of its tally record",
                            (long)ledger->pid);
    return session_fail(failure, "%ld: its ledger cannot be read: %s",
                        (long)ledger->pid, strerror(errno));
}

bool live_ledger_read_resident(const struct live_ledger *ledger,
                               const struct ledger_snapshot *snapshot,
                               struct heap_ranges *ranges)
{
    struct ledger_resident resident;
    struct ledger_totals totals;

    if (!ledger_totals_read(snapshot, clock_ns(CLOCK_REALTIME), &totals))
        return false;
    resident =
        (struct ledger_resident){ .ns = totals.sample.ns,
                                  .live_bytes = totals.sample.live_bytes };
    if (resident_memory_read(ledger->pid, snapshot, &resident, ranges) < 0)
        return false;
    resident_memory_store(snapshot->header, &resident);
    return true;
}

int live_ledger_read_residency(const struct live_ledger *ledger,
                               struct ledger_snapshot *snapshot,
                               struct session_failure *failure)
{
    struct heap_ranges ranges = { 0 };
    bool is_read = live_ledger_read_resident(ledger, snapshot, &ranges);
    int result =
        residency_add(ledger->pid, is_read ? &ranges : NULL, snapshot, failure);

    free(ranges.ranges);
    program_maps_free(&ranges.maps);
    return result;
}

int live_ledger_get(const struct live_ledger *ledger, size_t at, uint32_t *word,
                    struct session_failure *failure)
{
    struct ledger_header header;

    if (ledger->offset == 0)
        return 0;
    if (ledger_header_read(ledger->fd, ledger->offset, &header) < 0)
        return session_fail(failure, "%ld: its ledger cannot be read: %s",
                            (long)ledger->pid, strerror(errno));
    memcpy(word, (const char *)&header + at, sizeof *word);
    return 0;
}

int live_ledger_set(const struct live_ledger *ledger, size_t at, uint32_t word,
                    struct session_failure *failure)
{
    struct ledger_snapshot snapshot;
    char *header;

    /* While recording is off, sites only shrink: update their peaks now. */
    if (at == offsetof(struct ledger_header, control) &&
        take(ledger, &snapshot) == 0)
        ledger_snapshot_free(&snapshot);
    header = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                  ledger->fd, (off_t)ledger->offset);
    if (header == MAP_FAILED)
        return session_fail(failure, "%ld: its ledger cannot be written: %s",
                            (long)ledger->pid, strerror(errno));
    if (at == offsetof(struct ledger_header, control) &&
        word == LEDGER_CONTROL_OFF)
        __atomic_fetch_or(&((struct ledger_header *)(void *)header)->flags,
                          LEDGER_FLAG_PAUSED, __ATOMIC_RELAXED);
    __atomic_store_n((uint32_t *)(void *)(header + at), word, __ATOMIC_RELEASE);
    munmap(header, LEDGER_PAGE);
    return 0;
}

bool live_ledger_is_held(const struct live_ledger *ledger)
{
    struct smaps maps = { .file = process_file(ledger->pid, "maps") };
    struct smaps_entry entry;
    struct stat status;
    bool is_held = maps.file == NULL || fstat(ledger->fd, &status) < 0;

    while (!is_held && smaps_next(&maps, &entry))
        is_held = entry.inode == status.st_ino &&
                  entry.offset >= ledger->offset &&
                  entry.offset < ledger->offset + SESSION_EXTENT_SIZE;
    smaps_end(&maps);
    return is_held;
}

bool live_ledger_is_alive(const struct live_ledger *ledger)
{
    struct ledger_header header;

    if (ledger->offset == 0 || session_is_left(ledger->fd) ||
        ledger_header_read(ledger->fd, ledger->offset, &header) < 0)
        return false;
    return process_is_alive(ledger->pid, header.start_ticks);
}

struct search {
    live_program_fn *tell;
    void *context;
    unsigned char *is_told; /* indexed by pid */
    size_t user_count;
    struct user {
        uint32_t id, programs;
        uint64_t used_ns; /* CPU time */
    } users[USERS], *user;
    struct live_program found;
};

/* Return the entry of a process's user. If `id`, the owner of its folder, is
   root, read the user from its status: root owns the folder of a process that
   forbids dumps. Users beyond the last entry share that entry's bound. */
static struct user *find_user(struct search *search, pid_t pid, uint32_t id)
{
    size_t i = 0;

    if (id == 0)
        id = (uint32_t)process_status_read(pid, "Uid:", 10);
    while (i < search->user_count && search->users[i].id != id)
        i++;
    if (i == USERS)
        return &search->users[USERS - 1];
    search->user_count += i == search->user_count;
    search->users[i].id = id;
    return &search->users[i];
}

static bool is_spent(const struct user *user)
{
    return user->programs >= MOST_PROGRAMS || user->used_ns >= most_ns;
}

/* Report a process if it really maps its ledger, because a session may claim
   anything. */
static int report_program(const struct live_ledger *ledger, void *context)
{
    struct search *search = context;

    if (live_ledger_is_held(ledger)) {
        search->is_told[ledger->pid] = true;
        search->found.ledger = *ledger;
        search->tell(&search->found, search->context);
        search->user->programs++;
    }
    return is_spent(search->user);
}

/* Search the session that a process names or holds, unless its oldest process
   was already reported. */
static void search_session(struct search *search, pid_t pid)
{
    struct session_header session;
    struct session_failure failure;
    struct ledger_header oldest;
    int fd = session_is_named_by(pid) || session_is_held_by(pid)
                 ? session_search(pid, &session, &failure)
                 : -1;

    if (fd >= 0 && !session_is_left(fd) && find_oldest(fd, &oldest) &&
        !search->is_told[oldest.pid]) {
        search->found.program = (pid_t)oldest.pid;
        search->found.start_ns = oldest.start_ns;
        live_ledger_each(&(struct live_ledger){ .fd = fd }, report_program,
                         search);
    }
    if (fd >= 0)
        close(fd);
}

int64_t live_ledger_find_all(live_program_fn *tell, void *context)
{
    struct search search = { .tell = tell, .context = context };
    int64_t cut = -1;
    struct process_walk walk = { .pid = 0 };
    struct stat process;
    char path[32];

    search.is_told = calloc(SESSION_PID_LIMIT, 1);
    while (search.is_told != NULL && process_next(&walk)) {
        pid_t pid = walk.pid;
        uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);

        snprintf(path, sizeof path, "/proc/%ld", (long)pid);
        if (search.is_told[pid] || stat(path, &process) < 0 ||
            (geteuid() != 0 && process.st_uid != geteuid()))
            continue;
        search.user = find_user(&search, pid, process.st_uid);
        search.found.user = search.user->id;
        if (!is_spent(search.user)) {
            look_end = begin + most_ns - search.user->used_ns;
            search_session(&search, pid);
            search.user->used_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
            look_end = 0;
        }
        if (is_spent(search.user))
            cut = search.user->id;
    }
    free(search.is_told);
    return cut;
}
