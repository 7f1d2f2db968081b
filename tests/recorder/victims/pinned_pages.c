/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pinned_pages.c - two stacks whose blocks are mostly freed, at random
 *
 * The remaining blocks pin pages, of one stack or of both. A line of input is a
 * command, answered by a line: `first` and `second` free the blocks of that
 * stack and trim the heap, `fork` makes a child that waits for its end. The
 * program ends with its input.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 150000, KEPT_IN = 10, RUN = 1000 };

static char *blocks[2][BLOCKS];

static char *first(size_t size)
{
    return malloc(size);
}

static char *second(size_t size)
{
    return malloc(size);
}

static uint32_t next_random(void)
{
    static uint32_t state = 12345;

    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Allocate alternately, so that pages belong to one stack, to the other, or to
   both. */
static void fill(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        size_t size = 40 + next_random() % 400;
        int which = i / RUN % 2;

        blocks[which][i] = which == 0 ? first(size) : second(size);
        memset(blocks[which][i], 1, size);
    }
}

static void drop(int which, unsigned kept_in)
{
    for (int i = 0; i < BLOCKS; i++) {
        if (kept_in != 0 && next_random() % kept_in == 0)
            continue;
        free(blocks[which][i]);
        blocks[which][i] = NULL;
    }
}

static void wait_in_child(void)
{
    char byte;
    int ends[2];
    pid_t child;

    if (pipe(ends) < 0)
        exit(1);
    /* Make libc sort its free chunks now, 10,000 at a time, and none in the
       child. */
    for (int i = 0; i < 100; i++)
        free(malloc(65536));
    child = fork();
    if (child == 0) {
        close(ends[1]);
        free(malloc(1)); /* opens the child's ledger */
        printf("%ld\n", (long)getpid());
        fflush(stdout);
        _exit(read(STDIN_FILENO, &byte, 1) < 0);
    }
    close(ends[0]);
    waitpid(child, NULL, 0);
}

int main(void)
{
    static char buffer[BUFSIZ];
    char line[32];

    /* Use a static buffer, so that nothing is allocated while the program
       waits. */
    setvbuf(stdin, buffer, _IOFBF, sizeof buffer);
    fill();
    drop(0, KEPT_IN);
    drop(1, KEPT_IN);
    malloc_trim(0);
    puts("held");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strcmp(line, "fork\n") == 0) {
            wait_in_child();
            break;
        }
        drop(strcmp(line, "second\n") == 0, 0);
        malloc_trim(0);
        puts("freed");
        fflush(stdout);
    }
    return 0;
}
