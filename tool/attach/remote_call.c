/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_call.c - see thread_calls.h
 *
 * The thread returns by its frame, and we see the result in its memory. But the
 * kernel would then forget how long it has slept. So one that sleeps is stopped
 * at the entry of rt_sigreturn, and all is put back as it was. The order of
 * steps keeps the thread whole if there is no next one.
 */
#include "tool/attach/thread_calls.h"

#include <elf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "tool/tables/tables.h"

enum {
    RED_ZONE = 128,
    FLAGS_DOWN_AND_TRAP = 0x500, /* DF and TF */
    BETWEEN_ROUNDS_NS = 1000000,
    ROUNDS_UNDISTURBED = 16,
    LOOK_NS = 100000,
    ERESTART_RESTARTBLOCK = 516, /* the kernel's: a sleep has gone on so far */
    ROOM = 16384, /* on the thread's own stack, for a call of the kernel */
};

/* Signals that a fault of the thread's own raises. If they were blocked, the
   kernel would take the program's handler away. */
#define FAULTS                                                    \
    (UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) | \
     UINT64_C(1) << (SIGFPE - 1) | UINT64_C(1) << (SIGILL - 1) |  \
     UINT64_C(1) << (SIGTRAP - 1))

/* Order in which threads are tried, the best first. */
enum { RANK_WAITS, RANK_RUNS, RANK_LIMITED, RANK_NEVER };

struct call {
    struct remote *remote;
    const struct remote_function *function;
    const uint64_t *arguments;
    struct tracee_thread *thread;
    struct remote_state state;
    uint64_t start; /* of the frame */
    uint64_t result_at, result;
    pid_t tid; /* of the last one that was not safe, and why */
    char why[SAFE_PLACE_WHY_SIZE];
};

/* Return true if a stack has room below `top`: ptrace can write to a guard
   page, too. */
static bool has_room(pid_t pid, uint64_t top)
{
    struct smaps maps = { .file = process_file(pid, "maps") };
    struct smaps_entry entry;
    bool is_found = false;

    while (!is_found && smaps_next(&maps, &entry))
        is_found = entry.start <= top - ROOM && top <= entry.end &&
                   entry.access[1] == 'w';
    smaps_end(&maps);
    return is_found;
}

static void set_mask(const struct call *call, uint64_t mask)
{
    ptrace(PTRACE_SETSIGMASK, call->thread->tid, sizeof mask, &mask);
}

/* The registers before the mask: with them, it is put back by itself. */
static bool begin_call(struct call *call)
{
    const struct remote *remote = call->remote;
    const uint64_t *arguments = call->arguments;
    struct user_regs_struct now;
    uint64_t top = call->function->stack;
    bool is_found = true;

    if (!remote_state_get(&call->state, call->thread->tid))
        return false;
    now = call->state.registers;
    if (top == 0) {
        top = now.rsp - RED_ZONE;
        is_found = has_room(remote->tracee->pid, top);
    }
    call->start = is_found
                      ? remote_frame_write(&remote->code, remote->tracee,
                                           &call->state, top, &call->result_at)
                      : 0;
    now.rsp = call->start;
    now.rip = call->function->address;
    now.rax = call->function->number;
    now.rbx = call->result_at;
    now.rdi = arguments[0];
    now.rsi = arguments[1];
    now.rdx = arguments[2];
    now.rcx = now.r10 = arguments[3];
    now.r8 = arguments[4];
    now.r9 = arguments[5];
    now.orig_rax = UINT64_MAX;
    now.eflags &= ~(uint64_t)FLAGS_DOWN_AND_TRAP;
    if (call->start == 0 ||
        !tracee_set_registers(call->remote->tracee, call->thread->tid, &now))
        return false;
    set_mask(call, ~FAULTS);
    return true;
}

/* Return true if the thread is at the entry of rt_sigreturn, by our frame. */
static bool is_at_end(const struct call *call)
{
    struct user_regs_struct now;

    return tracee_get_registers(call->thread->tid, &now) &&
           now.orig_rax == SYS_rt_sigreturn &&
           now.rsp == remote_frame_end(call->start);
}

enum end { END_RETURNED, END_AT_FRAME, END_FAULT, END_LATE, END_THREAD };

/* Return true if the thread must be stopped before it returns by its frame: a
   sleep would begin anew, or a result on its own stack be overwritten. */
static bool is_stopped_at_frame(const struct call *call)
{
    return call->function->stack == 0 ||
           call->state.registers.rax == (uint64_t)-ERESTART_RESTARTBLOCK;
}

static bool has_result(struct call *call)
{
    return tracee_read(call->remote->tracee, call->result_at, &call->result,
                       sizeof call->result) &&
           call->result != NO_RESULT;
}

