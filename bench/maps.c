/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.c - nanoseconds of an mmap and its munmap, at a call depth
 *
 *     maps PAIRS DEPTH
 *
 * Prints the fastest of nine rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { ROUNDS = 9, SIZE = 65536 };

static void pair(void)
{
    void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (mapped == MAP_FAILED || munmap(mapped, SIZE) != 0)
        abort();
}

static __attribute__((noinline)) void deep(long depth)
{
    if (depth > 0)
        deep(depth - 1);
    else
        pair();
    __asm__ volatile(""); /* prevents a tail call */
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    long pairs = argc == 3 ? atol(argv[1]) : 0;
    long depth = argc == 3 ? atol(argv[2]) : 0;
    double fastest = 1e18;

    if (pairs <= 0)
        return 2;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), ns;

        for (long i = 0; i < pairs; i++)
            deep(depth);
        ns = (now_ns() - begin) / (double)pairs;
        if (ns < fastest)
            fastest = ns;
    }
    printf("%.0f\n", fastest);
    return 0;
}
