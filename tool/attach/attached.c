/* SPDX-License-Identifier: Apache-2.0 */
/* attached.c - see attach.h */
#include "tool/attach/attach.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/recorder_image.h"
#include "format/text_after.h"

enum { LIMIT_MS = 2000, END_LIMIT_MS = 10000, STACK = 256 << 10 };

/* State of one attachment until it is done. */
struct step {
    struct attached *attached;
    struct patch_plan plan;
    struct tracee *tracee;
    struct remote remote;
    uint64_t stack; /* for calls, lowest byte; 0: the thread's own */
};

static int call(struct step *step, uint64_t address,
                const uint64_t arguments[6], uint64_t *result)
{
    const struct remote_function function = {
        .address = address,
        .stack = step->stack == 0 ? 0 : step->stack + STACK,
    };

    return remote_call(&step->remote, &function, arguments, result);
}

static int call_recorder(struct step *step, const char *name, uint64_t argument,
                         uint64_t *result)
{
    const uint64_t arguments[6] = { argument };
    uint64_t function = entries_find(step->tracee->pid, LOAD_RECORDER, name);

    return function == 0
               ? session_fail(step->tracee->failure,
                              "attach: the program has loaded another version "
                              "of the recorder; restart the program")
               : call(step, function, arguments, result);
}

/* Unmap the stack of our calls, which no call uses any more. */
static void unmap_stack(struct step *step)
{
    const uint64_t arguments[6] = { step->stack, STACK };
    uint64_t function = entries_find(step->attached->pid, "libc.so", "munmap");
    uint64_t result;

    step->stack = 0;
    if (function != 0)
        (void)call(step, function, arguments, &result);
}

static int open_session(struct step *step,
                        const struct session_header *settings,
                        struct session_file *session)
{
    char path[64];
    uint64_t number;

    if (call_recorder(step, "tally_record_open", 0, &number) < 0)
        return -1;
    if ((int64_t)number < 0)
        return session_fail(step->tracee->failure,
                            "attach: cannot create a ledger in the program: it "
                            "is recorded already, or has no file descriptor "
                            "left");
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)step->attached->pid,
             (int)number);
    return session_file_adopt(session, path, process_user(step->attached->pid),
                              settings, step->tracee->failure);
}

/*
 * The plan is handed over, and the ways come back, in memory of the program
 * that none of its children shares: the lowest of the stack for our calls.
 */
static int open_ledger(struct step *step, struct session_file *session)
{
    struct patch_plan *plan = &step->plan;
    uint64_t is_recorded;

    if (!tracee_write(step->tracee, step->stack, plan, sizeof *plan))
        return session_fail(
            step->tracee->failure,
            "attach: the process has executed another program; try again");
    if (call_recorder(step, "tally_record_attach", step->stack, &is_recorded) <
        0)
        return -1;
    if (is_recorded == 0 ||
        !tracee_read(step->tracee,
                     step->stack + offsetof(struct patch_plan, ways),
                     plan->ways, sizeof plan->ways))
        return session_fail(step->tracee->failure,
                            "attach: no free addresses near the program for "
                            "the recorder's memory; try again");
    session->is_inside = outer_pid_is_needed(step->attached->pid);
    if (session->is_inside)
        outer_pid_write(session->fd, session_extent_offset(0));
    return 0;
}

/* Each thread of the program runs on meanwhile. */
static int prepare(struct step *step, const char *library,
                   const struct session_header *settings,
                   struct session_file *session)
{
    int result;

    if (remote_open(&step->remote, step->tracee) < 0)
        return -1;
    if (load_is_done(step->attached->pid) &&
        renew(&step->remote,
              entries_find(step->attached->pid, LOAD_RECORDER, RECORDER_IMAGE),
              LIMIT_MS, &step->attached->stopped_ns) < 0) {
        remote_close(&step->remote);
        return -1;
    }
    result = remote_map(&step->remote, STACK, &step->stack);
    if (result == 0)
        result = load_recorder(&step->remote, library, step->stack,
                               step->stack + STACK);
    if (result == 0)
        result = open_session(step, settings, session);
    if (result == 0)
        result = open_ledger(step, session);
    if (result == 0)
        unmap_stack(step);
    remote_close(&step->remote);
    return result;
}

int attached_begin(struct attached *attached, pid_t pid, const char *library,
                   const struct session_header *settings,
                   struct session_file *session,
                   struct session_failure *failure)
{
    static struct step step;
    struct session_header header = *settings;
    struct stat status;
    int result;

    *attached =
        (struct attached){ .allocator = attached->allocator, .pid = pid };
    step = (struct step){ .attached = attached, .tracee = &attached->tracee };
    if (tracee_open(step.tracee, pid, failure) < 0) {
        attached->tracee.pid = 0;
        return -1;
    }
    header.attached = (uint32_t)getpid();
    result = entries_plan(pid, attached->allocator, &step.plan, failure);
    if (result == 0)
        result = seccomp_check(step.tracee);
    if (result == 0)
        result = prepare(&step, library, &header, session);
    if (result == 0)
        result = jumps_write(step.tracee, &step.plan, &attached->jumps,
                             LIMIT_MS, &attached->stopped_ns);
    if (result == 0 && fstat(session->fd, &status) == 0)
        attached->session = status.st_ino;
    if (result < 0)
        attached_close(attached);
    return result;
}

