/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_site_table_threads.c - threads that open the same places at once
 *
 * Each thread searches for every key and enters it if it is missing, with an id
 * that identifies the thread. The id found for a key must be one that a thread
 * used for that key.
 */
#include "core/accounts/site_table.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tally/error.h"
#include "tests/fakes/fake_port.h"

enum {
    THREADS = 4,
    ROUNDS = 20,
    MANY_KEYS = 60000, /* several doublings */
};

struct meeter {
    pthread_t thread;
    uint32_t number; /* from 0 */
    uint32_t keys;
    uint32_t misses; /* keys refused */
    uint32_t wrong;  /* ids of another key */
};

static struct site_table table;
static uint32_t first_slots;
static uint32_t few_keys; /* few keys: the first slots hold them, so that
                             nothing grows */
static struct meeter meeters[THREADS];
static pthread_barrier_t start;

/* Two keys each hash to one slot. */
static uintptr_t key_of(uint32_t i)
{
    return 4096 + (uintptr_t)(i / 2) * 3 + ((uintptr_t)(i % 2) << 40);
}

static bool belongs(uint32_t id, uint32_t i)
{
    return id / THREADS == i + 1;
}

static uint32_t meet(uint32_t i, uint32_t number)
{
    uint32_t id = site_table_search(&table, key_of(i));

    return id != 0 ? id
                   : site_table_enter(&table, key_of(i),
                                      (i + 1) * THREADS + number);
}

static void *meet_all(void *argument)
{
    struct meeter *self = argument;

    pthread_barrier_wait(&start);
    for (uint32_t n = 0; n < self->keys; n++) {
        uint32_t i = n ^ (self->number & 1); /* not all threads begin with the
                                                same key */
        uint32_t id = meet(i, self->number);
        uint32_t found = site_table_find(&table, key_of(i));

        self->misses += id == 0;
        self->wrong += id != 0 && !belongs(id, i);
        self->wrong += found != 0 && !belongs(found, i);
    }
    return NULL;
}

static int open_table(void **state)
{
    (void)state;
    fake_port_reset();
    memset(&table, 0, sizeof table);
    assert_int_equal(site_table_open(&table, SITE_TABLE_LARGE), TALLY_OK);
    first_slots = (uint32_t)table.mask + 1;
    few_keys = first_slots / 2 - 2 * THREADS;
    return 0;
}

static void meet_in_threads(uint32_t keys)
{
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        meeters[i] = (struct meeter){ .number = i, .keys = keys };
        assert_int_equal(
            pthread_create(&meeters[i].thread, NULL, meet_all, &meeters[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(meeters[i].thread, NULL);
        assert_int_equal(meeters[i].wrong, 0);
    }
    pthread_barrier_destroy(&start);
}

static void every_key_is_found_afterwards(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        open_table(state);
        meet_in_threads(few_keys);
        for (uint32_t i = 0; i < few_keys; i++)
            assert_true(belongs(site_table_search(&table, key_of(i)), i));
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(meeters[i].misses, 0);
    }
}

/* I4 */
static void growth_under_way_loses_no_place(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        open_table(state);
        meet_in_threads(MANY_KEYS);
        for (uint32_t i = 0; i < MANY_KEYS; i++)
            assert_true(belongs(site_table_search(&table, key_of(i)), i));
    }
}

static void growth_refused_under_way_loses_no_place_for_good(void **state)
{
    (void)state;
    meet_in_threads(few_keys);
    fake_port_fail_at(1);
    for (uint32_t i = 0; i < MANY_KEYS; i++)
        assert_true(belongs(meet(i, 1), i));
    for (uint32_t i = 0; i < MANY_KEYS; i++)
        assert_true(belongs(site_table_search(&table, key_of(i)), i));
}

/* One growth at a time: each doubles, and no slots are discarded. */
static void threads_grow_the_table_once(void **state)
{
    size_t pages = 0;

    (void)state;
    meet_in_threads(MANY_KEYS);
    for (uintptr_t slots = first_slots; slots <= table.mask + 1; slots *= 2)
        pages += slots * sizeof(struct site_slot) / FAKE_PORT_PAGE;
    assert_int_equal(fake_port_pages_out(), pages);
    assert_true(table.mask + 1 > first_slots);
}

/*
 * Outgrown slots hold no memory, unless a thread is still in
 * site_table_enter(): between key and id it would find another key there.
 */
static void outgrown_slots_stay_while_a_thread_enters(void **state)
{
    for (uint32_t entering = 0; entering < 2; entering++) {
        const struct site_slot *old;
        uint32_t mask, kept = 0;

        open_table(state);
        old = table.slots;
        mask = (uint32_t)table.mask;
        table.entering = entering;
        for (uint32_t id = 1; id <= first_slots; id++)
            site_table_enter(&table, (uintptr_t)id * 16, id);
        assert_true(table.mask > mask);
        for (uint32_t i = 0; i <= mask; i++)
            kept += old[i].id != 0;
        if (entering == 0)
            assert_int_equal(kept, 0);
        else
            assert_in_range(kept, first_slots / 2 - 1, mask);
        assert_int_equal((uint32_t)table.entering, entering);
        table.entering = 1;
        site_table_adopt(&table);
        assert_int_equal((uint32_t)table.entering, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_key_is_found_afterwards, open_table),
        cmocka_unit_test_setup(growth_under_way_loses_no_place, open_table),
        cmocka_unit_test_setup(growth_refused_under_way_loses_no_place_for_good,
                               open_table),
        cmocka_unit_test_setup(outgrown_slots_stay_while_a_thread_enters,
                               open_table),
        cmocka_unit_test_setup(threads_grow_the_table_once, open_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
