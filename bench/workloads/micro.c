/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro.c - what one malloc and its free cost
 *
 * Sizes 8 to 240 in steps of 8, called from DEPTH frames below main, so that a
 * recorder of whole stacks has a stack to look at. The work is done in slices,
 * each with all sizes; what other processes disturb is seen in their spread.
 * Prints nanoseconds of processor time for each pair, twice: of the median
 * slice and of the fastest.
 *
 * usage: micro ITERATIONS DEPTH
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALLEST = 8, LARGEST = 240, STEP = 8 };
enum { SIZE_COUNT = (LARGEST - SMALLEST) / STEP + 1 };
enum { SLICES = 25 };

static void *volatile escaped;
static double slice_ns[SLICES];

static double processor_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void allocate_and_free(long iterations)
{
    for (size_t size = SMALLEST; size <= LARGEST; size += STEP) {
        for (long i = 0; i < iterations; i++) {
            char *block = malloc(size);

            *(volatile char *)block = 1;
            escaped = block; /* or the compiler removes the pair */
            free(escaped);
        }
    }
}

static __attribute__((noinline)) void descend(int depth, long iterations)
{
    volatile char frame[24];

    frame[0] = (char)depth;
    if (depth > 0)
        descend(depth - 1, iterations);
    else
        allocate_and_free(iterations);
    frame[1] = frame[0]; /* keeps this frame: no tail call */
}

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;

    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv)
{
    long iterations = (argc > 1 ? atol(argv[1]) : 1000000) / SLICES;
    int depth = argc > 2 ? atoi(argv[2]) : 8;

    descend(depth, 1000); /* warm up */
    for (int slice = 0; slice < SLICES && iterations > 0; slice++) {
        double begin = processor_ns();

        descend(depth, iterations);
        slice_ns[slice] =
            (processor_ns() - begin) / ((double)iterations * SIZE_COUNT);
    }
    qsort(slice_ns, SLICES, sizeof *slice_ns, compare);
    printf("%.3f %.3f\n", slice_ns[SLICES / 2], slice_ns[0]);
    return 0;
}
