/* SPDX-License-Identifier: Apache-2.0 */
/* never.c - the environment says never, and nothing undoes it */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tags/rows.h"

int main(void)
{
    void *block, *text;

    setenv("TALLY_SYSCTL", "sysctl.vm.mem_profiling=never", 1);
    block = malloc(100);
    ROW(0, 0);
    text = strdup("x");
    ROW(0, 0);
    EXPECT(*tally_mem_profiling == 0);
    EXPECT(tally_mem_profiling_frees == 0 && tally_mem_profiling_hooks == 0);
    EXPECT(tally_sysctl("vm.mem_profiling=1") == -EINVAL);
    EXPECT(allocinfo_write(STDOUT_FILENO) == -ENOENT);
    free(block);
    free(text);
    return 0;
}
