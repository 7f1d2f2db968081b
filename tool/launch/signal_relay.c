/* SPDX-License-Identifier: Apache-2.0 */
/* signal_relay.c - companions, signals, stops and the program's end */
#include "tool/launch/launch_parts.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/session/find/process_facts.h"

enum { MOST_WAIT_MS = 1000, WAKER_INTERVAL_MS = 30 };

static const struct companion no_companion = { .pid = -1, .lifeline = -1 };

static void close_between(unsigned first, unsigned last)
{
    unsigned most = (unsigned)sysconf(_SC_OPEN_MAX) - 1;

    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return;
    /* before Linux 5.9 */
    for (unsigned fd = first; fd <= last && fd <= most; fd++)
        close((int)fd);
}

/* Become a companion. Our descriptors are closed here, since readers of pipes
   wait until the last writer is gone. The lifeline becomes descriptor 0. */
static _Noreturn void be_companion(void (*live)(void), int report, int lifeline,
                                   int kept, int count)
{
    pid_t own = getpid();

    if (chdir("/") < 0 || dup2(lifeline, 0) < 0 || dup2(report, 1) < 0)
        _exit(1);
    close_between(2, kept < 0 ? ~0u : (unsigned)kept - 1);
    if (kept >= 0) {
        close_between((unsigned)kept + (unsigned)count, ~0u);
        setsid();
    }
    /* companion_start() waits for this. */
    if (write(1, &own, sizeof own) != sizeof own)
        _exit(1);
    close(1);
    live();
    _exit(0);
}

static pid_t read_pid(int fd)
{
    pid_t pid;
    ssize_t got;

    do {
        got = read(fd, &pid, sizeof pid);
    } while (got < 0 && errno == EINTR);
    return got == sizeof pid ? pid : -1;
}

struct companion companion_start(void (*live)(void), int kept, int count)
{
    struct companion companion = no_companion;
    int report[2] = { -1, -1 };
    int lifeline[2] = { -1, -1 };
    pid_t middle = -1;

    if (pipe2(report, O_CLOEXEC) == 0 && pipe2(lifeline, O_CLOEXEC) == 0)
        middle = fork();
    if (middle == 0) {
        close(lifeline[1]);
        if (fork() == 0)
            be_companion(live, report[1], lifeline[0], kept, count);
        _exit(0); /* makes the companion an orphan, not our child */
    }
    close(report[1]);
    close(lifeline[0]);
    if (middle > 0) {
        while (waitpid(middle, NULL, 0) < 0 && errno == EINTR)
            ;
        companion.pid = read_pid(report[0]);
        companion.lifeline = lifeline[1];
    } else {
        close(lifeline[1]);
    }
    close(report[0]);
    return companion;
}

void companion_end(struct companion *companion)
{
    struct pollfd watched = { .events = POLLIN };

    if (companion->pid <= 0)
        return;
    watched.fd = (int)syscall(SYS_pidfd_open, companion->pid, 0);
    close(companion->lifeline);
    if (watched.fd >= 0) {
        poll(&watched, 1, MOST_WAIT_MS);
        close(watched.fd);
    }
    *companion = no_companion;
}

static void sleep_as_witness(void)
{
    char byte;

    prctl(PR_SET_NAME, "tally-witness");
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        ;
}

void signal_relay_begin(struct signal_relay *relay)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };

    sigfillset(&relay->all);
    sigprocmask(SIG_SETMASK, &relay->all, &relay->inherited_mask);
    /* An ignored SIGCHLD would discard the program's status. */
    sigaction(SIGCHLD, &by_default, &relay->inherited_child);
    relay->witness = no_companion;
}

void signal_relay_undo(const struct signal_relay *relay)
{
    sigaction(SIGCHLD, &relay->inherited_child, NULL);
    sigprocmask(SIG_SETMASK, &relay->inherited_mask, NULL);
}

