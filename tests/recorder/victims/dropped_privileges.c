/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dropped_privileges.c - a server that changes to an unprivileged user and then
 * forks
 *
 * The server is still recorded. Its child may not open the session of another
 * user; it runs on, and is counted, like a child in a namespace where the
 * session's path does not exist.
 */
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { UNPRIVILEGED = 65534 };

static void *before(void)
{
    return victim_keep(malloc(10));
}

static void *after(void)
{
    return victim_keep(malloc(20));
}

static void fork_once(void)
{
    pid_t child = fork();
    int status;

    REQUIRE(child >= 0);
    if (child == 0) {
        REQUIRE(after() != NULL);
        _exit(5);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    before();
    if (getuid() != 0)
        REQUIRE(unshare(CLONE_NEWUSER) == 0);
    else if (strcmp(argv[1], "user") == 0)
        REQUIRE(setgroups(0, NULL) == 0 && setgid(UNPRIVILEGED) == 0 &&
                setuid(UNPRIVILEGED) == 0);
    else
        REQUIRE(unshare(CLONE_NEWPID | CLONE_NEWNS) == 0);
    fork_once();
    after();
    return 0;
}
