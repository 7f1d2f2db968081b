/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late_daemon.c - children that live, or end, before their first allocation
 *
 * The program ends when its children have got there. HOW is one of
 *
 *     once        a forked child that waits for FIFO, and then allocates
 *     twice       a grandchild that does so, in a session of its own
 *     crowd       three such children, and one that has allocated and ended
 *     exec        a forked child that runs an image, which waits for FIFO
 *     vfork       a child of vfork that does so
 *     held        a forked child that has allocated, and is blocked by its own
 *                 child, which shares its memory and waits for FIFO
 *     ended       ten forked children that exit and never allocate
 *     killed      ten that are killed at once
 *     no_room     one with no address space left, which allocates and ends
 *
 * Run by scenarios.
 *
 * usage: late_daemon HOW FIFO
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { CROWD = 3, MANY = 10, STATUS = 6 };

static int ready[2];

static void await(const char *path)
{
    int fd;

    REQUIRE(write(ready[1], "x", 1) == 1);
    do
        fd = open(path, O_RDONLY);
    while (fd < 0 && errno == EINTR);
    REQUIRE(fd >= 0);
    close(fd);
}

static void linger(const char *path)
{
    await(path);
    victim_keep(malloc(10));
    _exit(0);
}

static void begin(const char *path)
{
    if (fork() == 0)
        linger(path);
}

static void begin_crowd(const char *path)
{
    pid_t child = fork();

    if (child == 0) {
        victim_keep(malloc(20));
        _exit(0);
    }
    REQUIRE(waitpid(child, NULL, 0) == child);
    for (int i = 0; i < CROWD; i++)
        begin(path);
}

static void begin_twice(const char *path)
{
    pid_t child = fork();

    if (child == 0) {
        setsid();
        begin(path);
        _exit(0);
    }
    REQUIRE(waitpid(child, NULL, 0) == child);
}

/* A child of vfork may do no more than this. */
static void run_image(char **argv, pid_t child)
{
    static char image[] = "image", descriptor[] = { 'a', '\0' };
    char *arguments[] = { argv[0], image, argv[2], descriptor, NULL };

    if (child != 0)
        return;
    descriptor[0] = (char)('a' + ready[1]);
    execv(argv[0], arguments);
    _exit(1);
}

static void hold(const char *path)
{
    if (fork() != 0)
        return;
    victim_keep(malloc(20));
    if (vfork() == 0) {
        int fd;

        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        fd = open(path, O_RDONLY);
        _exit(fd < 0);
    }
    _exit(0);
}

static void end_many(bool are_killed)
{
    for (int i = 0; i < MANY; i++) {
        pid_t child = fork();
        int status;

        if (child == 0 && are_killed)
            pause();
        if (child == 0)
            _exit(0);
        if (are_killed)
            kill(child, SIGKILL);
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status) == are_killed);
    }
}

static void end_without_room(void)
{
    const struct rlimit none = { 1, 1 };
    pid_t child = fork();

    if (child == 0) {
        setrlimit(RLIMIT_AS, &none);
        victim_keep(malloc(20));
        _exit(0);
    }
    REQUIRE(waitpid(child, NULL, 0) == child);
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[1] : "";
    int expected = 1;
    char byte;

    victim_keep(malloc(30));
    if (argc > 3) {
        ready[1] = argv[3][0] - 'a';
        linger(argv[2]);
    }
    REQUIRE(argc > 2 && pipe(ready) == 0);
    if (strcmp(how, "once") == 0)
        begin(argv[2]);
    else if (strcmp(how, "twice") == 0)
        begin_twice(argv[2]);
    else if (strcmp(how, "exec") == 0)
        run_image(argv, fork());
    else if (strcmp(how, "vfork") == 0)
        run_image(argv, vfork());
    else if (strcmp(how, "held") == 0)
        hold(argv[2]);
    if (strcmp(how, "crowd") == 0) {
        begin_crowd(argv[2]);
        expected = CROWD;
    } else if (strcmp(how, "ended") == 0 || strcmp(how, "killed") == 0) {
        end_many(how[0] == 'k');
        expected = 0;
    }
    if (strcmp(how, "no_room") == 0) {
        end_without_room();
        expected = 0;
    }
    for (int i = 0; i < expected; i++)
        REQUIRE(read(ready[0], &byte, 1) == 1);
    _exit(STATUS);
}