static sigset_t only(int number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

/* Call sigtimedwait() without waiting. */
static int take_pending(const sigset_t *set, siginfo_t *info)
{
    return sigtimedwait(set, info, &(struct timespec){ 0, 0 });
}

/* Return true if signal `number` is in the set `set` of /proc/PID/status. */
static bool is_in_set(pid_t pid, const char *set, int number)
{
    return (process_status_read(pid, set, 16) >> (number - 1) & 1) != 0;
}

/* Return true if the signal just taken was sent to our whole group, and the
   program is in that group. */
static bool has_reached(pid_t program, struct signal_relay *relay, int number)
{
    sigset_t same = only(number);

    if (relay->witness.pid <= 0)
        return false;
    /*
     * The kernel sends a signal to a group while holding its list of tasks for
     * reading. setpgid() takes the list for writing. So when this call returns,
     * which changes nothing, all members have the signal.
     */
    setpgid(0, getpgrp());
    if (!is_in_set(relay->witness.pid, "ShdPnd:", number))
        return false;
    /* A pending signal cannot be removed: start a new witness. */
    companion_end(&relay->witness);
    relay->witness = companion_start(sleep_as_witness, -1, 0);
    /* A signal that came meanwhile may be missing in the new witness. */
    if (number < SIGRTMIN)
        take_pending(&same, NULL);
    return getpgid(program) == getpgrp();
}

static void deliver(const siginfo_t *info, pid_t program)
{
    if (info->si_code != SI_KERNEL && info->si_pid == program)
        return; /* sent by the program to its parent */
    if (info->si_code == SI_QUEUE)
        sigqueue(program, info->si_signo, info->si_value);
    else
        kill(program, info->si_signo);
}

void signal_relay_join(struct signal_relay *relay, pid_t program)
{
    siginfo_t info;

    /* Without a witness all signals are delivered, as if sent to us only. */
    relay->witness = companion_start(sleep_as_witness, -1, 0);
    while (take_pending(&relay->all, &info) > 0) {
        if (info.si_signo == relay->kept)
            relay->kept_count++;
        if (info.si_signo == relay->kept || info.si_signo == SIGCHLD ||
            has_reached(program, relay, info.si_signo) ||
            is_in_set(program, "ShdPnd:", info.si_signo))
            continue;
        deliver(&info, program);
    }
}

void signal_relay_end(struct signal_relay *relay)
{
    companion_end(&relay->witness);
}

/* processes that the waker watches */
static pid_t record_pid, program_pid;

static bool is_stopped(pid_t pid)
{
    struct process_state state;

    return process_state_read(pid, &state) == 0 && state.letter == 'T';
}

/*
 * A stopped process cannot see that its child continues. A waker polls for that
 * and continues us. It has a session of its own, so that no group signal stops
 * it.
 */
static void wake_with_program(void)
{
    struct pollfd ended = { .fd = STDIN_FILENO, .events = POLLIN };

    prctl(PR_SET_NAME, "tally-waker");
    setsid();
    while (poll(&ended, 1, WAKER_INTERVAL_MS) == 0) {
        if (!is_stopped(program_pid) && is_stopped(record_pid))
            kill(record_pid, SIGCONT);
    }
}

bool program_wait_stop_by(int number, const struct signal_relay *relay)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };
    struct sigaction old;
    sigset_t one = only(number), pending;

    sigaction(number, &by_default, &old);
    kill(getpid(), number);
    sigprocmask(SIG_UNBLOCK, &one, NULL); /* stops here until continued */
    sigprocmask(SIG_SETMASK, &relay->all, NULL);
    sigaction(number, &old, NULL);
    /* The SIGCONT that continued us is blocked, so it is pending. */
    return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}

/* Take the SIGCONT that continued us, and deliver it unless the program had
   it. */
static void go_on(pid_t program, pid_t waker, struct signal_relay *relay)
{
    siginfo_t info;
    sigset_t one = only(SIGCONT);

    if (take_pending(&one, &info) != SIGCONT)
        return;
    /* If the waker sent it, the program had continued; it may be stopped
       again. */
    if (!has_reached(program, relay, SIGCONT) && info.si_pid != waker &&
        is_stopped(program))
        kill(program, SIGCONT);
}

static void stop_with(pid_t program, int number, struct signal_relay *relay)
{
    struct companion waker;
    pid_t waker_pid;

    record_pid = getpid();
    program_pid = program;
    waker = companion_start(wake_with_program, -1, 0);
    waker_pid = waker.pid;
    /* In an orphaned process group only SIGSTOP has an effect. */
    if (number == SIGSTOP || !program_wait_stop_by(number, relay))
        kill(getpid(), SIGSTOP);
    companion_end(&waker);
    go_on(program, waker_pid, relay);
}

/* Return true with the program's status if it has ended. */
static bool look_at(pid_t program, struct signal_relay *relay, int *status)
{
    for (;;) {
        pid_t found = waitpid(program, status, WNOHANG | WUNTRACED);

        if (found < 0 && errno == EINTR)
            continue;
        if (found <= 0)
            return false;
        if (!WIFSTOPPED(*status))
            return true;
        stop_with(program, WSTOPSIG(*status), relay);
    }
}

int program_wait(pid_t program, struct signal_relay *relay,
                 int (*poll)(void *context), void *context)
{
    int status = 0;
    int interval_ms = poll(context);

    while (!look_at(program, relay, &status)) {
        struct timespec interval = {
            .tv_sec = interval_ms / 1000,
            .tv_nsec = interval_ms % 1000 * 1000000L,
        };
        siginfo_t info;
        int number = sigtimedwait(&relay->all, &info, &interval);

        relay->kept_count += number > 0 && number == relay->kept;
        if ((number < 0 && errno == EAGAIN) || relay->kept_count > 0)
            interval_ms = poll(context);
        else if (number > 0 && number != SIGCHLD) {
            if (!is_in_set(program, "SigCgt:", number) &&
                !is_in_set(program, "SigIgn:", number))
                relay->unheard = info;
            if (!has_reached(program, relay, number))
                deliver(&info, program);
        }
    }
    /* The program received the signal that it ended by. */
    if (WIFSIGNALED(status) && WTERMSIG(status) == relay->unheard.si_signo)
        relay->unheard.si_signo = 0;
    return status;
}

int program_end_alike(int status)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };
    struct rlimit no_core = { 0, 0 };
    sigset_t one;

    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    /* The program's own core file, if any, is already written. */
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0);
    one = only(WTERMSIG(status));
    sigaction(WTERMSIG(status), &by_default, NULL);
    kill(getpid(), WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    return 128 + WTERMSIG(status);
}
