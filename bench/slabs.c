/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slabs.c - cost of blocks of slabs and sys_heaps
 *
 * Prints "NAME VALUE" lines, in nanoseconds unless the name says otherwise.
 * With "ledger" the slabs are in a ledger, and only pairs are measured. With
 * SLABS_BARE, on the bare-metal port, only the pair is compiled.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tally/mem_slab.h"
#include "tally/sys_heap.h"

enum {
    PIECES = 40,
    PAIRS = 50000, /* in each piece */
    BATCH = 1000,
    BATCHES = 1000,
    MANY = 1000000,
    HEAP_BYTES = 4 << 20,
    HEAP_SLOTS = 40000,
    HEAP_PAIRS = 300000,
    HEAP_RUNS = 5,
    SECONDS_OF_TWO = 1,
};

K_MEM_SLAB_DEFINE(slab, 64, BATCH, 8);

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Print the time of one of PAIRS, in the fastest of PIECES, to exclude other
   processes. */
static void measure(const char *name, void (*run)(void *argument),
                    void *argument)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < PIECES; i++) {
        uint64_t start = now(), took;

        run(argument);
        took = now() - start;
        if (took < least)
            least = took;
    }
    printf("%s %.2f\n", name, (double)least / PAIRS);
}

static void take_and_give_back(void *of)
{
    void *mem;

    for (unsigned i = 0; i < PAIRS; i++) {
        k_mem_slab_alloc(of, &mem, K_NO_WAIT);
        k_mem_slab_free(of, mem);
    }
}

static void pairs_of(const char *name, struct k_mem_slab *of)
{
    measure(name, take_and_give_back, of);
}

#ifndef SLABS_BARE
K_MEM_SLAB_DEFINE(many, 8, MANY, 8);

static void say(const char *name, uint64_t start, unsigned count)
{
    printf("%s %.2f\n", name, (double)(now() - start) / count);
}

static void lock_and_unlock(void *mutex)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
}

static void locks(const char *name)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    measure(name, lock_and_unlock, &mutex);
}

static void batches(void)
{
    static void *blocks[BATCH];
    uint64_t start = now();

    for (unsigned n = 0; n < BATCHES; n++) {
        for (unsigned i = 0; i < BATCH; i++)
            k_mem_slab_alloc(&slab, &blocks[i], K_NO_WAIT);
        for (unsigned i = 0; i < BATCH; i++)
            k_mem_slab_free(&slab, blocks[i]);
    }
    say("slab_batch", start, BATCH * BATCHES);
    start = now();
    for (unsigned n = 0; n < BATCHES; n++) {
        for (unsigned i = 0; i < BATCH; i++)
            blocks[i] = malloc(64);
        for (unsigned i = 0; i < BATCH; i++)
            free(blocks[i]);
    }
    say("malloc_batch", start, BATCH * BATCHES);
}

static unsigned char region[HEAP_BYTES];
static struct sys_heap heap;
static void *slots[HEAP_SLOTS];
static uint32_t seed;

static uint32_t draw(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * limit >> 32);
}

static void *take_from_heap(size_t bytes)
{
    return sys_heap_alloc(&heap, bytes);
}

static void give_to_heap(void *block)
{
    sys_heap_free(&heap, block);
}

/* Replace a block; return the time it took. */
static uint64_t replace_one(unsigned count, void *(*take)(size_t bytes),
                            void (*give)(void *block))
{
    unsigned at = draw(count);
    size_t bytes = 16 + draw(400);
    uint64_t one = now();

    give(slots[at]);
    slots[at] = take(bytes);
    return now() - one;
}

/*
 * Fill to `percent`, then replace one block after the other. Repeat all of it:
 * interruptions hit different replacements each time, so the least time of each
 * is its own cost.
 */
