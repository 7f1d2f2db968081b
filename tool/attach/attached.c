/* SPDX-License-Identifier: Apache-2.0 */
/* attached.c - see attached.h */
#include "tool/attach/attached.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/recorder_image.h"
#include "tool/attach/entries.h"
#include "tool/attach/jumps.h"
#include "tool/attach/load.h"
#include "tool/attach/remote_call.h"
#include "tool/attach/renew.h"
#include "tool/attach/seccomp.h"
#include "tool/attach/tracee.h"
#include "tool/session/find/outer_pid.h"
#include "tool/session/find/process_state.h"
#include "tool/session/images/live_ledger.h"

enum { LIMIT_MS = 2000, END_LIMIT_MS = 10000, STACK = 256 << 10 };

/* What one attaching needs, until it is done. */
struct step {
    struct attached *attached;
    struct tracee tracee;
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

static int call_recorder(struct step *step, const char *name, uint64_t *result)
{
    static const uint64_t none[6];

    return call(step, entries_find(step->attached->pid, LOAD_RECORDER, name),
                none, result);
}

/* Nothing is called on it any more. */
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
    int fd;

    if (call_recorder(step, "tally_record_open", &number) < 0)
        return -1;
    if ((int64_t)number < 0)
        return session_fail(step->tracee.failure,
                            "attach: the program has no room for a ledger: "
                            "its limits on files, or it is recorded already");
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)step->attached->pid,
             (int)number);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return session_fail(step->tracee.failure, "attach: %s: %s", path,
                            strerror(errno));
    return session_file_adopt(session, fd, settings, step->tracee.failure);
}

static int write_plan(const struct step *step, int session)
{
    const struct patch_plan *plan = &step->attached->plan;

    return pwrite(session, plan, sizeof *plan, SESSION_PATCHES) < 0
               ? session_fail(step->tracee.failure,
                              "attach: cannot write the session: %s",
                              strerror(errno))
               : 0;
}

static int open_ledger(struct step *step, struct session_file *session)
{
    struct patch_plan *plan = &step->attached->plan;
    uint64_t is_recorded;

    if (write_plan(step, session->fd) < 0 ||
        call_recorder(step, "tally_record_attach", &is_recorded) < 0)
        return -1;
    if (is_recorded == 0 ||
        pread(session->fd, plan->ways, sizeof plan->ways,
              SESSION_PATCHES + offsetof(struct patch_plan, ways)) < 0 ||
        plan->ways[0] == 0)
        return session_fail(step->tracee.failure,
                            "attach: the recorder found no memory for its "
                            "accounts near the program's; try again");
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

    if (remote_open(&step->remote, &step->tracee) < 0)
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
    struct session_header header = *settings;
    struct step step = { .attached = attached };
    int result;

    *attached =
        (struct attached){ .allocator = attached->allocator, .pid = pid };
    if (entries_plan(pid, attached->allocator, &attached->plan, failure) < 0 ||
        tracee_open(&step.tracee, pid, failure) < 0)
        return -1;
    attached->plan.inode = (uint64_t)getpid();
    header.patches = attached->plan.count;
    result = seccomp_check(&step.tracee);
    if (result == 0)
        result = prepare(&step, library, &header, session);
    if (result == 0)
        result = jumps_write(&step.tracee, &attached->plan, LIMIT_MS,
                             &attached->stopped_ns);
    tracee_close(&step.tracee);
    return result;
}

static int end(struct attached *attached, pid_t pid, uint64_t *stopped_ns,
               struct session_failure *failure)
{
    struct tracee tracee;
    int result;

    if (tracee_open(&tracee, pid, failure) < 0)
        return -1;
    result = jumps_remove(&tracee, &attached->plan, END_LIMIT_MS, stopped_ns);
    tracee_close(&tracee);
    return result;
}

/* A child that was forked meanwhile has the jumps, too; it may end any time. */
static int end_child(const struct live_ledger *ledger, void *context)
{
    struct session_failure failure;
    uint64_t stopped_ns = 0;

    (void)end(context, ledger->pid, &stopped_ns, &failure);
    return 0;
}

int attached_end(struct attached *attached, int session,
                 struct session_failure *failure)
{
    const struct live_ledger root = { .fd = session, .pid = attached->pid };
    const uint32_t none = 0;

    /* Programs that run next may still find the session: it takes no more. */
    (void)!pwrite(session, &none, sizeof none,
                  offsetof(struct session_header, follow));
    attached->stopped_ns = 0;
    if (end(attached, attached->pid, &attached->stopped_ns, failure) < 0)
        return -1;
    (void)live_ledger_each(&root, end_child, attached);
    return pwrite(session, &none, sizeof none,
                  SESSION_PATCHES + offsetof(struct patch_plan, count)) < 0
               ? session_fail(failure, "attach: cannot write the session: %s",
                              strerror(errno))
               : 0;
}

static bool read_plan(int session, struct patch_plan *plan)
{
    return pread(session, plan, sizeof *plan, SESSION_PATCHES) ==
               sizeof *plan &&
           plan->device == 0 && plan->count != 0 &&
           plan->count <= PATCH_CAPACITY;
}

bool attached_is_over(int session)
{
    struct patch_plan plan;

    return !read_plan(session, &plan);
}

static bool is_tally(pid_t pid)
{
    char name[8] = "";
    FILE *file = process_file(pid, "comm");

    if (file == NULL)
        return false;
    (void)!fgets(name, sizeof name, file);
    fclose(file);
    return strcmp(name, "tally\n") == 0;
}

enum attached_by attached_find(struct attached *attached, pid_t pid,
                               int *session)
{
    struct session_header header;
    struct session_failure ignored;

    *attached = (struct attached){ .pid = pid };
    *session = session_search(pid, &header, &ignored);
    if (*session < 0)
        return ATTACHED_BY_NONE;
    if (read_plan(*session, &attached->plan))
        return is_tally((pid_t)attached->plan.inode) ? ATTACHED_BY_TALLY
                                                     : ATTACHED_BY_DEAD;
    /* Attached to before, or not to the end. */
    return header.ledger_count == 0 ||
                   (attached->plan.device == 0 && attached->plan.inode != 0)
               ? ATTACHED_BY_NONE
               : ATTACHED_BY_RECORD;
}
