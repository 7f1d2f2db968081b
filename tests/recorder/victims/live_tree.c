/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_tree.c - processes that share a mapping, and wait for a line
 *
 * A parent, three children and a grandchild each hold a block of their own.
 * They share one mapping of 1 MiB; each has a private one of 64 KiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/recorder/victims/victim.h"

enum { CHILDREN = 3 };

static void hold(size_t size)
{
    victim_keep(malloc(size));
}

static void say_that_it_holds(int out)
{
    if (write(out, "x", 1) != 1)
        _exit(1);
}

/* Overwrite the environment with a title for ps, like servers do. */
static void overwrite_environment(void)
{
    for (char **text = environ; *text != NULL; text++)
        memset(*text, ' ', strlen(*text));
}

/* Wait until the parent's end of the pipe is closed. */
static void live(int out, int in)
{
    char byte;

    overwrite_environment();
    say_that_it_holds(out);
    _exit(read(in, &byte, 1) == 0 ? 0 : 1);
}

int main(void)
{
    int ready[2], over[2];
    char byte;

    if (pipe(ready) < 0 || pipe(over) < 0)
        return 1;
    victim_keep(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    victim_keep(mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() != 0)
            continue;
        close(over[1]);
        hold(10000 * (size_t)(i + 1));
        if (i == 0 && fork() == 0) {
            hold(70000);
            live(ready[1], over[0]);
        }
        live(ready[1], over[0]);
    }
    hold(5000);
    for (int i = 0; i < CHILDREN + 1; i++) {
        if (read(ready[0], &byte, 1) != 1)
            return 1;
    }
    printf("%ld\n", (long)getpid());
    fflush(stdout);
    (void)getchar();
    close(over[1]);
    while (wait(NULL) > 0)
        ;
    return 0;
}