static void replace(const char *name, unsigned percent,
                    void *(*take)(size_t bytes), void (*give)(void *block))
{
    static uint64_t least[HEAP_PAIRS / 10];
    uint64_t worst = 0;
    char worst_name[64];

    for (unsigned run = 0; run < HEAP_RUNS; run++) {
        size_t held = 0;
        unsigned count = 0;
        uint64_t start;

        seed = 1;
        sys_heap_init(&heap, region, sizeof region);
        while (held < (size_t)HEAP_BYTES / 100 * percent &&
               count < HEAP_SLOTS) {
            size_t bytes = 16 + draw(400);

            slots[count] = take(bytes);
            held += slots[count] == NULL ? 0 : bytes + 16;
            count++;
        }
        start = now();
        for (unsigned i = 0; i < HEAP_PAIRS; i++) {
            unsigned at = draw(count);

            give(slots[at]);
            slots[at] = take(16 + draw(400));
        }
        if (run == 0)
            say(name, start, HEAP_PAIRS);
        for (unsigned i = 0; i < HEAP_PAIRS / 10; i++) {
            uint64_t one = replace_one(count, take, give);

            if (run == 0 || one < least[i])
                least[i] = one;
        }
        for (unsigned i = 0; i < count; i++)
            give(slots[i]);
    }
    for (unsigned i = 0; i < HEAP_PAIRS / 10; i++)
        worst = least[i] > worst ? least[i] : worst;
    snprintf(worst_name, sizeof worst_name, "%s_worst", name);
    printf("%s %u\n", worst_name, (unsigned)worst);
}

struct side {
    pthread_t thread;
    uint64_t pairs;
};

static bool is_over;

static void *contend(void *argument)
{
    struct side *side = argument;
    void *mem;

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        if (k_mem_slab_alloc(&slab, &mem, K_FOREVER) == 0)
            k_mem_slab_free(&slab, mem);
        side->pairs++;
    }
    return NULL;
}

static void two_threads(void)
{
    struct side sides[2] = { { .pairs = 0 }, { .pairs = 0 } };
    struct timespec pause = { .tv_sec = SECONDS_OF_TWO };
    double sum;

    for (unsigned i = 0; i < 2; i++)
        pthread_create(&sides[i].thread, NULL, contend, &sides[i]);
    nanosleep(&pause, NULL);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(sides[i].thread, NULL);
    sum = (double)(sides[0].pairs + sides[1].pairs);
    printf("two_threads_million_a_second %.2f\n", sum / 1e6 / SECONDS_OF_TWO);
    printf("two_threads_lesser_share_percent %.1f\n",
           100 *
               (double)(sides[0].pairs < sides[1].pairs ? sides[0].pairs
                                                        : sides[1].pairs) /
               sum);
}

static void *nothing(void *argument)
{
    return argument;
}

/* Make libc's locks atomic, by a second thread. */
static void make_a_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
}

static int measure_in_ledger(void)
{
    tally_mem_slab_name_set(&slab, "measured");
    pairs_of("slab_pair_ledger_alone", &slab);
    make_a_thread();
    pairs_of("slab_pair_ledger", &slab);
    return 0;
}

int main(int count, char **arguments)
{
    void *mem;

    if (count > 1 && strcmp(arguments[1], "ledger") == 0)
        return measure_in_ledger();
    locks("lock_pair_alone");
    pairs_of("slab_pair_alone", &slab);
    make_a_thread();
    locks("lock_pair");
    pairs_of("slab_pair", &slab);
    for (unsigned i = 0; i < MANY; i += 2) {
        k_mem_slab_alloc(&many, &mem, K_NO_WAIT);
        k_mem_slab_alloc(&many, &mem, K_NO_WAIT);
        k_mem_slab_free(&many, mem);
    }
    pairs_of("slab_pair_million", &many);
    batches();
    replace("heap_10", 10, take_from_heap, give_to_heap);
    replace("heap_90", 90, take_from_heap, give_to_heap);
    replace("malloc_10", 10, malloc, free);
    replace("malloc_90", 90, malloc, free);
    two_threads();
    return 0;
}
#else
int main(void)
{
    pairs_of("bare_pair", &slab);
    return 0;
}
#endif
