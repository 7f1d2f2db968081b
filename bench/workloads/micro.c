/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro.c - cost of a malloc and its free
 *
 * Blocks have 8 to 240 bytes in steps of 8, allocated DEPTH frames below main,
 * so that a recorder of whole stacks has a stack to unwind. The work is done in
 * slices, each with all sizes; their spread shows disturbance by other
 * processes. Prints nanoseconds of CPU time per pair, of the median slice and
 * of the fastest. With THREADS, that many threads do all that in each slice.
 *
 * usage: micro ITERATIONS DEPTH [THREADS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALLEST = 8, LARGEST = 240, STEP = 8 };
enum { SIZE_COUNT = (LARGEST - SMALLEST) / STEP + 1 };
enum { SLICES = 25, MOST_THREADS = 64 };

static _Thread_local void *volatile escaped;
static double slice_ns[SLICES];
static long iterations;
static int depth;
static int thread_count; /* 0: only the first thread */

static double processor_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void allocate_and_free(long rounds)
{
    for (size_t size = SMALLEST; size <= LARGEST; size += STEP) {
        for (long i = 0; i < rounds; i++) {
            char *block = malloc(size);

            *(volatile char *)block = 1;
            escaped = block; /* otherwise the compiler removes the pair */
            free(escaped);
        }
    }
}

static __attribute__((noinline)) void descend(int level, long rounds)
{
    volatile char frame[24];

    frame[0] = (char)level;
    if (level > 0)
        descend(level - 1, rounds);
    else
        allocate_and_free(rounds);
    frame[1] = frame[0]; /* keeps this frame: prevents a tail call */
}

static void *run_thread(void *unused)
{
    descend(depth, iterations);
    return unused;
}

static void run_slice(void)
{
    pthread_t threads[MOST_THREADS];

    if (thread_count == 0)
        run_thread(NULL);
    for (int i = 0; i < thread_count; i++)
        pthread_create(&threads[i], NULL, run_thread, NULL);
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;

    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv)
{
    double pairs;

    iterations = (argc > 1 ? atol(argv[1]) : 1000000) / SLICES;
    depth = argc > 2 ? atoi(argv[2]) : 8;
    thread_count = argc > 3 ? atoi(argv[3]) : 0;
    if (thread_count < 0 || thread_count > MOST_THREADS) {
        fprintf(stderr, "usage: micro ITERATIONS DEPTH [THREADS]\n");
        return 2;
    }
    pairs = (double)iterations * SIZE_COUNT *
            (thread_count == 0 ? 1 : thread_count);

    descend(depth, 1000); /* warm up */
    for (int slice = 0; slice < SLICES && iterations > 0; slice++) {
        double begin = processor_ns();

        run_slice();
        slice_ns[slice] = (processor_ns() - begin) / pairs;
    }
    qsort(slice_ns, SLICES, sizeof *slice_ns, compare);
    printf("%.3f %.3f\n", slice_ns[SLICES / 2], slice_ns[0]);
    return 0;
}
