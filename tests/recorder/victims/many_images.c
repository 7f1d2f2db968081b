/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_images.c - children that allocate, and images started in every way
 *
 * A forked child prints C after it has allocated, an image I after it has
 * started. A failure in one of them leaves the others alone. Run by scenarios.
 */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

static void fork_one(void)
{
    pid_t child = fork();

    if (child == 0) {
        victim_keep(malloc(20));
        victim_say("C");
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    static char image[] = "image";
    char *arguments[] = { argv[0], image, NULL };
    pid_t child;

    victim_keep(malloc(10));
    if (argc == 2) {
        victim_say("I");
        return 0;
    }
    fork_one();
    child = fork();
    if (child == 0) {
        execv(argv[0], arguments);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    if (posix_spawn(&child, argv[0], NULL, NULL, arguments, environ) == 0)
        waitpid(child, NULL, 0);
    fork_one();
    execv(argv[0], arguments);
    return 1;
}
