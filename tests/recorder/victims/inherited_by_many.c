/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inherited_by_many.c - eight children that keep what they inherited
 *
 * 1,000 blocks of 2,000 bytes; each child allocates one block more, of a byte,
 * and ends.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 1000, CHILDREN = 8 };

static void *held[BLOCKS + 1];

int main(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        held[i] = malloc(2000);
        if (held[i] == NULL)
            return 99;
    }
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();

        if (child == 0) {
            held[BLOCKS] = malloc(1);
            _exit(held[BLOCKS] == NULL);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child)
            return 99;
    }
    return 0;
}
