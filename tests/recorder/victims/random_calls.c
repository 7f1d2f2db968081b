/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_calls.c - random calls of the whole malloc family from four threads
 *
 * Threads keep their blocks in one table and take each other's. The victim
 * keeps its own totals for each function, and prints a line for each.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 4, STEPS = 150000, SLOTS = 4096 };

static void *by_malloc(void *old, size_t size)
{
    free(old);
    return malloc(size);
}

static void *by_calloc(void *old, size_t size)
{
    free(old);
    return calloc(1, size);
}

static void *by_realloc(void *old, size_t size)
{
    return realloc(old, size);
}

static void *by_reallocarray(void *old, size_t size)
{
    return reallocarray(old, size, 1);
}

static void *by_posix_memalign(void *old, size_t size)
{
    void *block = NULL;

    free(old);
    REQUIRE(posix_memalign(&block, 64, size) == 0);
    return block;
}

static void *by_aligned_alloc(void *old, size_t size)
{
    free(old);
    return aligned_alloc(32, size);
}

static void *by_memalign(void *old, size_t size)
{
    free(old);
    return memalign(256, size);
}

static void *by_valloc(void *old, size_t size)
{
    free(old);
    return valloc(size);
}

static struct function {
    const char *name;
    void *(*call)(void *old, size_t size);
    long blocks, bytes, live_blocks, live_bytes;
} functions[] = {
    { .name = "by_malloc", .call = by_malloc },
    { .name = "by_calloc", .call = by_calloc },
    { .name = "by_realloc", .call = by_realloc },
    { .name = "by_reallocarray", .call = by_reallocarray },
    { .name = "by_posix_memalign", .call = by_posix_memalign },
    { .name = "by_aligned_alloc", .call = by_aligned_alloc },
    { .name = "by_memalign", .call = by_memalign },
    { .name = "by_valloc", .call = by_valloc },
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

struct slot {
    int is_taken;
    void *block;
    long size;
    struct function *by;
};

static struct slot slots[SLOTS];

static void add(long *word, long value)
{
    __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}

static void forget(struct slot *slot)
{
    if (slot->block == NULL)
        return;
    add(&slot->by->live_blocks, -1);
    add(&slot->by->live_bytes, -slot->size);
    slot->block = NULL;
}

static size_t choose_size(uint32_t random)
{
    if (random % 1000 == 0)
        return 200000 + random % 100000; /* mapped by libc */
    if (random % 50 == 0)
        return random % 20000 + 1;
    return random % 200 + 1;
}

static void step(struct slot *slot, uint32_t random)
{
    struct function *by = &functions[random / 7 % FUNCTIONS];
    size_t size = choose_size(random / 64);
    void *old = slot->block;

    forget(slot);
    if (random % 5 == 0) {
        free(old);
        return;
    }
    slot->block = victim_keep(by->call(old, size));
    REQUIRE(slot->block != NULL);
    memset(slot->block, 1, size);
    slot->size = (long)size;
    slot->by = by;
    add(&by->blocks, 1);
    add(&by->bytes, slot->size);
    add(&by->live_blocks, 1);
    add(&by->live_bytes, slot->size);
}

static void *run(void *argument)
{
    uint64_t state = (uint64_t)(uintptr_t)argument * 88172645463325252u + 1;

    for (int i = 0; i < STEPS;) {
        struct slot *slot;
        int free_slot = 0;

        state = state * 6364136223846793005u + 1442695040888963407u;
        slot = &slots[(state >> 33) % SLOTS];
        if (!__atomic_compare_exchange_n(&slot->is_taken, &free_slot, 1, 0,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        step(slot, (uint32_t)(state >> 40));
        __atomic_store_n(&slot->is_taken, 0, __ATOMIC_RELEASE);
        i++;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, (void *)(i + 1)) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < FUNCTIONS; i++)
        printf("site %s blocks_total %ld bytes_total %ld blocks_live %ld "
               "bytes_live %ld\n",
               functions[i].name, functions[i].blocks, functions[i].bytes,
               functions[i].live_blocks, functions[i].live_bytes);
    return 0;
}
