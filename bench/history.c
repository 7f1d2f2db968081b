/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.c - a program with many stacks, some of which change regularly
 *
 *     history STACKS CHANGES INTERVAL_MS SECONDS
 *
 * Each stack holds one block. In each interval the same CHANGES of them replace
 * it by a block of another size.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BITS = 17 };

static void *blocks[1 << BITS];

static __attribute__((noinline)) void ask(unsigned number)
{
    free(blocks[number]);
    blocks[number] = malloc(16 + (unsigned)rand() % 4096);
}

/* A distinct path for each number: the asm keeps both calls apart. */
static __attribute__((noinline)) void go(unsigned number, unsigned bits)
{
    if (bits == 0) {
        ask(number);
    } else if ((number >> (bits - 1) & 1) != 0) {
        go(number, bits - 1);
        __asm__ volatile("nop" ::: "memory");
    } else {
        go(number, bits - 1);
    }
    __asm__ volatile("" ::: "memory");
}

static unsigned milliseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned)(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

int main(int argc, char **argv)
{
    unsigned stacks, changes, interval, end;

    if (argc != 5)
        return 2;
    stacks = (unsigned)atoi(argv[1]);
    changes = (unsigned)atoi(argv[2]);
    interval = (unsigned)atoi(argv[3]);
    end = milliseconds() + 1000 * (unsigned)atoi(argv[4]);
    if (changes == 0 || stacks < changes || stacks > 1u << BITS)
        return 2;
    for (unsigned i = 0; i < stacks; i++)
        go(i, BITS);
    while (milliseconds() < end) {
        for (unsigned i = 0; i < changes; i++)
            go(i * (stacks / changes), BITS);
        usleep(interval * 1000);
    }
    return 0;
}
