/* SPDX-License-Identifier: Apache-2.0 */
/* never.c - the environment says never, and nothing undoes it */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tags/rows.h"

/* Constants, so that compilers know which functions are called. */
static const struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    char *(*strdup)(const char *);
    char *(*strndup)(const char *, size_t);
    void (*free)(void *);
} table = { malloc,         calloc, realloc, aligned_alloc, memalign,
            posix_memalign, valloc, strdup,  strndup,       free };

static void calls_by_address(void)
{
    void *block;

    table.free(table.malloc(1));
    table.free(table.calloc(1, 1));
    table.free(table.realloc(NULL, 1));
    table.free(table.aligned_alloc(64, 64));
    table.free(table.memalign(64, 1));
    table.free(table.valloc(1));
    table.free(table.strdup("x"));
    table.free(table.strndup("x", 1));
    EXPECT(table.posix_memalign(&block, 64, 1) == 0);
    table.free(block);
}

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
    free(valloc(1));
    free(pvalloc(1));
    EXPECT(posix_memalign(&block, 64, 1) == 0);
    free(block);
    calls_by_address();
    return 0;
}
