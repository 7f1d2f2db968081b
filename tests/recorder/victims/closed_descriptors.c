/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closed_descriptors.c - close descriptors that the program did not open
 *
 * It closes all but the standard ones first, then changes its folder,
 * allocates, and forks a child that does the same again.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

static void *in_parent(void)
{
    return victim_keep(malloc(10));
}

static void *in_child(void)
{
    return victim_keep(malloc(20));
}

/* Require that no descriptor is open but the program's own. */
static void require_lowest(int expected)
{
    int lowest = dup(STDERR_FILENO);

    REQUIRE(lowest == expected);
    close(lowest);
}

int main(void)
{
    pid_t child;
    int status;

    closefrom(3);
    require_lowest(3);
    in_parent();
    require_lowest(3);
    REQUIRE(chdir("/") == 0);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(STDIN_FILENO);
        closefrom(3);
        in_child();
        require_lowest(0);
        _exit(5);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    in_parent();
    require_lowest(3);
    return 0;
}
