/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phases.c - two functions whose live blocks rise and fall at known times
 *
 * Print a line for each phase: its start and end in nanoseconds of
 * CLOCK_REALTIME, and the live blocks of 1,000 bytes of `north` and `south`.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/recorder/victims/victim.h"

enum { SIZE = 1000, MOST = 900, PHASES = 5, PHASE_US = 420000 };

struct held {
    void *blocks[MOST];
    int count;
};

static const struct {
    int north, south;
} phases[PHASES] = {
    { 100, 0 }, { 700, 30 }, { 5, 900 }, { 0, 1 }, { 250, 250 },
};

static __attribute__((noinline)) void *north(void)
{
    void *block = malloc(SIZE);

    victim_keep(block);
    return block;
}

static __attribute__((noinline)) void *south(void)
{
    void *block = malloc(SIZE);

    victim_keep(block);
    return block;
}

static void hold(struct held *held, int count, void *(*ask)(void))
{
    while (held->count < count)
        held->blocks[held->count++] = ask();
    while (held->count > count)
        free(held->blocks[--held->count]);
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(void)
{
    static struct held held[2];
    static char line[128];

    for (int i = 0; i < PHASES; i++) {
        uint64_t begin;
        int length;

        hold(&held[0], phases[i].north, north);
        hold(&held[1], phases[i].south, south);
        begin = now();
        usleep(PHASE_US);
        length = snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 " %d %d\n",
                          begin, now(), phases[i].north, phases[i].south);
        REQUIRE(write(1, line, (size_t)length) == length);
    }
    return 0;
}
