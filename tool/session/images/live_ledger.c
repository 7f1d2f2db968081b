/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_ledger.c - finding and reading a live ledger; see live_ledger.h
 *
 * This file is long because all that reads sessions of others is bounded here.
 */
#include "tool/session/images/live_ledger.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/session/clock.h"
#include "tool/session/find/left_session.h"
#include "tool/session/find/process_state.h"
#include "tool/session/find/session_file.h"
#include "tool/session/sampling/residency.h"
#include "tool/session/sampling/timeline.h"

/* The first ledger from `*number` on that has a header: those given back have
   none. */
static bool next_ledger(int fd, uint32_t *number, struct ledger_header *header)
{
    for (;; ++*number) {
        off_t data =
            lseek(fd, (off_t)session_extent_offset(*number), SEEK_DATA);

        if (data < 0)
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
 * The newest ledger whose process is `pid`; failing that, the newest whose
 * process `pid` started, when `pid` is a tally record.
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

/* Of the process that has lived longest. */
static bool find_oldest(int fd, struct ledger_header *header)
{
    for (uint32_t number = 0; next_ledger(fd, &number, header); number++) {
        if (is_alive(header))
            return true;
    }
    return false;
}

/* What keeps the session with tally record stands for it. */
static bool find_kept(const struct session_header *session, pid_t pid,
                      struct live_ledger *ledger)
{
    struct ledger_header header;

    return session_is_held_by(pid) && find_oldest(ledger->fd, &header) &&
           find_ledger(session, (pid_t)header.pid, ledger);
}

/* Note the newest ledgers of processes below those noted. Whether there were
   any. */
static bool note_below(const struct live_ledger *root, uint32_t *newest)
{
    struct ledger_header header;
    bool has_changed = false;

    for (uint32_t number = 0; next_ledger(root->fd, &number, &header);
         number++) {
        if ((root->offset == 0 ||
             (newest[header.pid] | newest[header.parent_pid]) != 0) &&
            newest[header.pid] <= number && is_alive(&header)) {
            newest[header.pid] = number + 1;
            has_changed = true;
        }
    }
    return has_changed;
}

int live_ledger_each(const struct live_ledger *root,
                     int (*tell)(const struct live_ledger *ledger,
                                 void *context),
                     void *context)
{
    /* The kernel has zeros for what is used; calloc() would write them all. */
    size_t size = SESSION_PID_LIMIT * sizeof(uint32_t);
    uint32_t *newest = mmap(NULL, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct ledger_header header;
    int result = 0;

    if (newest == MAP_FAILED)
        return -1;
    newest[root->pid] = SESSION_CAPACITY; /* leaves it out */
    while (note_below(root, newest))
        ;
    for (uint32_t number = 0;
         result == 0 && next_ledger(root->fd, &number, &header); number++) {
        if (newest[header.pid] == number + 1 && is_alive(&header))
            result = tell(&(struct live_ledger){ root->fd,
                                                 session_extent_offset(number),
                                                 (pid_t)header.pid },
                          context);
    }
    munmap(newest, size);
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

/* A reading: the peaks that it finds are kept, the sample is only in the
   copy. */
static int take(const struct live_ledger *ledger,
                struct ledger_snapshot *snapshot)
{
    int result = ledger_snapshot_take(ledger->fd, ledger->offset, snapshot);

    if (result == 0)
        timeline_store_close(snapshot, clock_ns(CLOCK_REALTIME), NULL);
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
    if (errno == ENOMSG) /* written and given back */
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

    /* While recording is off, sites can only shrink: note their peaks now. */
    if (at == offsetof(struct ledger_header, control) &&
        take(ledger, &snapshot) == 0)
        ledger_snapshot_free(&snapshot);
    header = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                  ledger->fd, (off_t)ledger->offset);
    if (header == MAP_FAILED)
        return session_fail(failure, "%ld: its ledger cannot be written: %s",
                            (long)ledger->pid, strerror(errno));
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
    if (maps.file != NULL)
        fclose(maps.file);
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

/*
 * The program that a process is part of, and when it began: of a session's
 * processes the oldest that lives, rather than what it started a moment ago.
 * False when not recorded or ours.
 */
static bool find_program(struct live_program *found, bool *is_holder)
{
    struct session_failure failure;
    struct live_ledger ledger;
    struct ledger_header header;
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%ld", (long)found->process);
    if (stat(path, &status) < 0 ||
        (geteuid() != 0 && status.st_uid != geteuid()) ||
        !(session_is_named_by(found->process) ||
          (*is_holder = session_is_held_by(found->process))) ||
        live_ledger_open(found->process, &ledger, &failure) < 0)
        return false;
    found->has_ledger = ledger.pid == found->process && ledger.offset != 0;
    if (find_oldest(ledger.fd, &header)) {
        found->program = (pid_t)header.pid;
        found->start_ns = header.start_ns;
    }
    live_ledger_close(&ledger);
    /* It is attached to, or a tally record, which has no ledger. */
    return found->start_ns != 0 && (found->has_ledger || !*is_holder);
}

/* Of a tally record: processes that have written over their environment. What
   stands for it when it is killed, its child, has the same session. */
static void tell_unnamed(pid_t holder,
                         void (*tell)(const struct live_program *program,
                                      void *context),
                         void *context)
{
    struct live_program found = { .has_ledger = true };
    struct session_failure failure;
    struct process_state state;
    struct live_ledger ledger;
    struct ledger_header header;

    if (process_state_read(holder, &state) < 0 ||
        session_is_held_by(state.parent) ||
        live_ledger_open(holder, &ledger, &failure) < 0)
        return;
    for (uint32_t number = 0; next_ledger(ledger.fd, &number, &header);
         number++) {
        found.process = (pid_t)header.pid;
        if (!is_alive(&header))
            continue;
        if (found.start_ns == 0) {
            found.program = found.process;
            found.start_ns = header.start_ns;
        }
        if (!session_is_named_by(found.process) &&
            !session_is_held_by(found.process))
            tell(&found, context);
    }
    live_ledger_close(&ledger);
}

void live_ledger_find_all(void (*tell)(const struct live_program *program,
                                       void *context),
                          void *context)
{
    struct dirent *entry;
    DIR *folder = opendir("/proc");

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        struct live_program found = { .process = (pid_t)atol(entry->d_name) };

        bool is_holder = false;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (find_program(&found, &is_holder))
            tell(&found, context);
        else if (is_holder)
            tell_unnamed(found.process, tell, context);
    }
    if (folder != NULL)
        closedir(folder);
}

static void keep_newest(const struct live_program *program, void *newest)
{
    struct live_program *kept = newest;

    if (program->start_ns > kept->start_ns)
        *kept = *program;
}

pid_t live_ledger_find_newest(void)
{
    struct live_program newest = { .program = -1 };

    live_ledger_find_all(keep_newest, &newest);
    return newest.program;
}