/* Wait for the next stop to look at, or until the thread is past the call or
   has ended. */
static enum end wait_for_stop(struct call *call, uint64_t deadline, int *status)
{
    while (!tracee_wait(call->thread, clock_ns(CLOCK_MONOTONIC) + LOOK_NS,
                        status)) {
        if (!is_stopped_at_frame(call) && has_result(call))
            return END_RETURNED;
        if (call->thread->has_ended)
            return END_THREAD;
        if (tracee_is_past(deadline))
            return END_LATE;
    }
    return END_AT_FRAME;
}

static enum end wait_for_end(struct call *call)
{
    int resume = is_stopped_at_frame(call) ? PTRACE_SYSCALL : PTRACE_CONT;
    int status, number = 0, request = resume;
    uint64_t deadline = tracee_deadline(call->remote->limit_ms);
    siginfo_t information;
    enum end end;

    for (;;) {
        tracee_resume(call->thread, request, number);
        end = wait_for_stop(call, deadline, &status);
        if (end != END_AT_FRAME)
            return end;
        number = WSTOPSIG(status);
        request = resume;
        if (number == TRACEE_SYSCALL_STOP && is_at_end(call))
            return END_AT_FRAME;
        if (status >> 16 == PTRACE_EVENT_STOP && number != SIGTRAP)
            request = PTRACE_LISTEN; /* SIGSTOP and the like, until SIGCONT */
        if (status >> 16 == PTRACE_EVENT_STOP || number == TRACEE_SYSCALL_STOP)
            number = 0;
        else if ((FAULTS >> (number - 1) & 1) != 0 &&
                 ptrace(PTRACE_GETSIGINFO, call->thread->tid, NULL,
                        &information) == 0 &&
                 information.si_code > 0)
            return END_FAULT;
    }
}

/* The thread stands at the entry of rt_sigreturn, which becomes another call
   with the first behind it, for a filter knows none that is cancelled; or at a
   signal that it does not get. At the next stop it is in the call of before. */
static void put_back(struct call *call)
{
    struct tracee_thread *thread = call->thread;
    struct iovec vector = { call->state.floating, call->state.floating_size };
    struct user_regs_struct now = call->state.registers;

    tracee_get_registers(thread->tid, &now);
    if (now.orig_rax == SYS_rt_sigreturn)
        now.orig_rax = SYS_getpid;
    now.rip = call->remote->code.restore;
    now.rsp = remote_frame_end(call->start);
    if (!tracee_set_registers(call->remote->tracee, thread->tid, &now) ||
        !tracee_interrupt(thread, tracee_deadline(TRACEE_STOP_MS)) ||
        !tracee_is_same(call->remote->tracee, thread->tid))
        return;
    ptrace(PTRACE_SETREGSET, thread->tid, NT_X86_XSTATE, &vector);
    set_mask(call, call->state.mask);
    /* Last: until then its frame puts all back if we are killed. */
    tracee_set_registers(call->remote->tracee, thread->tid,
                         &call->state.registers);
}

/* It may be on its way to rt_sigreturn, and the caller may use the stack for
   another call, or unmap it. It gets time: stopped at once, it stays there. */
static void leave_stack(struct call *call)
{
    struct user_regs_struct now;

    uint64_t deadline = tracee_deadline(call->remote->limit_ms);

    while (tracee_interrupt(call->thread, deadline) &&
           tracee_get_registers(call->thread->tid, &now) &&
           now.rsp - call->start < call->function->stack - call->start) {
        tracee_resume(call->thread, PTRACE_CONT, 0);
        nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
    }
}

/* 1: the thread has no room for it; else 0 or -1. */
static int perform(struct call *call)
{
    const struct tracee *tracee = call->remote->tracee;
    long tid = call->thread->tid;
    enum end end;

    if (!begin_call(call)) {
        strcpy(call->why, "has too little room left on its stack");
        return 1;
    }
    end = wait_for_end(call);
    if (end == END_LATE)
        return tracee_fail(tracee,
                           "a call in thread %ld did not return within %d ms "
                           "and continues by itself; try again",
                           tid, call->remote->limit_ms);
    if (end == END_THREAD || (end == END_AT_FRAME && !has_result(call)))
        return tracee_fail(tracee, "thread %ld exited during a call; try again",
                           tid);
    if (end == END_RETURNED)
        leave_stack(call);
    else
        put_back(call);
    return end != END_FAULT
               ? 0
               : tracee_fail(
                     tracee,
                     "a signal broke off the call made in thread %ld, which "
                     "continues; start the program under tally record",
                     tid);
}

