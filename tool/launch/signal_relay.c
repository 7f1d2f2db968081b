/* SPDX-License-Identifier: Apache-2.0 */
/* signal_relay.c - handing signals on; see signal_relay.h */
#include "tool/launch/signal_relay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static void sleep_as_witness(int lifeline, pid_t program)
{
    char byte;

    (void)program;
    prctl(PR_SET_NAME, "tally-witness");
    while (read(lifeline, &byte, 1) < 0 && errno == EINTR)
        ;
}

static void replace_witness(struct signal_relay *relay)
{
    companion_end(&relay->witness);
    relay->witness = companion_start(sleep_as_witness, -1);
}

void signal_relay_begin(struct signal_relay *relay)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };

    sigfillset(&relay->all);
    sigprocmask(SIG_SETMASK, &relay->all, &relay->inherited_mask);
    /* Were SIGCHLD ignored, the program's status would be lost. */
    sigaction(SIGCHLD, &by_default, &relay->inherited_child);
    relay->witness = (struct companion){ .pid = -1, .lifeline = -1 };
}

void signal_relay_undo(const struct signal_relay *relay)
{
    sigaction(SIGCHLD, &relay->inherited_child, NULL);
    sigprocmask(SIG_SETMASK, &relay->inherited_mask, NULL);
}

/* The signals that wait for a process, bit n - 1 for signal n. */
static uint64_t read_pending(pid_t pid)
{
    char path[64];
    char line[256];
    uint64_t pending = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "ShdPnd: %" SCNx64, &pending) == 1)
            break;
    }
    fclose(file);
    return pending;
}

static bool is_pending(pid_t pid, int number)
{
    return (read_pending(pid) >> (number - 1) & 1) != 0;
}

bool signal_relay_was_for_group(struct signal_relay *relay, int number)
{
    sigset_t same;
    struct timespec at_once = { 0, 0 };

    if (relay->witness.pid <= 0)
        return false;
    /*
     * A signal for a group is dealt out under the kernel's list of tasks held
     * for reading. setpgid() takes it for writing, so once it returns (it
     * changes nothing), all members have theirs.
     */
    setpgid(0, getpgrp());
    if (!is_pending(relay->witness.pid, number))
        return false;
    replace_witness(relay); /* what is pending there cannot be taken back */
    /* One that came meanwhile may have been seen by the old witness alone. */
    sigemptyset(&same);
    sigaddset(&same, number);
    if (number < SIGRTMIN)
        sigtimedwait(&same, NULL, &at_once);
    return true;
}

static void deliver(const siginfo_t *info, pid_t program)
{
    if (info->si_code != SI_KERNEL && info->si_pid == program)
        return; /* it speaks to its parent, not to itself */
    if (info->si_code == SI_QUEUE)
        sigqueue(program, info->si_signo, info->si_value);
    else
        kill(program, info->si_signo);
}

void signal_relay_forward(struct signal_relay *relay, const siginfo_t *info,
                          pid_t program)
{
    if (!signal_relay_was_for_group(relay, info->si_signo))
        deliver(info, program);
}

void signal_relay_join(struct signal_relay *relay, pid_t program)
{
    struct timespec at_once = { 0, 0 };
    siginfo_t info;

    /* Without one, signals are handed on as if meant for us. */
    relay->witness = companion_start(sleep_as_witness, -1);
    while (sigtimedwait(&relay->all, &info, &at_once) > 0) {
        if (info.si_signo == SIGCHLD ||
            signal_relay_was_for_group(relay, info.si_signo) ||
            is_pending(program, info.si_signo))
            continue;
        deliver(&info, program);
    }
}

void signal_relay_end(struct signal_relay *relay)
{
    companion_end(&relay->witness);
}
