/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_account.c - counters in shards against plain sums
 */
#include "core/accounts/account.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tally/port.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/random_sequence.h"

enum {
    SHARDS = 5,
    MODEL_SITES = 600, /* over five segments */
    MODEL_STEPS = 100000,
    THREADS = 4,
    THREAD_STEPS = 200000,
    RUSH_STEPS = 1000000,
};

static struct account_book book;

static size_t segment_size(void)
{
    return (size_t)tally_port_shard_count() << ACCOUNT_SHARD_SHIFT;
}

static struct ledger_counter *enter_segment(uint32_t index)
{
    struct ledger_counter *segment = tally_port_pages_alloc(segment_size());

    assert_non_null(segment);
    return account_segment_enter(&book, index, segment);
}

static int open_book(void **state)
{
    (void)state;
    fake_port_reset();
    fake_port_set_shard_count(SHARDS);
    memset(&book, 0, sizeof book);
    return 0;
}

static void assert_counters_equal(struct ledger_counter held,
                                  struct ledger_counter expected)
{
    assert_int_equal(held.alloc_blocks, expected.alloc_blocks);
    assert_int_equal(held.alloc_bytes, expected.alloc_bytes);
    assert_int_equal(held.free_blocks, expected.free_blocks);
    assert_int_equal(held.free_bytes, expected.free_bytes);
}

static void a_site_without_a_segment_holds_nothing(void **state)
{
    const struct ledger_counter nothing = { 0 };

    (void)state;
    enter_segment(0);
    assert_non_null(account_counter(&book, 127));
    assert_null(account_counter(&book, 128));
    assert_counters_equal(account_sum(&book, 128, SHARDS), nothing);
    assert_counters_equal(account_sum(&book, ACCOUNT_SITE_CAPACITY - 1, SHARDS),
                          nothing);
}

/* Each shard has one page of a segment, each site one counter in it. */
static void counters_lie_where_the_ledger_says(void **state)
{
    uint32_t last = ACCOUNT_SEGMENT_CAPACITY - 1;
    struct ledger_counter *segment = enter_segment(last);
    struct ledger_counter *counter =
        account_counter(&book, ACCOUNT_SITE_CAPACITY - 1);

    (void)state;
    assert_ptr_equal(counter, segment + 127);
    assert_ptr_equal(account_in_shard(counter, 0), counter);
    assert_ptr_equal(account_in_shard(counter, 3),
                     (char *)counter + 3 * LEDGER_PAGE);
}

/* I1 */
static void the_first_segment_entered_stays(void **state)
{
    struct ledger_counter *first = enter_segment(3);
    struct ledger_counter *second = tally_port_pages_alloc(segment_size());

    (void)state;
    assert_ptr_equal(book.segments[3], first);
    assert_ptr_equal(account_segment_enter(&book, 3, second), first);
    assert_ptr_equal(book.segments[3], first);
}

static void add_to(struct ledger_counter *sum,
                   const struct ledger_counter *added)
{
    sum->alloc_blocks += added->alloc_blocks;
    sum->alloc_bytes += added->alloc_bytes;
    sum->free_blocks += added->free_blocks;
    sum->free_bytes += added->free_bytes;
}

static void sums_equal_the_model(void **state)
{
    static struct ledger_counter model[MODEL_SITES];
    struct random_sequence random = { 20240117 };

    (void)state;
    memset(model, 0, sizeof model);
    for (uint32_t i = 0; i <= (MODEL_SITES - 1) / 128; i++)
        enter_segment(i);
    for (unsigned step = 0; step < MODEL_STEPS; step++) {
        uint32_t id = random_below(&random, MODEL_SITES);
        uint32_t shard = random_below(&random, SHARDS);
        struct ledger_counter added = { random_below(&random, 3),
                                        random_next(&random) >> 20,
                                        random_below(&random, 3),
                                        random_next(&random) >> 20 };

        account_add(account_in_shard(account_counter(&book, id), shard),
                    &added);
        add_to(&model[id], &added);
        assert_counters_equal(account_sum(&book, id, SHARDS), model[id]);
    }
    for (uint32_t id = 0; id < MODEL_SITES; id++)
        assert_counters_equal(account_sum(&book, id, SHARDS), model[id]);
}

