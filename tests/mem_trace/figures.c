/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - the whole heap, from before main, in a forked child too
 *
 * A reading allocates nothing, not even the first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/mbed_stats.h"

enum { EARLY = 3000, SMALL = 1000, SMALL_TAKES = 1008, LARGE = 500000 };

static void *volatile early, *volatile small, *volatile block;
static int failed;

static __attribute__((constructor)) void allocate_early(void)
{
    early = malloc(EARLY);
}

static void expect(const char *what, uint32_t got, uint32_t wanted)
{
    if (got == wanted)
        return;
    fprintf(stderr, "%s: expected %u, got %u\n", what, wanted, got);
    failed = 1;
}

static mbed_stats_heap_t read_heap(void)
{
    mbed_stats_heap_t heap;

    mbed_stats_heap_get(&heap);
    return heap;
}

static void look_at_child(mbed_stats_heap_t parents)
{
    mbed_stats_heap_t before = read_heap(), after;

    expect("a child begins with", before.current_size, parents.current_size);
    free(small);
    after = read_heap();
    expect("a child frees", before.current_size - after.current_size, SMALL);
    expect("blocks of a child", before.alloc_cnt - after.alloc_cnt, 1);
}

static void look_at_children(void)
{
    mbed_stats_heap_t before = read_heap();
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        look_at_child(before);
        _exit(failed);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = 1;
    expect("the child's status", (uint32_t)status, 0);
    expect("afterwards", read_heap().current_size, before.current_size);
}

int main(void)
{
    mbed_stats_heap_t first = read_heap(), before = read_heap(), after;

    expect("the first reading: blocks", before.alloc_cnt, first.alloc_cnt);
    expect("the first reading", before.current_size, first.current_size);

    free(early);
    before = read_heap();
    expect("early block", first.current_size - before.current_size, EARLY);
    small = malloc(SMALL);
    after = read_heap();
    expect("overhead_size", after.overhead_size - before.overhead_size,
           SMALL_TAKES - SMALL);
    block = malloc(LARGE);
    free(block);
    block = malloc(100);
    free(block);
    expect("overhead_size, freed", read_heap().overhead_size,
           after.overhead_size);
    after = read_heap();
    expect("current_size", after.current_size - before.current_size, SMALL);
    expect("alloc_cnt", after.alloc_cnt - before.alloc_cnt, 1);
    expect("max_size", after.max_size, before.current_size + SMALL + LARGE);
    if (after.total_size - before.total_size < SMALL + LARGE)
        expect("total_size", after.total_size - before.total_size,
               SMALL + LARGE);
    block = malloc(SIZE_MAX / 4);
    expect("alloc_fail_cnt", read_heap().alloc_fail_cnt,
           after.alloc_fail_cnt + 1);
    if (after.reserved_size < after.current_size || after.overhead_size == 0)
        expect("reserved_size", after.reserved_size, after.current_size);
    look_at_children();
    return failed;
}