/* Waits with a time limit, which begins anew if we are killed. */
static bool has_limit(unsigned number, unsigned long fourth)
{
    return number == SYS_poll || number == SYS_ppoll || number == SYS_select ||
           number == SYS_pselect6 || number == SYS_nanosleep ||
           number == SYS_clock_nanosleep || number == SYS_epoll_wait ||
           number == SYS_epoll_pwait || (number == SYS_futex && fourth != 0);
}

/* By what it does in the kernel: waits, runs, or waits with a limit. In vfork()
   it does not stop before its child runs something else. */
static int rank_of(pid_t tid)
{
    FILE *file = process_file(tid, "syscall");
    struct process_state state;
    unsigned long fourth;
    unsigned number;
    int rank = RANK_RUNS;

    if (file == NULL || process_state_read(tid, &state) < 0 ||
        state.letter == 'D')
        rank = RANK_NEVER;
    else if (fscanf(file, "%u %*s %*s %*s %lx", &number, &fourth) == 2)
        rank = has_limit(number, fourth) ? RANK_LIMITED : RANK_WAITS;
    if (file != NULL)
        fclose(file);
    return rank;
}

/* Stop one thread and try the call in it. Return as perform() does. */
static int try_thread(struct call *call, pid_t tid)
{
    struct remote *remote = call->remote;
    int outcome = 1;

    call->thread = tracee_stop_one(remote->tracee, tid, TRACEE_STOP_MS);
    if (call->thread == NULL)
        return 1;
    call->tid = tid;
    if (call->thread->is_in_group_stop)
        strcpy(call->why, "is stopped");
    else if (!safe_place_is_loader_idle(remote->place))
        strcpy(call->why, "runs while the dynamic loader is busy");
    else if (safe_place_look(remote->place, tid, call->why))
        outcome = perform(call);
    tracee_release(remote->tracee);
    return outcome;
}

/* Waits with a time limit, which each stop restarts, are tried less often. */
static int try_all(struct call *call, unsigned round, uint64_t deadline)
{
    const struct tracee *tracee = call->remote->tracee;
    int last = round % ROUNDS_UNDISTURBED == 0 ? RANK_LIMITED : RANK_RUNS;
    int outcome = 1;
    OWNED pid_t *tids = NULL;
    size_t count = tracee_list(tracee->pid, &tids);

    safe_place_refresh(call->remote->place);
    for (int rank = RANK_WAITS; rank <= last; rank++) {
        for (size_t i = 0;
             i < count && outcome > 0 && !tracee_is_past(deadline); i++) {
            if (rank_of(tids[i]) == rank)
                outcome = try_thread(call, tids[i]);
        }
    }
    return count > 0 ? outcome : tracee_fail(tracee, "it has ended");
}

int remote_call(struct remote *remote, const struct remote_function *function,
                const uint64_t arguments[6], uint64_t *result)
{
    uint64_t deadline = tracee_deadline(remote->limit_ms);
    OWNED struct call *call = memory_zeroed(1, sizeof *call);
    unsigned round = 0;
    int outcome;

    call->remote = remote;
    call->function = function;
    call->arguments = arguments;
    call->tid = remote->tracee->pid;
    strcpy(call->why, "was not reached");
    while ((outcome = try_all(call, round++, deadline)) > 0 &&
           !tracee_is_past(deadline))
        nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_ROUNDS_NS }, NULL);
    if (outcome > 0)
        outcome = tracee_fail(remote->tracee,
                              "no thread stopped at a safe place within %d ms: "
                              "thread %ld %s; try again",
                              remote->limit_ms, (long)call->tid, call->why);
    *result = call->result;
    return outcome;
}

int remote_map(struct remote *remote, uint64_t size, uint64_t *address)
{
    const struct remote_function map = { .address = remote->code.syscall,
                                         .number = SYS_mmap };
    const uint64_t arguments[] = {
        0,          size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
        UINT64_MAX, 0
    };

    if (remote_call(remote, &map, arguments, address) < 0)
        return -1;
    if (*address < UINT64_MAX - 4095)
        return 0;
    return tracee_fail(remote->tracee,
                       "cannot map memory in the program: %s; raise its limit "
                       "of address space",
                       strerror((int)-*address));
}

int remote_open(struct remote *remote, struct tracee *tracee)
{
    *remote = (struct remote){ .tracee = tracee, .limit_ms = REMOTE_LIMIT_MS };
    remote->place = safe_place_open(tracee);
    if (remote->place == NULL)
        return -1;
    if (remote_code_find(
            &remote->code, tracee,
            safe_place_symbol(remote->place, "__errno_location")) == 0)
        return 0;
    remote_close(remote);
    return -1;
}

void remote_close(struct remote *remote)
{
    safe_place_close(remote->place);
}
