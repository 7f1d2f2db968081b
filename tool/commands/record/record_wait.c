/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_wait.c - see record_wait.h
 *
 * The program's end is what others wait for: a pipe from it must not stay open
 * because of us, so its streams are given up. Processes that run on are left alone,
 * whatever ends the wait.
 */
#include "tool/commands/record/record_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/unknown_value.h"
#include "tool/launch/program_wait.h"
#include "tool/session/clock.h"

enum { LOOK_MS = 50 };

#define SECOND UINT64_C(1000000000)

int record_wait_take(const char *name, const char *value, void *field)
{
    uint64_t *seconds = field;
    char *end;

    errno = 0;
    *seconds = strtoumax(value, &end, 10);
    if (strcmp(value, "all") == 0 || strcmp(value, "first") == 0)
        *seconds = *value == 'a' ? RECORD_WAIT_ALL : 0;
    else if (*value < '0' || *value > '9' || *end != '\0' || errno != 0 ||
             *seconds > UINT32_MAX)
        return complain_about_value(name, value,
                                    "first, all or a number of seconds");
    return COMMAND_GO_ON;
}

static void give_up_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    close(null);
}

/* An ignored signal ends the wait only if a process sends it; SIGHUP never. */
static bool ends_the_wait(const siginfo_t *info)
{
    bool is_for_all = info->si_code == SI_KERNEL || info->si_signo == SIGHUP;
    struct sigaction held;

    if (info->si_signo != SIGINT && info->si_signo != SIGTERM &&
        info->si_signo != SIGHUP && info->si_signo != SIGQUIT)
        return false;
    sigaction(info->si_signo, NULL, &held);
    return !is_for_all || held.sa_handler != SIG_IGN;
}

static void say(uint32_t count)
{
    fprintf(stderr,
            "tally: %" PRIu32 " process%s of the program run%s on and %s "
            "recorded; Ctrl-C or kill %ld ends that, --wait=first at once\n",
            count, count == 1 ? "" : "es", count == 1 ? "s" : "",
            count == 1 ? "is" : "are", (long)getpid());
}

void record_wait(uint64_t seconds, struct image_writer *writer,
                 struct signal_relay *relay, bool is_quiet)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), passed = 0;
    bool is_said = is_quiet;
    siginfo_t info = { 0 };
    uint32_t count;

    while (passed / SECOND < seconds &&
           (count = image_writer_running(writer)) > 0 &&
           !ends_the_wait(&info)) {
        int wait_ms = image_writer_poll(writer);
        struct timespec interval = {
            .tv_nsec = (wait_ms < LOOK_MS ? wait_ms : LOOK_MS) * 1000000L
        };

        if (passed == 0)
            give_up_streams();
        if (!is_said && passed >= SECOND) {
            say(count);
            is_said = true;
        }
        info.si_signo = 0;
        if (sigtimedwait(&relay->all, &info, &interval) == SIGTSTP)
            program_wait_stop_by(SIGTSTP, relay);
        passed = clock_ns(CLOCK_MONOTONIC) - begin;
    }
}