/* I2: only the sum means anything, and it may pass 2^64. */
static void a_block_may_be_freed_in_another_shard(void **state)
{
    const struct ledger_counter allocated = { .alloc_blocks = 2,
                                              .alloc_bytes = 100 };
    const struct ledger_counter freed = { .free_blocks = 2, .free_bytes = 100 };
    const struct ledger_counter wrapped = { .alloc_bytes = UINT64_MAX };
    struct ledger_counter *counter;

    (void)state;
    enter_segment(0);
    counter = account_counter(&book, 9);
    account_add(account_in_shard(counter, 4), &allocated);
    account_add(account_in_shard(counter, 1), &freed);
    account_add(account_in_shard(counter, 2), &wrapped);
    assert_counters_equal(account_sum(&book, 9, SHARDS),
                          (struct ledger_counter){ 2, 99, 2, 100 });
    assert_counters_equal(account_sum(&book, 9, 2),
                          (struct ledger_counter){ 0, 0, 2, 100 });
}

struct adder {
    pthread_t thread;
    uint64_t seed;
    struct ledger_counter model[4];
};

/* Everybody adds to the same four sites, in any shard, shard 0 most. */
static void *add_much(void *argument)
{
    struct adder *adder = argument;
    struct random_sequence random = { adder->seed };

    for (unsigned step = 0; step < THREAD_STEPS; step++) {
        uint32_t id = random_below(&random, 4);
        uint32_t any = random_below(&random, 2 * SHARDS);
        struct ledger_counter added = { 1, random_below(&random, 5000), 1,
                                        random_below(&random, 5000) };

        account_add(account_in_shard(account_counter(&book, id),
                                     any < SHARDS ? any : 0),
                    &added);
        add_to(&adder->model[id], &added);
    }
    return NULL;
}

static pthread_barrier_t start;

/* Nothing but adds, all to one counter. */
static void *add_in_a_rush(void *argument)
{
    struct ledger_counter *counter = account_counter(&book, 0);
    const struct ledger_counter added = { 1, 2, 3, 4 };

    (void)argument;
    pthread_barrier_wait(&start);
    for (unsigned step = 0; step < RUSH_STEPS; step++)
        account_add(counter, &added);
    return NULL;
}

static void a_rush_on_one_counter_loses_nothing(void **state)
{
    const uint64_t adds = (uint64_t)THREADS * RUSH_STEPS;
    pthread_t threads[THREADS];

    (void)state;
    enter_segment(0);
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_in_a_rush, NULL),
                         0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    assert_counters_equal(
        account_sum(&book, 0, SHARDS),
        (struct ledger_counter){ adds, 2 * adds, 3 * adds, 4 * adds });
}

static void threads_lose_nothing(void **state)
{
    static struct adder adders[THREADS];

    (void)state;
    enter_segment(0);
    for (unsigned i = 0; i < THREADS; i++) {
        adders[i].seed = i;
        assert_int_equal(
            pthread_create(&adders[i].thread, NULL, add_much, &adders[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(adders[i].thread, NULL);
    for (uint32_t id = 0; id < 4; id++) {
        struct ledger_counter expected = { 0 };

        for (unsigned i = 0; i < THREADS; i++)
            add_to(&expected, &adders[i].model[id]);
        assert_counters_equal(account_sum(&book, id, SHARDS), expected);
    }
}

static void *enter_all_segments(void *argument)
{
    struct ledger_counter **held = argument;

    for (uint32_t i = 0; i < ACCOUNT_SEGMENT_CAPACITY; i++) {
        struct ledger_counter *mine = tally_port_pages_alloc(segment_size());

        held[i] = account_segment_enter(&book, i, mine);
        if (held[i] != mine)
            tally_port_pages_free(mine, segment_size());
    }
    return NULL;
}

static void threads_agree_on_each_segment(void **state)
{
    static struct ledger_counter *held[2][ACCOUNT_SEGMENT_CAPACITY];
    pthread_t threads[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, enter_all_segments, held[i]), 0);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < ACCOUNT_SEGMENT_CAPACITY; i++) {
        assert_non_null(held[0][i]);
        assert_ptr_equal(held[0][i], held[1][i]);
        assert_ptr_equal(book.segments[i], held[0][i]);
    }
    assert_int_equal(fake_port_pages_out(), SHARDS * ACCOUNT_SEGMENT_CAPACITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_site_without_a_segment_holds_nothing,
                               open_book),
        cmocka_unit_test_setup(counters_lie_where_the_ledger_says, open_book),
        cmocka_unit_test_setup(the_first_segment_entered_stays, open_book),
        cmocka_unit_test_setup(sums_equal_the_model, open_book),
        cmocka_unit_test_setup(a_block_may_be_freed_in_another_shard,
                               open_book),
        cmocka_unit_test_setup(a_rush_on_one_counter_loses_nothing, open_book),
        cmocka_unit_test_setup(threads_lose_nothing, open_book),
        cmocka_unit_test_setup(threads_agree_on_each_segment, open_book),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
