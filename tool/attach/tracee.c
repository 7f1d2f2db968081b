/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracee.c - ptrace, by PTRACE_SEIZE alone; see thread_calls.h
 *
 * A stop is asked for by PTRACE_INTERRUPT and comes as PTRACE_EVENT_STOP. A
 * signal that stops the thread before is passed on, and the stop is asked for
 * again.
 *
 * The kernel makes again by itself what the stop interrupted, but for calls
 * that fail by EINTR after any stop, signal(7). At PTRACE_EVENT_STOP it has not
 * yet looked at the result: as ERESTARTNOHAND it makes the call again unless a
 * handler of the program runs, and then the program gets its EINTR.
 */
#include "tool/attach/thread_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tool/tables/tables.h"
#include "tool/text/text.h"

enum {
    ERESTARTNOHAND = 514, /* the kernel's own */
    TURNS_AWAKE = 200,    /* a stop takes microseconds: sleeping takes longer */
    PAUSE_NS = 20000,
};

/* Calls that give EINTR after a stop; those of sockets if they have a time
   limit. */
static bool is_not_restarted(uint64_t number)
{
    static const short numbers[] = {
        SYS_epoll_wait,   SYS_epoll_pwait,   SYS_epoll_pwait2,
        SYS_semop,        SYS_semtimedop,    SYS_rt_sigtimedwait,
        SYS_io_getevents, SYS_io_pgetevents, SYS_io_uring_enter,
        SYS_read,         SYS_readv,         SYS_recvfrom,
        SYS_recvmsg,      SYS_recvmmsg,      SYS_accept,
        SYS_accept4,      SYS_connect,       SYS_write,
        SYS_writev,       SYS_sendto,        SYS_sendmsg,
        SYS_sendmmsg,     SYS_msgrcv,        SYS_msgsnd
    };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (number == (uint64_t)numbers[i])
            return true;
    }
    return false;
}

uint64_t tracee_deadline(int limit_ms)
{
    return clock_ns(CLOCK_MONOTONIC) + (uint64_t)limit_ms * 1000000;
}

bool tracee_is_past(uint64_t deadline_ns)
{
    return tracee_deadline(0) >= deadline_ns;
}

bool tracee_is_same(const struct tracee *tracee, pid_t tid)
{
    char rights[PROCESS_RIGHTS];

    process_rights_read(tid, rights);
    return strcmp(rights, tracee->rights) == 0;
}

int tracee_open(struct tracee *tracee, pid_t pid,
                struct session_failure *failure)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
    *tracee = (struct tracee){ .pid = pid, .failure = failure };
    process_rights_read(pid, tracee->rights);
    tracee->memory = open(path, O_RDWR | O_CLOEXEC);
    if (tracee->memory >= 0 && !tracee_is_same(tracee, pid)) {
        close(tracee->memory);
        return tracee_fail(
            tracee, "the process has executed another program; try again");
    }
    if (tracee->memory < 0)
        return tracee_fail(tracee,
                           "cannot write to the memory of the process: %s; %s, "
                           "or start it under tally record",
                           strerror(errno), advice_as_root("attach as root"));
    return 0;
}

int tracee_fail(const struct tracee *tracee, const char *format, ...)
{
    char why[sizeof tracee->failure->text];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return session_fail(tracee->failure, "process %ld: %s", (long)tracee->pid,
                        why);
}

void tracee_close(struct tracee *tracee)
{
    tracee_release(tracee);
    close(tracee->memory);
}

bool tracee_read(const struct tracee *tracee, uint64_t address, void *to,
                 size_t size)
{
    size_t done = 0;
    ssize_t got;

    /* The kernel may stop at a page that it must first read in. */
    do {
        got = pread(tracee->memory, (char *)to + done, size - done,
                    (off_t)(address + done));
        done += got > 0 ? (size_t)got : 0;
    } while (got > 0 && done < size);
    return done == size;
}

bool tracee_write(const struct tracee *tracee, uint64_t address,
                  const void *from, size_t size)
{
    return pwrite(tracee->memory, from, size, (off_t)address) == (ssize_t)size;
}

