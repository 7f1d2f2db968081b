/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - 64 threads allocate, free each other's blocks, and end
 *
 * At rate 1 every allocated block must be freed in the end, with callbacks in
 * order: tracker.h checks that. Meanwhile threads end their own and others'
 * epochs.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/memprof/tracker.h"

enum { THREADS = 64, ROUNDS = 2000, SLOTS = 1024 };

static _Atomic(void *) slots[SLOTS];
static _Atomic unsigned made;

static void *work(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;

    for (int i = 0; i < ROUNDS; i++) {
        size_t size = (size_t)rand_r(&seed) % (i % 8 == 0 ? 5000 : 200);
        void *block = malloc(size);

        made++;
        if (i % 5 == 0) {
            block = realloc(block, size + 100);
            made++;
        }
        free(atomic_exchange(&slots[(unsigned)rand_r(&seed) % SLOTS], block));
        if (i % 500 == 499)
            memprof_advance();
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void free_all(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        free(atomic_exchange(&slots[i], NULL));
}

/* pthread's own allocations are sampled as well, and may stay live. */
static void expect_all_dead(unsigned least)
{
    unsigned alive = 0, born_count = item_count;

    for (unsigned i = 0; i < born_count; i++)
        alive += items[i].state != ITEM_DEAD;
    CHECK(born_count >= least && born_count <= least + 40 * THREADS);
    CHECK(alive <= 40 * THREADS);
    CHECK_IS(allocs_minor + allocs_major, born_count);
    CHECK_IS(deallocs_minor + deallocs_major + alive, born_count);
    CHECK(promotes > 0 && promotes <= allocs_minor);
    CHECK(deallocs_minor > 0 && deallocs_major > 0);
}

/* A thread that ends promotes the blocks it leaves behind. */
static void *leave_block(void *result)
{
    *(void **)result = malloc(100);
    return NULL;
}

static void check_end_of_thread(void)
{
    pthread_t thread;
    unsigned before;
    void *left;

    forget_all();
    pthread_create(&thread, NULL, leave_block, &left);
    pthread_join(thread, NULL);
    CHECK(promotes >= 1);
    before = deallocs_major;
    free(left);
    CHECK_IS(deallocs_major, before + 1);
}

/* Running threads take part at once, and none continues after stop. */
static _Atomic int turn;

static void *wait_and_allocate(void *unused)
{
    (void)unused;
    free(malloc(1));
    turn = 1;
    while (turn != 2)
        ;
    free(malloc(1));
    turn = 3;
    while (turn != 4)
        ;
    free(malloc(1));
    return NULL;
}

static void await(int value)
{
    while (turn != value)
        ;
}

static void check_running_threads(void)
{
    struct memprof *profile;
    pthread_t thread;

    pthread_create(&thread, NULL, wait_and_allocate, NULL);
    await(1);
    profile = start_at(1);
    forget_all();
    turn = 2;
    await(3);
    expect("a thread that ran already", 1, 0, 0, 1, 0);
    CHECK_IS(memprof_stop(), 0);
    turn = 4;
    pthread_join(thread, NULL);
    expect("stopped", 0, 0, 0, 0, 0);
    CHECK_IS(memprof_discard(profile), 0);
}

int main(void)
{
    struct memprof *profile;

    setvbuf(stderr, NULL, _IONBF, 0);
    check_running_threads();
    forget_all();
    profile = start_at(1);
    run_threads();
    free_all();
    expect_all_dead(made);
    check_end_of_thread();
    end(profile);
    return end_of_test();
}
