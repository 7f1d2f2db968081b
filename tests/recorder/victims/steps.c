/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - allocates and frees as it is told, a letter a step
 *
 * Each step is answered by a dot. What its stacks did is known by the letters.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "tests/recorder/victims/victim.h"

enum { FIRST = 100, FIRST_SIZE = 1000, SECOND = 50, FREED = 30, MOST = 100000 };

static void *blocks[MOST];
static size_t count;

static void *first(void)
{
    return malloc(FIRST_SIZE);
}

static void *second(void)
{
    return malloc(24);
}

static void *short_lived(void)
{
    return malloc(77);
}

static void fork_one(void)
{
    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    victim_keep(second());
    victim_say(":");
    pause();
    _exit(0);
}

int main(void)
{
    char *const sleep[] = { "sleep", "60", NULL };
    char session[256] = "TALLY_SESSION=";
    char *const environment[] = { session, NULL };
    char step;

    victim_say(".");
    while (read(STDIN_FILENO, &step, 1) == 1 && step != 'e') {
        for (int i = 0; i < FIRST && step == 'a'; i++)
            blocks[count++] = first();
        for (int i = 0; i < SECOND && step == 'b'; i++)
            victim_keep(second());
        for (int i = 0; i < FREED && step == 'f'; i++)
            free(blocks[--count]);
        for (int i = 0; i < FIRST && step == 't'; i++)
            free(victim_keep(short_lived()));
        if (step == 'c')
            fork_one();
        if (step == 'x') { /* without the recorder */
            strncat(session, getenv("TALLY_SESSION"), 200);
            execve("/bin/sleep", sleep, environment);
        }
        victim_say(".");
    }
    return 4;
}
