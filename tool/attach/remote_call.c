/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_call.c - see remote_call.h
 *
 * While we live we do not let the thread return by its frame, for the kernel
 * would then forget how long it has slept: at the entry of rt_sigreturn the
 * call is cancelled and all put back as it was at the stop, so that the kernel
 * goes on from there. The order of steps keeps the thread whole if there is no
 * next one.
 */
#include "tool/attach/remote_call.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "tool/session/find/process_state.h"
#include "tool/tables/memory.h"

enum {
    RED_ZONE = 128,
    FLAGS_DOWN_AND_TRAP = 0x500, /* DF and TF */
    SYSCALL_STOP = SIGTRAP | 0x80,
    BETWEEN_ROUNDS_NS = 1000000,
    ROOM = 16384, /* on the thread's own stack, for a call of the kernel */
};

struct call {
    struct remote *remote;
    struct tracee_thread *thread;
    struct remote_state state;
    uint64_t start; /* of the frame */
    uint64_t result;
    uint64_t deadline_ns;
};

/* All but those that a fault of the thread's own raises: blocked, the kernel
   would take the program's handler away. */
static uint64_t mask_of_call(void)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
    uint64_t mask = UINT64_MAX;

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        mask &= ~(UINT64_C(1) << (faults[i] - 1));
    return mask;
}

static void set_mask(pid_t tid, uint64_t mask)
{
    ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, &mask);
}

/* We could write to a guard page, too. */
static bool has_room(pid_t pid, uint64_t top)
{
    struct smaps maps = { .file = process_file(pid, "maps") };
    struct smaps_entry entry;
    bool is_found = false;

    while (maps.file != NULL && !is_found && smaps_next(&maps, &entry))
        is_found = entry.start <= top - ROOM && top <= entry.end &&
                   entry.access[1] == 'w';
    smaps_end(&maps);
    if (maps.file != NULL)
        fclose(maps.file);
    return is_found;
}

static bool begin_call(struct call *call,
                       const struct remote_function *function,
                       const uint64_t arguments[6])
{
    struct user_regs_struct registers;
    pid_t tid = call->thread->tid;
    uint64_t top = function->stack;

    if (!remote_state_get(&call->state, tid))
        return false;
    registers = call->state.registers;
    if (top == 0) {
        top = registers.rsp - RED_ZONE;
        if (!has_room(call->remote->tracee->pid, top))
            return false;
    }
    call->start = remote_frame_write(&call->remote->code, call->remote->tracee,
                                     &call->state, top, &call->result);
    registers.rsp = call->start;
    registers.rip = function->address;
    registers.rax = function->number;
    registers.rbx = call->result;
    registers.rdi = arguments[0];
    registers.rsi = arguments[1];
    registers.rdx = arguments[2];
    registers.rcx = registers.r10 = arguments[3];
    registers.r8 = arguments[4];
    registers.r9 = arguments[5];
    registers.orig_rax = UINT64_MAX;
    registers.eflags &= ~(uint64_t)FLAGS_DOWN_AND_TRAP;
    if (call->start == 0 || !tracee_set_registers(tid, &registers))
        return false;
    set_mask(tid, mask_of_call());
    return true;
}

/* Whether it is at the entry of rt_sigreturn, by our frame. */
static bool is_at_end(const struct call *call)
{
    struct user_regs_struct now;

    return tracee_get_registers(call->thread->tid, &now) &&
           now.orig_rax == SYS_rt_sigreturn &&
           now.rsp == remote_frame_end(call->start);
}

/* A fault of the called function. */
static bool is_fault(pid_t tid)
{
    siginfo_t information;

    return ptrace(PTRACE_GETSIGINFO, tid, NULL, &information) == 0 &&
           information.si_code > 0;
}

enum end { END_RETURNED, END_FAULT, END_LATE, END_THREAD };

static enum end wait_for_end(struct call *call)
{
    struct tracee_thread *thread = call->thread;
    int status, request = PTRACE_SYSCALL, number = 0;

    for (;;) {
        tracee_resume(thread, request, number);
        if (!tracee_wait(thread, call->deadline_ns, &status))
            return thread->has_ended ? END_THREAD : END_LATE;
        number = WSTOPSIG(status);
        request = PTRACE_SYSCALL;
        if (status >> 16 == PTRACE_EVENT_STOP) {
            if (number != SIGTRAP)
                request = PTRACE_LISTEN;
            number = 0;
        } else if (number == SYSCALL_STOP) {
            if (is_at_end(call))
                return END_RETURNED;
            number = 0;
        } else if (is_fault(thread->tid)) {
            return END_FAULT;
        }
    }
}

