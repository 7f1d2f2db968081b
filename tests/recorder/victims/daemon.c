/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.c - a process that outlives its ancestors
 *
 * Fork twice into a new session with no descriptor open, and sleep for a while.
 * Then allocate, report that in FILE, wait for a byte in FIFO, allocate more
 * and exec an image that allocates as well. Run by scenarios.
 *
 * usage: daemon FILE FIFO
 */
#include <fcntl.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void before(void)
{
    victim_keep(malloc(10));
}

static void after(void)
{
    for (int i = 0; i < 100; i++)
        victim_keep(malloc(20));
}

static void successor(void)
{
    victim_keep(malloc(30));
}

static void say(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

    REQUIRE(fd >= 0 && write(fd, "here\n", 5) == 5);
    close(fd);
}

static void await(const char *path)
{
    int fd = open(path, O_RDONLY);
    char byte;

    while (read(fd, &byte, 1) < 0)
        ;
    close(fd);
}

int main(int argc, char **argv)
{
    static char name[] = "successor";
    char *arguments[] = { argv[0], name, NULL };

    if (argc == 2) {
        successor();
        return 0;
    }
    if (fork() != 0)
        _exit(6);
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int fd = 0; fd < 1000; fd++)
        close(fd);
    usleep(300000);
    before();
    say(argv[1]);
    await(argv[2]);
    after();
    execv(argv[0], arguments);
    return 1;
}
