/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.c - following the filters of another process; see thread_calls.h
 *
 * A classic BPF program jumps forward alone. So each instruction is looked at
 * once, with the facts that hold on every path to it. The only fact is the
 * accumulator, as long as nothing is computed: filters choose by number and
 * machine, and compute with arguments alone.
 */
#include "tool/attach/thread_calls.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "tool/tables/tables.h"
#include "tool/text/text.h"

enum { LIMIT_MS = 2000 }; /* for all threads */

struct state {
    uint32_t value; /* of the accumulator */
    bool is_known;
    bool is_reached;
};

struct run {
    struct state *states;
    size_t count;
    uint32_t number;
    enum seccomp_verdict worst;
};

static void note(struct run *run, uint32_t result)
{
    uint32_t action = result & SECCOMP_RET_ACTION_FULL;
    enum seccomp_verdict verdict = SECCOMP_ENDS;

    if (action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG)
        verdict = SECCOMP_ALLOWS;
    else if (action == SECCOMP_RET_ERRNO && (result & SECCOMP_RET_DATA) != 0)
        verdict = SECCOMP_FAILS; /* 0 would be a success that is none */
    if (verdict > run->worst)
        run->worst = verdict;
}

/* Keep the facts that hold on all paths to an instruction. */
static void reach(struct run *run, size_t at, const struct state *from)
{
    struct state *to;

    if (at >= run->count) {
        note(run, SECCOMP_RET_KILL_PROCESS);
        return;
    }
    to = &run->states[at];
    if (!to->is_reached)
        *to = *from;
    to->is_known &= from->is_known && from->value == to->value;
}

static void load(struct state *state, const struct sock_filter *op,
                 uint32_t number)
{
    bool is_of_call = op->code == (BPF_LD | BPF_W | BPF_ABS);
    bool is_number = op->k == offsetof(struct seccomp_data, nr);
    bool is_machine = op->k == offsetof(struct seccomp_data, arch);

    state->value = !is_of_call ? op->k : is_number ? number : AUDIT_ARCH_X86_64;
    state->is_known =
        is_of_call ? is_number || is_machine : op->code == (BPF_LD | BPF_IMM);
}

static void jump(struct run *run, const struct sock_filter *op, size_t next,
                 const struct state *state)
{
    bool is_known = state->is_known && BPF_SRC(op->code) == BPF_K;
    unsigned operation = BPF_OP(op->code);
    bool is_true = operation == BPF_JEQ   ? state->value == op->k
                   : operation == BPF_JGT ? state->value > op->k
                   : operation == BPF_JGE ? state->value >= op->k
                                          : (state->value & op->k) != 0;

    if (operation == BPF_JA) {
        reach(run, next + op->k, state);
        return;
    }
    if (is_true || !is_known)
        reach(run, next + op->jt, state);
    if (!is_true || !is_known)
        reach(run, next + op->jf, state);
}

/* The kernel has refused invalid instructions already. */
static void follow(struct run *run, const struct sock_filter *op, size_t at)
{
    struct state state = run->states[at];

    switch (BPF_CLASS(op->code)) {
    case BPF_JMP:
        jump(run, op, at + 1, &state);
        return;
    case BPF_RET:
        note(run, BPF_RVAL(op->code) == BPF_K ? op->k
                  : state.is_known            ? state.value
                                              : SECCOMP_RET_KILL_PROCESS);
        return;
    case BPF_LD:
        load(&state, op, run->number);
        break;
    case BPF_ALU: /* a division by 0 ends the thread */
        if (BPF_OP(op->code) == BPF_DIV && BPF_SRC(op->code) == BPF_X)
            note(run, SECCOMP_RET_KILL_THREAD);
        state.is_known = false;
        break;
    case BPF_MISC:
        state.is_known &= BPF_MISCOP(op->code) == BPF_TAX;
        break;
    default: /* other words than the accumulator */
        break;
    }
    reach(run, at + 1, &state);
}