/*
 * The thread stands at the entry of rt_sigreturn, or at a signal that it does
 * not get. It leaves that stop with all as before but the system call, which it
 * would make again; at the next stop the kernel takes it as interrupted.
 */
static void put_back(struct call *call)
{
    struct tracee_thread *thread = call->thread;
    struct user_regs_struct restarted = remote_state_restarted(&call->state);
    struct iovec vector = { call->state.floating, call->state.floating_size };

    ptrace(PTRACE_SETREGSET, thread->tid, NT_X86_XSTATE, &vector);
    set_mask(thread->tid, call->state.mask);
    tracee_set_registers(thread->tid, &restarted);
    if (tracee_interrupt(thread, tracee_deadline(TRACEE_STOP_MS)))
        tracee_set_registers(thread->tid, &call->state.registers);
}

/* 1: the thread has no room for it; else 0 or -1. */
static int perform(struct call *call, const struct remote_function *function,
                   const uint64_t arguments[6], uint64_t *result,
                   struct session_failure *failure)
{
    const struct remote *remote = call->remote;
    long pid = remote->tracee->pid, tid = call->thread->tid;
    enum end end;

    if (!begin_call(call, function, arguments))
        return 1;
    call->deadline_ns = tracee_deadline(remote->limit_ms);
    end = wait_for_end(call);
    if (end == END_RETURNED &&
        !tracee_read(remote->tracee, call->result, result, sizeof *result))
        end = END_THREAD;
    if (end == END_RETURNED || end == END_FAULT)
        put_back(call);
    if (end == END_FAULT)
        return session_fail(failure,
                            "process %ld: what thread %ld was made to call "
                            "failed by a signal; the program goes on, start it "
                            "under tally record",
                            pid, tid);
    if (end == END_LATE)
        return session_fail(failure,
                            "process %ld: a call in thread %ld did not return "
                            "within %d ms; it goes on when it does, try again",
                            pid, tid, remote->limit_ms);
    return end == END_RETURNED
               ? 0
               : session_fail(failure, "process %ld: it has ended meanwhile",
                              pid);
}

/* A thread to look at; the best have the lowest rank. */
struct candidate {
    int rank;
    pid_t tid;
    char where[160]; /* /proc/PID/task/TID/syscall, as at the last look */
};

/* Waits with a time limit, which would begin anew if we were killed. */
static bool has_limit(long number)
{
    static const uint16_t numbers[] = {
        SYS_poll,         SYS_ppoll,           SYS_select,     SYS_pselect6,
        SYS_nanosleep,    SYS_clock_nanosleep, SYS_epoll_wait, SYS_epoll_pwait,
        SYS_epoll_pwait2, SYS_futex,
    };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i] == number)
            return true;
    }
    return false;
}

static void read_where(const struct tracee *tracee, struct candidate *candidate)
{
    char name[64];
    FILE *file;

    snprintf(name, sizeof name, "task/%ld/syscall", (long)candidate->tid);
    file = process_file(tracee->pid, name);
    candidate->where[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(candidate->where, sizeof candidate->where, file) != NULL)
        candidate->rank = candidate->where[0] == 'r'
                              ? 1
                              : 2 * has_limit(atol(candidate->where));
    fclose(file);
}

static int compare_ranks(const void *left, const void *right)
{
    return ((const struct candidate *)left)->rank -
           ((const struct candidate *)right)->rank;
}

/* One that waits in the kernel as at the last look stands where it stood: it is
   not stopped again and again. */
static bool is_where_it_was(const struct candidate *now,
                            const struct candidate *before, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (before[i].tid == now->tid)
            return now->where[0] != 'r' && now->where[0] != '\0' &&
                   strcmp(before[i].where, now->where) == 0;
    }
    return false;
}

struct search {
    struct call *call;
    struct candidate *candidates;
    size_t count;
    pid_t tid; /* of the last one that was not safe */
    char why[SAFE_PLACE_WHY_SIZE];
};

