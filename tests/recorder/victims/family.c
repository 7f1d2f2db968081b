/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family.c - a tree of processes: a fork, a fork that execs, a spawn, an exec
 *
 * Each process prints its name, allocates in a function of its own, and waits
 * for its children. Run by scenarios.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

static char self[4096];

static void *in_parent(void)
{
    return victim_keep(malloc(10));
}

static void *in_child(void)
{
    return victim_keep(malloc(20));
}

static void *in_image(void)
{
    return victim_keep(malloc(30));
}

static void await(pid_t child)
{
    int status;

    REQUIRE(child > 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void exec_image(const char *name)
{
    char copy[20];
    char *arguments[] = { self, copy, NULL };

    strcpy(copy, name);
    execv(self, arguments);
    victim_fail("execv failed\n");
}

static void fork_only(void)
{
    pid_t child = fork();

    if (child == 0) {
        in_child();
        _exit(0);
    }
    await(child);
}

static void fork_and_exec(void)
{
    pid_t child = fork();

    if (child == 0) {
        in_child();
        exec_image("image");
    }
    await(child);
}

static void spawn(void)
{
    static char image[] = "image";
    char *arguments[] = { self, image, NULL };
    pid_t child;

    REQUIRE(posix_spawn(&child, self, NULL, NULL, arguments, environ) == 0);
    await(child);
}

int main(int argc, char **argv)
{
    REQUIRE(strlen(argv[0]) < sizeof self);
    strcpy(self, argv[0]);
    if (argc == 2) {
        in_image();
        victim_say(argv[1]);
        victim_say("\n");
        return 0;
    }
    in_parent();
    fork_only();
    fork_and_exec();
    spawn();
    exec_image("successor");
    return 0;
}
