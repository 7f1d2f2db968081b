/* SPDX-License-Identifier: Apache-2.0 */
/* test_account.c - adds to counters, compared with plain sums */
#include "core/accounts/site_table.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum {
    SHARDS = 5,
    MODEL_SITES = LEDGER_SITES_PER_SEGMENT,
    MODEL_STEPS = 100000,
    THREADS = 4,
    THREAD_STEPS = 200000,
    RUSH_STEPS = 1000000,
};

static struct ledger_counter counters[SHARDS * LEDGER_SITES_PER_SEGMENT];

static int clear(void **state)
{
    (void)state;
    memset(counters, 0, sizeof counters);
    return 0;
}

static struct ledger_counter sum_of(uint32_t id)
{
    struct ledger_counter sum = { 0 };

    for (uint32_t shard = 0; shard < SHARDS; shard++) {
        const struct ledger_counter *counter =
            account_in_shard(&counters[id], shard);

        sum.alloc_blocks += account_read_word(&counter->alloc_blocks);
        sum.alloc_bytes += account_read_word(&counter->alloc_bytes);
        sum.free_blocks += account_read_word(&counter->free_blocks);
        sum.free_bytes += account_read_word(&counter->free_bytes);
    }
    return sum;
}

static void assert_counters_equal(struct ledger_counter held,
                                  struct ledger_counter expected)
{
    assert_int_equal(held.alloc_blocks, expected.alloc_blocks);
    assert_int_equal(held.alloc_bytes, expected.alloc_bytes);
    assert_int_equal(held.free_blocks, expected.free_blocks);
    assert_int_equal(held.free_bytes, expected.free_bytes);
}

/* Each shard has one page of a segment, each site one counter in it. */
static void counters_lie_where_the_ledger_says(void **state)
{
    (void)state;
    assert_ptr_equal(account_in_shard(&counters[127], 0), &counters[127]);
    assert_ptr_equal(account_in_shard(&counters[127], 3),
                     (char *)&counters[127] + 3 * LEDGER_PAGE);
    assert_int_equal(1 << ACCOUNT_SHARD_SHIFT, LEDGER_PAGE);
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
    for (unsigned step = 0; step < MODEL_STEPS; step++) {
        uint32_t id = random_below(&random, MODEL_SITES);
        uint32_t shard = random_below(&random, SHARDS);
        struct ledger_counter added = { random_below(&random, 3),
                                        random_next(&random) >> 20,
                                        random_below(&random, 3),
                                        random_next(&random) >> 20 };

        account_add(account_in_shard(&counters[id], shard), &added);
        add_to(&model[id], &added);
        assert_counters_equal(sum_of(id), model[id]);
    }
    for (uint32_t id = 0; id < MODEL_SITES; id++)
        assert_counters_equal(sum_of(id), model[id]);
}

/* Only the sum has a meaning, and it may pass 2^64. */
static void a_block_may_be_freed_in_another_shard(void **state)
{
    const struct ledger_counter allocated = { .alloc_blocks = 2,
                                              .alloc_bytes = 100 };
    const struct ledger_counter freed = { .free_blocks = 2, .free_bytes = 100 };
    const struct ledger_counter wrapped = { .alloc_bytes = UINT64_MAX };
    struct ledger_counter *counter;

    (void)state;
    counter = &counters[9];
    account_add(account_in_shard(counter, 4), &allocated);
    account_add(account_in_shard(counter, 1), &freed);
    account_add(account_in_shard(counter, 2), &wrapped);
    assert_counters_equal(sum_of(9), (struct ledger_counter){ 2, 99, 2, 100 });
}

struct adder {
    pthread_t thread;
    uint64_t seed;
    struct ledger_counter model[4];
};

/* All threads add to the same four sites, in any shard, mostly shard 0. */
static void *add_much(void *argument)
{
    struct adder *adder = argument;
    struct random_sequence random = { adder->seed };

    for (unsigned step = 0; step < THREAD_STEPS; step++) {
        uint32_t id = random_below(&random, 4);
        uint32_t any = random_below(&random, 2 * SHARDS);
        struct ledger_counter added = { 1, random_below(&random, 5000), 1,
                                        random_below(&random, 5000) };

        account_add(account_in_shard(&counters[id], any < SHARDS ? any : 0),
                    &added);
        add_to(&adder->model[id], &added);
    }
    return NULL;
}

static pthread_barrier_t start;

/* Add repeatedly to one counter. */
static void *add_in_a_rush(void *argument)
{
    struct ledger_counter *counter = &counters[0];
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
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_in_a_rush, NULL),
                         0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    assert_counters_equal(sum_of(0), (struct ledger_counter){
                                         adds, 2 * adds, 3 * adds, 4 * adds });
}

static void threads_lose_nothing(void **state)
{
    static struct adder adders[THREADS];

    (void)state;
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
        assert_counters_equal(sum_of(id), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(counters_lie_where_the_ledger_says, clear),
        cmocka_unit_test_setup(sums_equal_the_model, clear),
        cmocka_unit_test_setup(a_block_may_be_freed_in_another_shard, clear),
        cmocka_unit_test_setup(a_rush_on_one_counter_loses_nothing, clear),
        cmocka_unit_test_setup(threads_lose_nothing, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
