/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency.c - a heap of BYTES in blocks of about SIZE bytes
 *
 * Several stacks allocate the blocks; `half` frees every other block. The
 * program prints their number and waits for the end of its input.
 *
 * usage: residency BYTES SIZE {all|half}
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32 };

static size_t wanted;
static void *got;

/* Each depth is a different stack. */
static __attribute__((noinline)) int take(unsigned depth)
{
    if (depth > 0)
        return take(depth - 1) + 1;
    got = malloc(wanted);
    return got == NULL;
}

int main(int argc, char **argv)
{
    uint64_t bytes = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t size = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t taken = 0, blocks = 0;
    uint32_t state = 1;
    void *before = NULL;

    if (bytes == 0 || size == 0)
        return 2;
    while (taken < bytes) {
        state = state * 1664525 + 1013904223;
        wanted = (size_t)(size / 2 + (state >> 8) % size);
        if (take(state >> 16 & (DEPTH - 1)) == 1 && got == NULL)
            return 1;
        memset(got, 1, wanted);
        taken += (wanted + 23) / 16 * 16;
        if (strcmp(argv[3], "half") == 0 && blocks % 2 == 1)
            free(before);
        blocks++;
        before = got;
    }
    printf("%llu\n", (unsigned long long)blocks);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
