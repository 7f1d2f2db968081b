/* SPDX-License-Identifier: Apache-2.0 */
/* debug.c - CONFIG_MEM_ALLOC_PROFILING_DEBUG=y names calls without a hook */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tally/kmalloc.h"

#include "tests/tags/rows.h"

static void *helper_noprof(size_t size)
{
    return malloc_noprof(size);
}

#define helper(...) alloc_hooks(helper_noprof(__VA_ARGS__))

static void without_a_hook(void)
{
    for (int i = 0; i < 3; i++) {
        free(malloc_noprof(10));
        kfree(kmalloc_noprof(10, GFP_KERNEL));
    }
}

int main(void)
{
    FILE *said = tmpfile();
    char line[300];

    EXPECT(said != NULL);
    free(malloc(1));
    EXPECT(dup2(fileno(said), STDERR_FILENO) == STDERR_FILENO);
    free(helper(5));
    without_a_hook();
    rewind(said);
    for (int number = 22; number <= 23; number++) {
        char expected[300];

        snprintf(
            expected, sizeof expected,
            "tally: tests/tags/debug.c:%d: without_a_hook() allocates with "
            "no tag in force; this is not accounted until alloc_hooks() "
            "is around it\n",
            number);
        EXPECT(fgets(line, sizeof line, said) != NULL);
        EXPECT(strcmp(line, expected) == 0);
    }
    EXPECT(fgets(line, sizeof line, said) == NULL);
    return 0;
}
