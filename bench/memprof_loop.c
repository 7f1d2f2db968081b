/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_loop.c - cost of sampled allocations in a tight loop
 *
 * Allocate and free blocks, DEPTH calls below main, of sizes from SMALLEST to
 * LARGEST bytes in steps of STEP. The callbacks only keep the block tracked,
 * with whole stacks. The work is done in slices; print the CPU time per block
 * in nanoseconds, of the median slice and of the fastest. `keep` frees nothing
 * and prints the KiB that COUNT blocks made resident.
 *
 * RATE is a sampling rate; `off` starts no profile; `stopped` stops and
 * discards a profile before the loop. Without Tally there is only `off`.
 *
 * usage: memprof_loop RATE COUNT SMALLEST LARGEST STEP DEPTH [keep]
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLICES = 15 };

static void *volatile escaped;
static void **kept; /* NULL: blocks are freed */
static size_t kept_count;
static size_t smallest, largest, step;

#ifdef MEMPROF_LOOP_PLAIN
static int begin(const char *rate)
{
    return strcmp(rate, "off") == 0 ? 0 : -1;
}
#else
#include "bench/memprof_callbacks.h"

static int begin(const char *rate)
{
    int is_stopped = strcmp(rate, "stopped") == 0;
    struct memprof *profile;
    int error;

    if (strcmp(rate, "off") == 0)
        return 0;
    error = memprof_start(is_stopped ? 1e-4 : strtod(rate, NULL), INT_MAX,
                          &memprof_keeping, &profile);
    if (error == 0 && is_stopped) {
        free(malloc(1 << 20)); /* large enough to be sampled */
        error = memprof_stop();
    }
    return error == 0 && is_stopped ? memprof_discard(profile) : error;
}
#endif

static double processor_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void allocate(long count)
{
    size_t size = smallest;

    for (long i = 0; i < count; i++) {
        char *block = malloc(size);

        *(volatile char *)block = 1;
        escaped = block; /* otherwise the compiler removes the pair */
        if (kept != NULL)
            kept[kept_count++] = block;
        else
            free(escaped);
        size = size + step > largest ? smallest : size + step;
    }
}

static __attribute__((noinline)) void descend(int level, long count)
{
    volatile char frame[24];

    frame[0] = (char)level;
    if (level > 0)
        descend(level - 1, count);
    else
        allocate(count);
    frame[1] = frame[0]; /* keeps this frame: prevents a tail call */
}

static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        abort();
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;

    return (difference > 0) - (difference < 0);
}

static void keep_blocks(long count, int depth)
{
    long before;

    kept = calloc((size_t)count, sizeof *kept);
    memset(kept, 1, (size_t)count * sizeof *kept);
    before = resident_kib();
    descend(depth, count);
    printf("%ld\n", resident_kib() - before);
}

static void time_slices(long count, int depth)
{
    double slice_ns[SLICES];

    descend(depth, 1000); /* warm up */
    for (int slice = 0; slice < SLICES; slice++) {
        double start = processor_ns();

        descend(depth, count / SLICES);
        slice_ns[slice] = (processor_ns() - start) / (double)(count / SLICES);
    }
    qsort(slice_ns, SLICES, sizeof *slice_ns, compare);
    printf("%.3f %.3f\n", slice_ns[SLICES / 2], slice_ns[0]);
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : 0;
    int error;

    if (argc < 7 || count < SLICES) {
        fprintf(stderr, "usage: memprof_loop RATE COUNT SMALLEST LARGEST STEP "
                        "DEPTH [keep]\n");
        return 2;
    }
    smallest = strtoul(argv[3], NULL, 10);
    largest = strtoul(argv[4], NULL, 10);
    step = strtoul(argv[5], NULL, 10);
    error = begin(argv[1]);
    if (error != 0) {
        fprintf(stderr, "memprof_loop: rate %s: error %d\n", argv[1], error);
        return 1;
    }
    if (argc > 7)
        keep_blocks(count, atoi(argv[6]));
    else
        time_slices(count, atoi(argv[6]));
    return 0;
}
