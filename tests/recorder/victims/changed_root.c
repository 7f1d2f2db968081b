/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changed_root.c - chroot into a folder without /proc and /dev
 *
 * The program is still recorded, at new call sites and sizes. A child forked in
 * there cannot open the session; it runs on, and is counted.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

static void *before(void)
{
    return victim_keep(malloc(10));
}

static void *after(size_t size)
{
    return victim_keep(malloc(size));
}

static void *in_child(void)
{
    return victim_keep(malloc(30));
}

int main(void)
{
    pid_t child;
    int status;

    before();
    mkdir("root", 0755);
    if (chroot("root") != 0)
        REQUIRE(unshare(CLONE_NEWUSER) == 0 && chroot("root") == 0);
    REQUIRE(chdir("/") == 0);
    for (size_t i = 0; i < 1000; i++)
        after(i * 100);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        in_child();
        _exit(5);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    return 0;
}
