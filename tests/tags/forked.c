/* SPDX-License-Identifier: Apache-2.0 */
/* forked.c - a child that has allocated nothing yet has its parent's blocks */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tags/rows.h"

static void expect_of_child(int (*child)(void *), void *block)
{
    int status;
    pid_t pid = fork();

    EXPECT(pid >= 0);
    if (pid == 0)
        _exit(child(block));
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

static const int line = __LINE__ + 4; /* of the block */

static void *make(void)
{
    return malloc(100);
}

static int reads(void *block)
{
    EXPECT_LINE(line, 100, 1);
    free(block);
    EXPECT_LINE(line, 0, 0);
    return 0;
}

static int is_switched_off(void *block)
{
    EXPECT(tally_sysctl("vm.mem_profiling=0") == 0);
    make();
    EXPECT_LINE(line, 100, 1);
    free(block);
    EXPECT_LINE(line, 0, 0);
    return 0;
}

static int is_switched_on(void *block)
{
    EXPECT(tally_sysctl("vm.mem_profiling=1") == 0);
    make();
    EXPECT_LINE(line, 200, 2);
    free(block);
    return 0;
}

int main(void)
{
    void *block = make();

    expect_of_child(reads, block);
    expect_of_child(is_switched_off, block);
    EXPECT(tally_sysctl("vm.mem_profiling=0") == 0);
    expect_of_child(is_switched_on, block);
    EXPECT_LINE(line, 100, 1);
    free(block);
    return 0;
}
