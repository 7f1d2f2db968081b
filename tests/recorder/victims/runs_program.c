/* SPDX-License-Identifier: Apache-2.0 */
/* runs_program.c - allocate, run the given program, and exit with its status */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

static void *in_main(void)
{
    return victim_keep(malloc(10));
}

int main(int argc, char **argv)
{
    char *empty[] = { NULL };
    int with_environment = argc > 2 && strcmp(argv[1], "with") == 0;
    pid_t child;
    int status;

    REQUIRE(argc > 2);
    in_main();
    REQUIRE(posix_spawn(&child, argv[2], NULL, NULL, argv + 2,
                        with_environment ? environ : empty) == 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    in_main();
    return WIFEXITED(status) ? WEXITSTATUS(status) : VICTIM_FAILED;
}
