/* SPDX-License-Identifier: Apache-2.0 */
/* companion.c - a process beside ours; see companion.h */
#include "tool/launch/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WAIT_MS = 1000 };

static void close_from(unsigned first)
{
    if (syscall(SYS_close_range, first, ~0u, 0) == 0)
        return;
    /* before Linux 5.9 */
    for (int fd = (int)sysconf(_SC_OPEN_MAX) - 1; fd >= (int)first; fd--)
        close(fd);
}

/*
 * What was open in us must not stay open in here: readers of pipes wait until
 * the last writer is gone. The lifeline takes the lowest numbers.
 */
static _Noreturn void be_companion(companion_fn run, pid_t program, int report,
                                   int lifeline)
{
    pid_t own = getpid();

    if (chdir("/") < 0 || write(report, &own, sizeof own) != sizeof own)
        _exit(1);
    if (dup2(lifeline, 0) < 0)
        _exit(1);
    close_from(1);
    run(0, program);
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

static void reap(pid_t child)
{
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

struct companion companion_start(companion_fn run, pid_t program)
{
    struct companion companion = { .pid = -1, .lifeline = -1 };
    int report[2] = { -1, -1 };
    int lifeline[2] = { -1, -1 };
    pid_t middle = -1;

    if (pipe2(report, O_CLOEXEC) == 0 && pipe2(lifeline, O_CLOEXEC) == 0)
        middle = fork();
    if (middle == 0) {
        close(lifeline[1]);
        if (fork() == 0)
            be_companion(run, program, report[1], lifeline[0]);
        _exit(0); /* so that the companion is not our child */
    }
    close(report[1]);
    close(lifeline[0]);
    if (middle > 0) {
        reap(middle);
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
    *companion = (struct companion){ .pid = -1, .lifeline = -1 };
}
