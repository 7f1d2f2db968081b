/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inherited_lives.c - a child that frees half of the blocks of its parent
 *
 * 4,000 blocks of 1,000 bytes; the parent keeps its own.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 4000 };

static void *held[BLOCKS];

int main(void)
{
    pid_t child;

    for (int i = 0; i < BLOCKS; i++) {
        held[i] = malloc(1000);
        if (held[i] == NULL)
            return 99;
    }
    child = fork();
    if (child == 0) {
        for (int i = 0; i < BLOCKS / 2; i++)
            free(held[i]);
        _exit(0);
    }
    return child < 0 || waitpid(child, NULL, 0) != child;
}