/* Those of this round. */
static void list_candidates(struct search *search)
{
    const struct tracee *tracee = search->call->remote->tracee;
    struct candidate *before = search->candidates;
    size_t count, before_count = search->count;
    pid_t *tids;

    count = tracee_list(tracee->pid, &tids);
    search->candidates =
        count == 0 ? NULL : memory_zeroed(count, sizeof *search->candidates);
    search->count = count;
    for (size_t i = 0; i < count; i++) {
        struct candidate *candidate = &search->candidates[i];

        candidate->tid = tids[i];
        read_where(tracee, candidate);
        if (is_where_it_was(candidate, before, before_count))
            candidate->rank = -1;
    }
    if (count > 0)
        qsort(search->candidates, count, sizeof *search->candidates,
              compare_ranks);
    free(before);
    free(tids);
}

/* Stop a thread for as long as it takes; true: it stands where it may. What it
   stood in is forgotten unless that was why it may not. */
static bool try_thread(struct search *search, struct candidate *candidate)
{
    struct remote *remote = search->call->remote;
    struct tracee_thread *thread =
        tracee_stop_one(remote->tracee, candidate->tid, TRACEE_STOP_MS);

    search->call->thread = thread;
    if (thread == NULL) {
        candidate->where[0] = '\0';
        return false;
    }
    search->tid = candidate->tid;
    if (thread->is_in_group_stop) {
        strcpy(search->why, "is stopped");
    } else if (!safe_place_is_loader_idle(remote->place)) {
        strcpy(search->why, "runs while the loader is at work");
        candidate->where[0] = '\0';
    } else if (safe_place_look(remote->place, candidate->tid, search->why)) {
        return true;
    }
    tracee_release(remote->tracee);
    return false;
}

/* As perform(); 1: no thread of this round. */
static int try_round(struct search *search,
                     const struct remote_function *function,
                     const uint64_t arguments[6], uint64_t *result,
                     struct session_failure *failure)
{
    int outcome = 1;

    list_candidates(search);
    if (search->count == 0)
        return session_fail(failure, "process %ld: it has ended",
                            (long)search->call->remote->tracee->pid);
    for (size_t i = 0; i < search->count && outcome > 0; i++) {
        if (search->candidates[i].rank < 0 ||
            !try_thread(search, &search->candidates[i]))
            continue;
        outcome = perform(search->call, function, arguments, result, failure);
        if (outcome > 0)
            strcpy(search->why, "has too little room on its stack");
        tracee_release(search->call->remote->tracee);
    }
    return outcome;
}

int remote_call(struct remote *remote, const struct remote_function *function,
                const uint64_t arguments[6], uint64_t *result,
                struct session_failure *failure)
{
    uint64_t deadline = tracee_deadline(remote->limit_ms);
    struct search search = { .call = memory_zeroed(1, sizeof *search.call) };
    int outcome;

    search.call->remote = remote;
    for (;;) {
        safe_place_refresh(remote->place);
        outcome = try_round(&search, function, arguments, result, failure);
        if (outcome <= 0 || tracee_is_past(deadline))
            break;
        nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_ROUNDS_NS }, NULL);
    }
    if (outcome > 0)
        outcome = session_fail(
            failure,
            "process %ld: in %d ms none of its threads stood where a call is "
            "safe: thread %ld %s; try again",
            (long)remote->tracee->pid, remote->limit_ms, (long)search.tid,
            search.why);
    free(search.candidates);
    free(search.call);
    return outcome;
}

int remote_map(struct remote *remote, uint64_t size, uint64_t *address,
               struct session_failure *failure)
{
    const struct remote_function map = { .address = remote->code.syscall,
                                         .number = SYS_mmap };
    const uint64_t arguments[] = {
        0,          size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
        UINT64_MAX, 0
    };

    if (remote_call(remote, &map, arguments, address, failure) < 0)
        return -1;
    if (*address < UINT64_MAX - 4095)
        return 0;
    return session_fail(failure,
                        "process %ld: it has no memory left to map: %s; raise "
                        "its limits",
                        (long)remote->tracee->pid, strerror((int)-*address));
}

int remote_open(struct remote *remote, struct tracee *tracee,
                struct session_failure *failure)
{
    *remote = (struct remote){ .tracee = tracee, .limit_ms = REMOTE_LIMIT_MS };
    remote->place = safe_place_open(tracee, failure);
    if (remote->place == NULL)
        return -1;
    if (remote_code_find(&remote->code, tracee,
                         safe_place_function(remote->place, "__errno_location"),
                         failure) == 0)
        return 0;
    remote_close(remote);
    return -1;
}

void remote_close(struct remote *remote)
{
    safe_place_close(remote->place);
}