void attached_close(struct attached *attached)
{
    if (attached->tracee.pid != 0)
        tracee_close(&attached->tracee);
    attached->tracee.pid = 0;
}

bool attached_stands(const struct attached *attached)
{
    tracee_release_late();
    return jumps_stand(&attached->tracee, &attached->jumps);
}

static int end(struct attached *attached, struct tracee *tracee,
               uint64_t *stopped_ns)
{
    struct step step = { .attached = attached, .tracee = tracee };
    int result =
        jumps_remove(tracee, &attached->jumps, END_LIMIT_MS, stopped_ns);
    uint64_t ignored;

    /* A descriptor that stays open does no harm, and the program can close
       it. */
    if (result == 0 && session_is_held_by(tracee->pid) &&
        remote_open(&step.remote, tracee) == 0) {
        (void)call_recorder(&step, "tally_record_close", 0, &ignored);
        remote_close(&step.remote);
    }
    return result;
}

enum { MOST_GENERATIONS = 64 };

/* Return the inode of the session's file that a process maps, or 0. */
static uint64_t session_of(pid_t pid)
{
    struct smaps maps = { .file = process_file(pid, "maps") };
    struct smaps_entry entry;
    uint64_t inode = 0;

    while (smaps_next(&maps, &entry)) {
        if (text_after(entry.path, "/memfd:tally (") != NULL)
            inode = entry.inode;
    }
    smaps_end(&maps);
    return inode;
}

static bool descends_from(pid_t pid, pid_t from)
{
    struct process_state state = { .parent = pid };

    for (int i = 0; i < MOST_GENERATIONS && state.parent > 1; i++) {
        if (process_state_read(state.parent, &state) < 0)
            return false;
        if (state.parent == from)
            return true;
    }
    return false;
}

/* End a process that maps the session, which the kernel says: another user
   could have written the session's file. It may become another program, and
   end, any time: so it is asked once its memory is open. */
static void end_other(struct attached *attached, pid_t pid)
{
    struct session_failure failure;
    struct tracee tracee;
    uint64_t stopped_ns = 0;

    if (session_of(pid) != attached->session ||
        tracee_open(&tracee, pid, &failure) < 0)
        return;
    if (jumps_stand(&tracee, &attached->jumps)) {
        if (descends_from(pid, attached->pid) &&
            session_of(pid) == attached->session &&
            strcmp(tracee.rights, attached->tracee.rights) == 0)
            (void)end(attached, &tracee, &stopped_ns);
        else if (attached->others++ == 0)
            attached->other = pid;
    }
    tracee_close(&tracee);
}

int attached_end(struct attached *attached, int session,
                 struct session_failure *failure)
{
    const uint32_t none = 0, is_over = 1;
    struct process_walk walk = { .pid = 0 };

    /* Programs that start next may still find the session: record no more. */
    (void)!pwrite(session, &none, sizeof none,
                  offsetof(struct session_header, follow));
    attached->stopped_ns = 0;
    attached->tracee.failure = failure;
    if (end(attached, &attached->tracee, &attached->stopped_ns) < 0)
        return -1;
    while (attached->session != 0 && process_next(&walk)) {
        if (walk.pid != attached->pid)
            end_other(attached, walk.pid);
    }
    (void)!pwrite(session, &is_over, sizeof is_over,
                  offsetof(struct session_header, is_over));
    /* Its holder knows all jumps, and removes the rest. */
    return !attached->is_unknown || attached->holder != 0
               ? 0
               : session_fail(
                     failure,
                     "attach: a file of the program was replaced or cannot be "
                     "read; use sudo, or restart the program");
}

static bool is_tally(pid_t pid)
{
    char name[256];

    process_status_words(pid, "Name:\t", name);
    return strcmp(name, "tally") == 0 && session_is_held_by(pid);
}

enum attached_by attached_find(struct attached *attached, pid_t pid,
                               int *session)
{
    struct session_header header = { .ledger_count = 0 };
    struct session_failure ignored;
    struct stat status;

    *attached = (struct attached){ .pid = pid, .session = session_of(pid) };
    *session = session_search(pid, &header, &ignored);
    if (*session >= 0 && header.attached == 0)
        return header.ledger_count == 0 ? ATTACHED_BY_NONE : ATTACHED_BY_RECORD;
    /* Its own word, or its parents', may name a session of others. */
    if (*session >= 0 &&
        (fstat(*session, &status) < 0 || status.st_ino != attached->session)) {
        close(*session);
        *session = -1;
    }
    if (*session < 0 && attached->session != 0)
        *session = session_search_holder(attached->session, &header);
    if (*session < 0)
        header = (struct session_header){ .ledger_count = 0 };
    /* Without the right to read its memory there are none to take away. */
    if (tracee_open(&attached->tracee, attached->pid, &ignored) < 0)
        attached->tracee.pid = 0;
    else
        attached->is_unknown = !jumps_find(&attached->tracee, &attached->jumps);
    if (header.attached < SESSION_PID_LIMIT && header.is_over == 0 &&
        is_tally((pid_t)header.attached))
        attached->holder = (pid_t)header.attached;
    return attached->holder != 0       ? ATTACHED_BY_TALLY
           : attached->jumps.count > 0 ? ATTACHED_BY_DEAD
                                       : ATTACHED_BY_NONE;
}
