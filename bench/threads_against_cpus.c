/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads_against_cpus.c - cost of an add to a shard, by its owner
 *
 * Measure the three adds of ledger/shards/shard_add.h in a loop: to the
 * thread's own shard, to the CPU's by a restartable sequence, and to the shared
 * one. An empty loop is subtracted. Prints nanoseconds per add, of the fastest
 * and the median round.
 *
 * usage: threads_against_cpus
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ledger/shards/shard_add.h"

enum { ADDS = 20000000, TURNS = 15, PAGE_COUNTERS = 128, SHARDS = 128 };

static struct ledger_counter counters[SHARDS * PAGE_COUNTERS]
    __attribute__((aligned(4096)));

static double processor_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Alternately one block more and one less, for four sites in turn. */
static struct ledger_counter *site(long i)
{
    return &counters[i & 3];
}

static enum shard_side side(long i)
{
    return (i & 1) != 0 ? SHARD_FREE : SHARD_ALLOC;
}

static void add_nothing(void)
{
    for (long i = 0; i < ADDS; i++)
        __asm__ volatile("" : : "r"(site(i)), "r"(side(i)) : "memory");
}

static void add_own(void)
{
    for (long i = 0; i < ADDS; i++)
        shard_add_own(account_in_shard(site(i), 1), side(i), 40);
}

static void add_cpu(void)
{
    for (long i = 0; i < ADDS; i++) {
        if (!shard_add_cpu(site(i), side(i), 40))
            abort(); /* main() checked that there is rseq */
    }
}

static void add_shared(void)
{
    for (long i = 0; i < ADDS; i++)
        shard_add_shared(site(i), side(i), 40);
}

static const struct way {
    const char *name;
    void (*add)(void);
} ways[] = {
    { "empty loop", add_nothing },
    { "thread's own shard", add_own },
    { "CPU's shard (rseq)", add_cpu },
    { "shared shard (atomic)", add_shared },
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static double turns_ns[WAYS][TURNS];

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;

    return (difference > 0) - (difference < 0);
}

static void measure(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t way = 0; way < WAYS; way++) {
            double begin = processor_ns();

            ways[way].add();
            turns_ns[way][turn] = (processor_ns() - begin) / ADDS;
        }
    }
}

int main(void)
{
    if (shard_cpus_open() == 0) {
        fprintf(stderr, "threads_against_cpus: no rseq on this system\n");
        return 1;
    }
    measure();
    puts("| way | fastest | median |\n| --- | --- | --- |");
    for (size_t way = 0; way < WAYS; way++) {
        qsort(turns_ns[way], TURNS, sizeof(double), compare);
        printf("| %s | %.2f ns | %.2f ns |\n", ways[way].name,
               turns_ns[way][0] - (way > 0 ? turns_ns[0][0] : 0),
               turns_ns[way][TURNS / 2] -
                   (way > 0 ? turns_ns[0][TURNS / 2] : 0));
    }
    return 0;
}
