/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_generations.c - three generations of children, each recorded separately
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { DEPTH = 6 };

static void *own_block(void)
{
    return victim_keep(malloc(1000));
}

int main(void)
{
    void *block = NULL;

    for (int depth = 0; depth < DEPTH; depth++) {
        pid_t child;
        int status;

        free(block); /* allocated by the parent, freed in every child */
        block = own_block();
        child = fork();
        REQUIRE(child >= 0);
        if (child != 0) {
            REQUIRE(waitpid(child, &status, 0) == child);
            REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            return 0;
        }
    }
    return 0;
}
