/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passing_blocks.c - four threads that free and resize each other's blocks at
 * once
 *
 * A block goes through a shared slot; the thread that takes it frees or resizes
 * it. At the end all slots are emptied, and nothing is live.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 4, ROUNDS = 200000, SLOTS = 512 };

static void *slots[SLOTS];

static void *make(void)
{
    return victim_keep(malloc(40));
}

static void *resize(void *block)
{
    return victim_keep(realloc(block, 400));
}

static void *run(void *argument)
{
    uint32_t random = (uint32_t)(uintptr_t)argument * 2654435761u + 1;

    for (int i = 0; i < ROUNDS; i++) {
        void *block = make();

        if (i % 2 == 0)
            block = resize(block);
        random = random * 1664525u + 1013904223u;
        block =
            __atomic_exchange_n(&slots[random >> 23], block, __ATOMIC_ACQ_REL);
        free(block);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < SLOTS; i++)
        free(slots[i]);
    return 0;
}
