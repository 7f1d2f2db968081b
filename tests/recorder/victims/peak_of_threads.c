/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak_of_threads.c - threads that never allocate at the same time, and their
 * peak
 *
 * argv[1] is one of
 *
 *     one_by_one  each thread does the same and keeps nothing
 *     heirs       each is joined before the next starts, allocates at random,
 *                 and frees blocks of ended threads; main does so between them
 *     pool        4 threads take turns
 *     crowd       12 threads take turns
 *     order       7 threads start in one order and end in another
 *
 * With argv[3] "maps" they also map memory. At the end print the peak with and
 * without mappings, less the blocks that the C library keeps for threads: they
 * live from before the first turn to the end, and all others are freed.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 4096, MOST_THREADS = 12, LARGE = 100000, PAGE = 4096 };

static void *blocks[BLOCKS];
static size_t sizes[BLOCKS];
static uint64_t live, peak;
static uint64_t heap, heap_peak; /* requested bytes without mappings */
static bool has_maps;
static uint32_t state = 1;

static uint32_t draw(uint32_t limit)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

static bool is_map(size_t size)
{
    return has_maps && size % PAGE == 0;
}

static void put(uint32_t i, size_t size)
{
    blocks[i] =
        victim_keep(is_map(size) ? mmap(NULL, size, PROT_READ,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : malloc(size));
    sizes[i] = size;
    live += size;
    heap += is_map(size) ? 0 : size;
    peak = live > peak ? live : peak;
    heap_peak = heap > heap_peak ? heap : heap_peak;
}

static void drop(uint32_t i)
{
    if (blocks[i] == NULL)
        return;
    live -= sizes[i];
    if (is_map(sizes[i])) {
        REQUIRE(munmap(blocks[i], sizes[i]) == 0);
    } else {
        heap -= sizes[i];
        free(blocks[i]);
    }
    blocks[i] = NULL;
}

/* Allocate, free or resize by a random amount. */
static void change(void)
{
    uint32_t some = 1 + draw(300), mostly = draw(4);
    size_t most = draw(8) == 0 ? LARGE : 16 + draw(200);

    for (uint32_t step = 0; step < some; step++) {
        uint32_t i = draw(BLOCKS);

        if (draw(4) < mostly)
            drop(i);
        else if (blocks[i] == NULL)
            put(i, has_maps && draw(8) == 0 ? (1 + draw(16)) * PAGE
                                            : 1 + draw((uint32_t)most));
    }
    while (live > 30 * LARGE)
        drop(draw(BLOCKS));
}

static void *change_alone(void *nothing)
{
    for (uint32_t times = draw(4); times-- > 0;)
        change();
    return nothing;
}

static void *do_the_same(void *nothing)
{
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 200; i++)
            put(i, 100);
        for (uint32_t i = 0; i < 200; i++)
            drop(i);
    }
    return nothing;
}

static void run_alone(void *(*run)(void *))
{
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, run, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_passed = PTHREAD_COND_INITIALIZER;
static uint32_t turn; /* number of the thread whose turn it is; 0: none */

static void pass_to(uint32_t whose)
{
    pthread_mutex_lock(&lock);
    turn = whose;
    pthread_cond_broadcast(&has_passed);
    pthread_mutex_unlock(&lock);
}

static void wait_for(uint32_t whose)
{
    pthread_mutex_lock(&lock);
    while (turn != whose)
        pthread_cond_wait(&has_passed, &lock);
    pthread_mutex_unlock(&lock);
}

static uint32_t is_over[MOST_THREADS + 1];

static void *take_turns(void *argument)
{
    uint32_t self = (uint32_t)(uintptr_t)argument;

    for (;;) {
        wait_for(self);
        if (is_over[self])
            break;
        change();
        pass_to(0);
    }
    pass_to(0);
    return NULL;
}

static void hand_over(uint32_t to)
{
    pass_to(to);
    wait_for(0);
}

static void let_take_turns(uint32_t count, uint32_t turns, int is_other_order)
{
    pthread_t threads[MOST_THREADS + 1];

    for (uint32_t i = 1; i <= count; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, take_turns,
                               (void *)(uintptr_t)i) == 0);
        if (turns != 0)
            hand_over(i);
    }
    while (turns-- > 0)
        hand_over(1 + draw(count));
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t which = is_other_order ? 1 + (i * 3) % count : i;

        is_over[which] = 1;
        hand_over(which);
        REQUIRE(pthread_join(threads[which], NULL) == 0);
        if (is_other_order && i < count)
            hand_over(1 + ((i + 1) * 3) % count);
    }
    memset(is_over, 0, sizeof is_over);
}

int main(int argc, char **argv)
{
    const char *how = argc < 2 ? "" : argv[1];

    state = argc < 3 ? 1 : (uint32_t)atoi(argv[2]);
    has_maps = argc > 3;
    let_take_turns(MOST_THREADS, 0, 0); /* for blocks of the C library */
    if (strcmp(how, "one_by_one") == 0) {
        for (int thread = 0; thread < 64; thread++)
            run_alone(do_the_same);
    } else if (strcmp(how, "heirs") == 0) {
        for (int thread = 0; thread < 200; thread++) {
            run_alone(change_alone);
            if (draw(3) == 0)
                change();
        }
    } else {
        REQUIRE(strcmp(how, "pool") == 0 || strcmp(how, "crowd") == 0 ||
                strcmp(how, "order") == 0);
        for (int round = 0; round < 4; round++)
            let_take_turns(how[0] == 'p'   ? 4
                           : how[0] == 'c' ? MOST_THREADS
                                           : 7,
                           300, how[0] == 'o');
    }
    for (uint32_t i = 0; i < BLOCKS; i++)
        drop(i);
    dprintf(1, "%llu %llu\n", (unsigned long long)peak,
            (unsigned long long)heap_peak);
    return 0;
}
