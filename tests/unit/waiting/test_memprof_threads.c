/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_memprof_threads.c - threads sample, advance, start, stop and discard at
 * once
 *
 * Memory charged by call needs no recorder, so that sanitizers see all of it.
 * Callbacks of each item must come in order, whatever thread frees it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tally/memprof.h"

enum { THREADS = 8, ROUNDS = 4000, SLOTS = 64, ITEMS = 1 << 17 };

enum state { NEVER, MINOR, MAJOR, DEAD };

static _Atomic int states[ITEMS];
static _Atomic unsigned item_count, disorders, born, dead, promoted;
static _Atomic uint64_t slots[SLOTS];

static void go(void *item, enum state from, enum state to)
{
    _Atomic int *state = item;

    disorders += atomic_exchange(state, to) != (int)from;
}

static void *alloc(const struct memprof_allocation *allocation, void *context)
{
    _Atomic int *item = &states[item_count++ % ITEMS];

    (void)context;
    go(item, NEVER, allocation->size > 256 ? MAJOR : MINOR);
    born++;
    return item;
}

static void *promote(void *minor, void *context)
{
    (void)context;
    go(minor, MINOR, MAJOR);
    promoted++;
    return minor;
}

static void end_minor(void *minor, void *context)
{
    (void)context;
    go(minor, MINOR, DEAD);
    dead++;
}

static void end_major(void *major, void *context)
{
    (void)context;
    go(major, MAJOR, DEAD);
    dead++;
}

static const struct memprof_tracker tracker = { alloc,     alloc,     promote,
                                                end_minor, end_major, NULL };

static void reset(void)
{
    for (unsigned i = 0; i < ITEMS; i++)
        states[i] = NEVER;
    item_count = disorders = born = dead = promoted = 0;
}

static void *work(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;

    for (int i = 0; i < ROUNDS; i++) {
        size_t bytes = (size_t)rand_r(&seed) % 4000;
        uint64_t token = memprof_custom_alloc(bytes);
        unsigned slot = (unsigned)rand_r(&seed) % SLOTS;

        memprof_custom_free(atomic_exchange(&slots[slot], token));
        if (i % 100 == 0)
            memprof_advance();
    }
    return NULL;
}

static void run_threads(void *(*run)(void *))
{
    pthread_t threads[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void free_slots(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        memprof_custom_free(atomic_exchange(&slots[i], 0));
}

static void test_all_that_is_born_dies(void **state)
{
    struct memprof *profile;

    (void)state;
    reset();
    assert_int_equal(memprof_start(1, 0, &tracker, &profile), 0);
    run_threads(work);
    free_slots();
    assert_int_equal(memprof_stop(), 0);
    assert_int_equal(disorders, 0);
    assert_in_range(born, THREADS * ROUNDS * 9 / 10, THREADS * ROUNDS);
    assert_int_equal(dead, born);
    assert_in_range(promoted, 1, born);
    assert_int_equal(memprof_discard(profile), 0);
}

/* The first thread starts; all errors are those of a lost race. */
static void *start_and_stop(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;

    for (int i = 0; i < ROUNDS / 4; i++) {
        struct memprof *profile;
        uint64_t token;

        if (memprof_start(0.3, 0, &tracker, &profile) == 0) {
            token = memprof_custom_alloc((size_t)rand_r(&seed) % 300);
            while (memprof_discard(profile) == -16)
                memprof_stop();
            memprof_custom_free(token);
        } else {
            memprof_custom_free(memprof_custom_alloc(100));
            if (i % 16 == 0)
                memprof_stop();
        }
    }
    return NULL;
}

static void test_profiles_come_and_go(void **state)
{
    (void)state;
    reset();
    run_threads(start_and_stop);
    assert_int_equal(disorders, 0);
    assert_int_equal(memprof_is_sampling(), 0);
}

static void *own_domain(void *number)
{
    struct memprof *profile;

    assert_int_equal(memprof_domain_new(), 0);
    assert_int_equal(memprof_start(0.5, 0, &tracker, &profile), 0);
    work(number);
    if ((uintptr_t)number % 2 == 0)
        assert_int_equal(memprof_stop(), 0);
    return profile;
}

static void test_domains_end(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    reset();
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, own_domain, (void *)(i + 1));
    for (unsigned i = 0; i < THREADS; i++) {
        void *profile;

        pthread_join(threads[i], &profile);
        assert_int_equal(memprof_discard(profile), 0);
    }
    free_slots();
    assert_int_equal(disorders, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_that_is_born_dies),
        cmocka_unit_test(test_profiles_come_and_go),
        cmocka_unit_test(test_domains_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
