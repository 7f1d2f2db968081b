/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - wait for bytes, but not past a signal that ends all
 *
 * The signals are blocked and come as bytes of a descriptor that is never read:
 * so none is missed between a look and a wait, and all later waits end, too.
 */
#include "tool/capture/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

int wait_open(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
        return -1;
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum wait_result wait_for(int stop, int descriptor, short events,
                          int milliseconds)
{
    struct pollfd polled[] = {
        { .fd = stop, .events = POLLIN },
        { .fd = descriptor, .events = events },
    };
    int count;

    do
        count = poll(polled, 2, milliseconds);
    while (count < 0 && errno == EINTR);
    if (polled[0].revents != 0)
        return WAIT_STOPPED;
    return count <= 0 ? WAIT_LATE : WAIT_READY;
}
