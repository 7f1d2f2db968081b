/* SPDX-License-Identifier: Apache-2.0 */
/* program_wait.c - see program_wait.h */
#include "tool/launch/program_wait.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool/launch/companion.h"
#include "tool/session/find/process_state.h"

enum { WAKER_INTERVAL_MS = 30 };

/* This process, as its companion knows it. */
static pid_t record_pid;

static struct timespec milliseconds(int count)
{
    return (struct timespec){ .tv_sec = count / 1000,
                              .tv_nsec = count % 1000 * 1000000L };
}

static bool is_stopped(pid_t pid)
{
    struct process_state state;

    return process_state_read(pid, &state) == 0 && state.letter == 'T';
}

/*
 * A stopped process cannot see that its child goes on. A waker polls for that,
 * in a session of its own so that no group signal stops it, and continues us.
 */
static void wake_with_program(int lifeline, pid_t program)
{
    struct pollfd ended = { .fd = lifeline, .events = POLLIN };

    prctl(PR_SET_NAME, "tally-waker");
    setsid();
    while (poll(&ended, 1, WAKER_INTERVAL_MS) == 0) {
        if (!is_stopped(program) && is_stopped(record_pid))
            kill(record_pid, SIGCONT);
    }
}

bool program_wait_stop_by(int number, const struct signal_relay *relay)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };
    struct sigaction old;
    sigset_t one, pending;

    sigemptyset(&one);
    sigaddset(&one, number);
    sigaction(number, &by_default, &old);
    kill(getpid(), number);
    sigprocmask(SIG_UNBLOCK, &one, NULL); /* here we stop, and go on */
    sigprocmask(SIG_SETMASK, &relay->all, NULL);
    sigaction(number, &old, NULL);
    /* The SIGCONT that continued us is pending, for we block it. */
    return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}

/* Take what continued us, and hand it on if the program did not hear it. */
static void go_on(pid_t program, pid_t waker, struct signal_relay *relay)
{
    siginfo_t info;
    sigset_t one;
    struct timespec at_once = { 0, 0 };

    sigemptyset(&one);
    sigaddset(&one, SIGCONT);
    if (sigtimedwait(&one, &info, &at_once) != SIGCONT)
        return;
    /* If the waker did it, the program went on; it may have stopped again. */
    if (!signal_relay_was_for_group(relay, SIGCONT) && info.si_pid != waker &&
        is_stopped(program))
        kill(program, SIGCONT);
}

static void stop_with(pid_t program, int number, struct signal_relay *relay)
{
    struct companion waker;
    pid_t waker_pid;

    record_pid = getpid();
    waker = companion_start(wake_with_program, program);
    waker_pid = waker.pid;
    /* In an orphaned process group only SIGSTOP stops. */
    if (number == SIGSTOP || !program_wait_stop_by(number, relay))
        kill(getpid(), SIGSTOP);
    companion_end(&waker);
    go_on(program, waker_pid, relay);
}

/* Returns true with its status when the program has ended. */
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
                 program_wait_poll_fn poll, void *context)
{
    int status = 0;
    int interval_ms = poll(context);

    while (!look_at(program, relay, &status)) {
        struct timespec interval = milliseconds(interval_ms);
        siginfo_t info;
        int number = sigtimedwait(&relay->all, &info, &interval);

        if (number < 0 && errno == EAGAIN)
            interval_ms = poll(context);
        else if (number > 0 && number != SIGCHLD)
            signal_relay_forward(relay, &info, program);
    }
    return status;
}

int program_end_alike(int status)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };
    struct rlimit no_core = { 0, 0 };
    sigset_t one;

    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    /* The program has left its own core file, or none. */
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0);
    sigaction(WTERMSIG(status), &by_default, NULL);
    sigemptyset(&one);
    sigaddset(&one, WTERMSIG(status));
    kill(getpid(), WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    return 128 + WTERMSIG(status);
}