enum seccomp_verdict seccomp_judge(const struct sock_filter *filter,
                                   size_t count, uint32_t number)
{
    struct run run = { .states = memory_zeroed(count + 1, sizeof *run.states),
                       .count = count,
                       .number = number };

    reach(&run, 0, &(struct state){ .is_known = true, .is_reached = true });
    for (size_t at = 0; at < count; at++) {
        if (run.states[at].is_reached)
            follow(&run, &filter[at], at);
    }
    free(run.states);
    return run.worst;
}

static int judge_all(const struct tracee *tracee,
                     const struct sock_filter *filter, size_t count)
{
#define NEEDED(name)   { #name, SYS_##name, SECCOMP_ALLOWS },
#define OPTIONAL(name) { #name, SYS_##name, SECCOMP_FAILS },
    static const struct {
        const char *name;
        uint32_t number;
        enum seccomp_verdict worst; /* that may be */
    } calls[] = { SECCOMP_CALLS_NEEDED(NEEDED)
                      SECCOMP_CALLS_OPTIONAL(OPTIONAL) };

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        enum seccomp_verdict verdict =
            seccomp_judge(filter, count, calls[i].number);

        if (verdict > calls[i].worst)
            return tracee_fail(tracee,
                               "the seccomp filter of the program %s %s, which "
                               "attaching needs; allow that call, or start the "
                               "program under tally record",
                               verdict == SECCOMP_FAILS ? "refuses"
                                                        : "may kill it for",
                               calls[i].name);
    }
    return 0;
}

/* Judge the filters of a stopped thread. Another thread may add filters
   meanwhile: there is room for the largest. */
static int check_filters(const struct tracee *tracee, pid_t tid)
{
    static struct sock_filter code[BPF_MAXINSNS];
    struct user_regs_struct restarted;
    struct remote_state state;
    int result = 0;
    long count;

    for (uintptr_t i = 0;
         result == 0 &&
         (count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)i, code)) >= 0;
         i++) {
        if (seccomp_judge(code, (size_t)count, SYS_restart_syscall) !=
                SECCOMP_ALLOWS &&
            remote_state_get(&state, tid)) {
            /* A sleep goes on by that call, which a filter may not know. */
            restarted = remote_state_restarted(&state);
            tracee_set_registers(tracee, tid, &restarted);
        }
        result = judge_all(tracee, code, (size_t)count);
    }
    return result == 0 && errno != ENOENT
               ? tracee_fail(tracee,
                             "only root outside of the container can read the "
                             "seccomp filters; %s",
                             advice_as_root("use sudo"))
               : result;
}

/* In vfork() a thread does not stop before its child runs something else. */
static bool is_stopping(pid_t tid)
{
    uint64_t deadline = tracee_deadline(TRACEE_STOP_MS);
    struct process_state state;

    while (process_state_read(tid, &state) == 0 && state.letter == 'D') {
        if (tracee_is_past(deadline))
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return true;
}

static int check_thread(struct tracee *tracee, pid_t tid)
{
    uint64_t mode = process_status_read(tid, "Seccomp:", 10);
    const char *why =
        "cannot read the seccomp filters: a thread does not stop; try again";
    int result;

    if (mode == SECCOMP_MODE_STRICT)
        why = "strict seccomp mode kills the program for any call that "
              "attaching needs; start it under tally record";
    else if (mode == SECCOMP_MODE_DISABLED)
        return 0;
    else if (is_stopping(tid) &&
             tracee_stop_one(tracee, tid, TRACEE_STOP_MS) != NULL) {
        result = check_filters(tracee, tid);
        tracee_release(tracee);
        return result;
    }
    return process_is_alive(tid, 0) ? tracee_fail(tracee, "%s", why) : 0;
}

int seccomp_check(struct tracee *tracee)
{
    OWNED pid_t *tids = NULL;
    size_t count = tracee_list(tracee->pid, &tids);
    uint64_t deadline = tracee_deadline(LIMIT_MS);
    int result = 0;

    for (size_t i = 0; i < count && result == 0; i++) {
        result = check_thread(tracee, tids[i]);
        if (result == 0 && i + 1 < count && tracee_is_past(deadline))
            result = tracee_fail(tracee,
                                 "cannot read the seccomp filters of %zu "
                                 "threads within %d ms; try again",
                                 count, LIMIT_MS);
    }
    return result;
}
