/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix.c - the family and free() once each, for every compiler and standard
 *
 * Written in the common subset of C and all versions of C++. `matrix` compiles
 * it with the header first, and after others.
 */
#ifdef IS_LATE
#ifdef __cplusplus
#include <cstdlib>
#endif
#include <stdlib.h>
#include <string.h>

#include "tally/malloc.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_first(struct alloc_tag *tag, void *context)
{
    struct alloc_tag_counters *sum = (struct alloc_tag_counters *)context;
    struct alloc_tag_counters row = alloc_tag_read(tag);

    if (strstr(tag->file, "matrix.c") == NULL)
        return 0;
    sum->bytes += row.bytes;
    sum->calls += row.calls;
    sum->total_bytes += row.total_bytes;
    sum->total_calls += row.total_calls;
    return 0;
}

static void print(const char *when)
{
    struct alloc_tag_counters sum;

    memset(&sum, 0, sizeof sum);
    alloc_tag_for_each(is_first, &sum);
    printf("%s: %d of %d bytes in %d of %d\n", when, (int)sum.bytes,
           (int)sum.total_bytes, (int)sum.calls, (int)sum.total_calls);
}

struct table {
    void (*free)(void *block);
};

int main(void)
{
    void *blocks[8];
    struct table table;
    int i;

    table.free = free;
    blocks[0] = malloc(1);
    blocks[1] = calloc(2, 5);
    blocks[2] = realloc(malloc(40), 100);
    blocks[3] = strdup("999 bytes");
    if (posix_memalign(&blocks[4], 64, 1000) != 0)
        return 1;
    blocks[5] = malloc(10000);
    blocks[6] = malloc(100000);
    blocks[7] = malloc(1000000);
    print("held");
    for (i = 0; i < 6; i++)
        free(blocks[i]);
    print("freed");
    blocks[6] = realloc(blocks[6], 7);
#ifdef __cplusplus
    std::free(blocks[7]);
#else
    (free)(blocks[7]);
#endif
    print("less");
    table.free(blocks[6]);
    print("by address");
    return 0;
}