bool tracee_get_registers(pid_t tid, struct user_regs_struct *registers)
{
    return ptrace(PTRACE_GETREGS, tid, NULL, registers) == 0;
}

bool tracee_set_registers(const struct tracee *tracee, pid_t tid,
                          const struct user_regs_struct *registers)
{
    return tracee_is_same(tracee, tid) &&
           ptrace(PTRACE_SETREGS, tid, NULL, registers) == 0;
}

void tracee_resume(struct tracee_thread *thread, int request, int number)
{
    thread->is_stopped = false;
    ptrace((enum __ptrace_request)request, thread->tid, NULL,
           (void *)(intptr_t)number);
}

/* Look once whether there is a stop. */
static bool poll_stop(struct tracee_thread *thread, int *status)
{
    pid_t found = waitpid(thread->tid, status, __WALL | WNOHANG);

    thread->has_ended |= found < 0 || (found > 0 && !WIFSTOPPED(*status));
    thread->is_stopped = found > 0 && !thread->has_ended;
    return thread->is_stopped;
}

static void pause_between(unsigned turn)
{
    if (turn < TURNS_AWAKE)
        sched_yield();
    else
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

bool tracee_wait(struct tracee_thread *thread, uint64_t deadline_ns,
                 int *status)
{
    for (unsigned turn = 0; !poll_stop(thread, status); turn++) {
        if (thread->has_ended || tracee_is_past(deadline_ns))
            return false;
        pause_between(turn);
    }
    return true;
}

/* Return true for the stop that was asked for; otherwise let the thread go
   on. */
static bool is_asked_for(struct tracee_thread *thread, int status)
{
    struct user_regs_struct registers;
    int number = WSTOPSIG(status);

    if (status >> 16 == PTRACE_EVENT_STOP) {
        thread->is_in_group_stop = number != SIGTRAP;
        if (tracee_get_registers(thread->tid, &registers) &&
            (int64_t)registers.rax == -EINTR &&
            is_not_restarted(registers.orig_rax)) {
            registers.rax = (uint64_t)-ERESTARTNOHAND;
            ptrace(PTRACE_SETREGS, thread->tid, NULL, &registers);
        }
        return true;
    }
    ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
    tracee_resume(thread, PTRACE_CONT,
                  number == TRACEE_SYSCALL_STOP ? 0 : number);
    return false;
}

bool tracee_interrupt(struct tracee_thread *thread, uint64_t deadline_ns)
{
    int status;

    ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
    if (thread->is_stopped)
        tracee_resume(thread, PTRACE_CONT, 0);
    while (tracee_wait(thread, deadline_ns, &status)) {
        if (is_asked_for(thread, status))
            return true;
    }
    return false;
}

size_t tracee_list(pid_t pid, pid_t **tids)
{
    char path[64];
    DIR *folder;
    struct dirent *entry;
    size_t count = 0;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    folder = opendir(path);
    *tids = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.')
            ARRAY_ADD(*tids, count, (pid_t)atol(entry->d_name));
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* Threads that were asked to stop, and have not: they stand once they do. */
static struct tracee_thread *late;
static size_t late_count;

/* Return true if it was one of them, which is seized already. */
static bool take_late(pid_t tid)
{
    for (size_t i = 0; i < late_count; i++) {
        if (late[i].tid == tid) {
            late[i] = late[--late_count];
            return true;
        }
    }
    return false;
}

/* Return NULL if the thread has ended, also a first thread that ended before
   the others, or if another process traces it. */
static struct tracee_thread *seize(struct tracee *tracee, pid_t tid)
{
    struct process_state state;

    if (!take_late(tid) &&
        ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) < 0) {
        tracee->has_refused |= errno == EPERM &&
                               process_state_read(tid, &state) == 0 &&
                               strchr("ZX", state.letter) == NULL;
        return NULL;
    }
    ARRAY_ADD(tracee->threads, tracee->count,
              (struct tracee_thread){ .tid = tid });
    return &tracee->threads[tracee->count - 1];
}

static bool is_traced(const struct tracee *tracee, size_t count, pid_t tid)
{
    for (size_t i = 0; i < count; i++) {
        if (tracee->threads[i].tid == tid && !tracee->threads[i].has_ended)
            return true;
    }
    return false;
}

/* Seize all threads that are not traced yet and stop them together. Return
   their number. */
static size_t seize_others(struct tracee *tracee)
{
    size_t before = tracee->count, count;
    OWNED pid_t *tids = NULL;

    count = tracee_list(tracee->pid, &tids);
    for (size_t i = 0; i < count; i++) {
        if (!is_traced(tracee, before, tids[i]))
            seize(tracee, tids[i]);
    }
    for (size_t i = before; i < tracee->count; i++)
        ptrace(PTRACE_INTERRUPT, tracee->threads[i].tid, NULL, NULL);
    return tracee->count - before;
}

/* Return the number of threads that still run. */
static size_t collect_stops(struct tracee *tracee)
{
    size_t running = 0;
    int status;

    for (size_t i = 0; i < tracee->count; i++) {
        struct tracee_thread *thread = &tracee->threads[i];

        if (!thread->is_stopped && !thread->has_ended &&
            !(poll_stop(thread, &status) && is_asked_for(thread, status)))
            running += !thread->has_ended;
    }
    return running;
}

/* A thread begins by a call of another: when all that are known stand, and
   there is no other, there will be none. */
int tracee_stop_all(struct tracee *tracee, int limit_ms)
{
    uint64_t deadline = tracee_deadline(limit_ms);

    tracee->has_refused = false;
    while (seize_others(tracee) > 0) {
        unsigned turn = TURNS_AWAKE - 10;

        do {
            if (tracee_is_past(deadline))
                return tracee_fail(tracee,
                                   "not all threads stopped within %d ms, and "
                                   "the process continues as before; try again",
                                   limit_ms);
            pause_between(turn++);
        } while (collect_stops(tracee) > 0);
    }
    if (tracee->count > 0 && !tracee->has_refused)
        return 0;
    return tracee_fail(tracee, "the process has ended, or another program "
                               "traces its threads; stop that program first");
}

struct tracee_thread *tracee_stop_one(struct tracee *tracee, pid_t tid,
                                      int limit_ms)
{
    struct tracee_thread *thread = seize(tracee, tid);

    if (thread != NULL && tracee_interrupt(thread, tracee_deadline(limit_ms)))
        return thread;
    tracee_release(tracee);
    return NULL;
}

void tracee_release_late(void)
{
    size_t kept = 0;
    int status;

    for (size_t i = 0; i < late_count; i++) {
        if (poll_stop(&late[i], &status))
            ptrace(PTRACE_DETACH, late[i].tid, NULL,
                   (void *)(intptr_t)(status >> 16 == PTRACE_EVENT_STOP
                                          ? 0
                                          : WSTOPSIG(status)));
        else if (!late[i].has_ended)
            late[kept++] = late[i];
    }
    late_count = kept;
}

/* Threads that stand go on first. */
void tracee_release(struct tracee *tracee)
{
    uint64_t deadline = tracee_deadline(TRACEE_STOP_MS);

    for (size_t i = 0; i < tracee->count; i++) {
        if (tracee->threads[i].is_stopped)
            ptrace(PTRACE_DETACH, tracee->threads[i].tid, NULL, NULL);
    }
    for (size_t i = 0; i < tracee->count; i++) {
        struct tracee_thread *thread = &tracee->threads[i];

        if (thread->is_stopped || thread->has_ended)
            continue;
        if (tracee_interrupt(thread, deadline))
            ptrace(PTRACE_DETACH, thread->tid, NULL, NULL);
        else if (!thread->has_ended)
            ARRAY_ADD(late, late_count, *thread);
    }
    free(tracee->threads);
    tracee->threads = NULL;
    tracee->count = 0;
    tracee_release_late();
}
