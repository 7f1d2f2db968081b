/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - cost of malloc and free with an event trace
 *
 *     events MILLIONS
 *
 * The program does nothing else. It prints nanoseconds of wall clock and of CPU
 * time per call.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LIVE = 16, MILLION = 1000000 };

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    long calls = (argc > 1 ? atol(argv[1]) : 1) * MILLION;
    void *volatile live[LIVE] = { NULL };
    uint64_t elapsed, processor;

    for (long i = 0; i < LIVE; i++)
        live[i] = malloc(16 + (size_t)i);
    elapsed = read_ns(CLOCK_MONOTONIC);
    processor = read_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < calls / 2; i++) {
        free(live[i % LIVE]);
        live[i % LIVE] = malloc(16 + (size_t)i % 64);
    }
    processor = read_ns(CLOCK_PROCESS_CPUTIME_ID) - processor;
    elapsed = read_ns(CLOCK_MONOTONIC) - elapsed;
    printf("%.2f %.2f\n", (double)elapsed / (double)calls,
           (double)processor / (double)calls);
    return 0;
}
