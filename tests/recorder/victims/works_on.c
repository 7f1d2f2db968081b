/* SPDX-License-Identifier: Apache-2.0 */
/*
 * works_on.c - print "begun", wait for a line, allocate and fork, print "done"
 *
 * A scenario acts on the recording while the program waits.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

static void *before(void)
{
    return victim_keep(malloc(100));
}

static void *after(size_t size)
{
    return victim_keep(malloc(size));
}

int main(void)
{
    pid_t child;
    int status;
    char byte;

    for (int i = 0; i < 1000; i++)
        before();
    victim_say("begun\n");
    REQUIRE(read(STDIN_FILENO, &byte, 1) == 1);
    for (size_t i = 0; i < 20000; i++)
        after(i);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        after(1);
        _exit(5);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    victim_say("done\n");
    return 4;
}
