/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hook.c - listeners and counts
 *
 * A process has one set of accounts and no way to reset it, so each test runs
 * in a child process.
 */
#include "tally/hook.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/ledger/segments_layout.h"
#include "tally/error.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/run_alone.h"

enum {
    THREADS = 4,
    THREAD_SITES = 500,
    THREAD_ROUNDS = 200,
    SITE_CAPACITY = LEDGER_DIRECTORY_CAPACITY * LEDGER_SITES_PER_SEGMENT,
};

static void assert_account(uint32_t site, uint64_t live_blocks,
                           uint64_t live_bytes, uint64_t total_blocks,
                           uint64_t total_bytes)
{
    struct tally_site_account account = tally_site_read(site);

    assert_int_equal(account.live_blocks, live_blocks);
    assert_int_equal(account.live_bytes, live_bytes);
    assert_int_equal(account.total_blocks, total_blocks);
    assert_int_equal(account.total_bytes, total_bytes);
}

static void when_nobody_listens_the_word_becomes_zero(void **state)
{
    uint32_t site = tally_site_open(4096);

    (void)state;
    assert_int_equal(site, 1);
    assert_int_not_equal(tally_listeners, 0);
    assert_int_equal(tally_hook_alloc(site, 100), 0);
    assert_int_equal(tally_listeners, 0);
    assert_int_equal(tally_hook_alloc(site, 100), 0);
    tally_hook_free(0, 100);
    assert_account(site, 0, 0, 0, 0);
}

static void stopping_without_a_start_changes_nothing(void **state)
{
    uint32_t site = tally_site_open(4096);

    (void)state;
    tally_account_stop();
    assert_int_equal(tally_hook_alloc(site, 100), 0);
    assert_int_equal(tally_listeners, 0);
}

static void what_was_started_is_counted(void **state)
{
    uint32_t one, two;

    (void)state;
    assert_int_equal(tally_account_start(), TALLY_OK);
    one = tally_site_open(4096);
    two = tally_site_open(8192);
    assert_int_equal(tally_hook_alloc(one, 100), one);
    assert_int_equal(tally_hook_alloc(one, 0), one);
    assert_int_equal(tally_hook_alloc(two, 7), two);
    tally_hook_free(one, 100);
    assert_account(one, 1, 0, 2, 100);
    assert_account(two, 1, 7, 1, 7);
    assert_int_equal(tally_hook_alloc(0, 55), 0);
    assert_account(one, 1, 0, 2, 100);
}

/* A thread whose word is 0 has no listener; the thread that starts checks
   again. */
static void a_start_is_seen_by_the_thread_that_starts(void **state)
{
    uint32_t site = tally_site_open(4096);

    (void)state;
    tally_hook_alloc(site, 100);
    assert_int_equal(tally_listeners, 0);
    assert_int_equal(tally_account_start(), TALLY_OK);
    assert_int_equal(tally_hook_alloc(site, 100), site);
    assert_account(site, 1, 100, 1, 100);
}

static void frees_are_counted_after_the_stop_and_allocations_not(void **state)
{
    tally_reference reference;
    uint32_t site;

    (void)state;
    tally_account_start();
    site = tally_site_open(4096);
    reference = tally_hook_alloc(site, 100);
    tally_account_stop();
    assert_int_equal(tally_hook_alloc(site, 30), 0);
    assert_account(site, 1, 100, 1, 100);
    tally_hook_free(reference, 100);
    assert_account(site, 0, 0, 1, 100);

    assert_int_equal(tally_account_start(), TALLY_OK);
    assert_int_equal(tally_hook_alloc(site, 9), site);
    assert_account(site, 1, 9, 2, 109);
}

static void a_site_that_is_not_open_holds_nothing(void **state)
{
    (void)state;
    assert_int_equal(tally_account_start(), TALLY_OK);
    assert_int_equal(tally_site_open(4096), 1);
    assert_account(1, 0, 0, 0, 0);
    assert_account(128, 0, 0, 0, 0); /* of the next segment */
    assert_account(SITE_CAPACITY - 1, 0, 0, 0, 0);
}

static void a_key_has_one_id(void **state)
{
    (void)state;
    for (uintptr_t i = 1; i <= 1000; i++)
        assert_int_equal(tally_site_open(i * 4096), i);
    for (uintptr_t i = 1; i <= 1000; i++)
        assert_int_equal(tally_site_open(i * 4096), i);
    assert_int_equal(tally_site_count(), 1000);
    assert_int_equal(tally_sites_lost(), 0);
}

static void sites_beyond_the_last_are_refused_and_counted(void **state)
{
    uintptr_t key = 4096;

    (void)state;
    assert_int_equal(tally_account_start(), TALLY_OK);
    for (uint32_t id = 1; id < SITE_CAPACITY; id++)
        assert_int_equal(tally_site_open(key++), id);
    assert_int_equal(tally_sites_lost(), 0);
    for (uint32_t lost = 1; lost <= 300; lost++) {
        assert_int_equal(tally_site_open(key), 0);
        assert_int_equal(tally_sites_lost(), lost);
    }
    assert_int_equal(tally_site_count(), SITE_CAPACITY - 1);
    assert_int_equal(tally_hook_alloc(tally_site_open(key), 8), 0);

    assert_int_equal(tally_site_open(4096), 1);
    assert_int_equal(tally_site_open(key - 1), SITE_CAPACITY - 1);
    tally_hook_alloc(SITE_CAPACITY - 1, 8);
    assert_account(SITE_CAPACITY - 1, 1, 8, 1, 8);
}

static void without_any_memory_nothing_starts(void **state)
{
    (void)state;
    fake_port_fail_from(1);
    assert_int_equal(tally_account_start(), TALLY_E_NO_MEMORY);
    assert_int_equal(tally_site_open(4096), 0);
    assert_int_equal(tally_sites_lost(), 1);
    assert_int_equal(tally_site_count(), 0);
    assert_int_equal(tally_hook_alloc(1, 100), 0);
    tally_hook_free(1, 100);
    assert_account(1, 0, 0, 0, 0);

    fake_port_fail_from(0);
    assert_int_equal(tally_account_start(), TALLY_OK);
    assert_int_equal(tally_site_open(4096), 1);
    assert_int_equal(tally_hook_alloc(1, 100), 1);
}

static void without_memory_for_counters_a_site_is_refused(void **state)
{
    (void)state;
    assert_int_equal(tally_account_start(), TALLY_OK);
    for (uintptr_t i = 1; i <= 127; i++) /* ids of the first segment */
        assert_int_equal(tally_site_open(i * 16), i);
    fake_port_fail_at(1);
    assert_int_equal(tally_site_open(2048), 0);
    assert_int_equal(tally_sites_lost(), 1);
    assert_int_equal(tally_site_open(16), 1);
    assert_int_equal(tally_site_open(2048), 128);
    assert_int_equal(tally_site_count(), 128);
    assert_int_equal(tally_sites_lost(), 1);
}

static void errno_is_left_alone(void **state)
{
    uint32_t site;

    (void)state;
    tally_account_start();
    errno = 4321;
    site = tally_site_open(4096);
    tally_hook_free(tally_hook_alloc(site, 100), 100);
    assert_int_equal(errno, 4321);
}

static pthread_barrier_t start;

static void *use_all_sites(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&start);
    for (unsigned round = 0; round < THREAD_ROUNDS; round++) {
        for (uintptr_t i = 1; i <= THREAD_SITES; i++) {
            tally_reference kept =
                tally_hook_alloc(tally_site_open(i * 64), i + 1);
            tally_reference freed =
                tally_hook_alloc(tally_site_open(i * 64), i);

            tally_hook_free(freed, i);
            (void)kept;
        }
    }
    return NULL;
}

/* Two ids may name one place; readers add them up, and so does this test. */
static void threads_that_meet_the_same_sites_lose_nothing(void **state)
{
    pthread_t threads[THREADS];
    struct tally_site_account sum = { 0 };
    uint64_t blocks = (uint64_t)THREADS * THREAD_ROUNDS * THREAD_SITES;
    uint64_t rounds = (uint64_t)THREADS * THREAD_ROUNDS;
    uint64_t bytes = rounds * THREAD_SITES * (THREAD_SITES + 1) / 2;

    (void)state;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    assert_int_equal(tally_account_start(), TALLY_OK);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_all_sites, NULL),
                         0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(tally_site_count() >= THREAD_SITES);
    for (uint32_t id = 1; id <= tally_site_count(); id++) {
        struct tally_site_account account = tally_site_read(id);

        sum.live_blocks += account.live_blocks;
        sum.live_bytes += account.live_bytes;
        sum.total_blocks += account.total_blocks;
        sum.total_bytes += account.total_bytes;
    }
    assert_int_equal(tally_sites_lost(), 0);
    assert_int_equal(sum.total_blocks, 2 * blocks);
    assert_int_equal(sum.live_blocks, blocks);
    assert_int_equal(sum.live_bytes, bytes + blocks);
    assert_int_equal(sum.total_bytes, 2 * bytes + blocks);
}

/* The first call may come from several threads at once. */
static void *open_one(void *argument)
{
    pthread_barrier_wait(&start);
    return (void *)(uintptr_t)tally_site_open((uintptr_t)argument);
}

static void the_first_site_may_be_opened_by_all(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_one,
                                        (void *)((i + 1) * 4096)),
                         0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *id;

        pthread_join(threads[i], &id);
        assert_non_null(id);
        assert_int_equal(tally_site_open((i + 1) * 4096), (uintptr_t)id);
    }
    assert_int_equal(tally_sites_lost(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(when_nobody_listens_the_word_becomes_zero),
        cmocka_unit_test(stopping_without_a_start_changes_nothing),
        cmocka_unit_test(what_was_started_is_counted),
        cmocka_unit_test(a_start_is_seen_by_the_thread_that_starts),
        cmocka_unit_test(frees_are_counted_after_the_stop_and_allocations_not),
        cmocka_unit_test(a_site_that_is_not_open_holds_nothing),
        cmocka_unit_test(a_key_has_one_id),
        cmocka_unit_test(sites_beyond_the_last_are_refused_and_counted),
        cmocka_unit_test(without_any_memory_nothing_starts),
        cmocka_unit_test(without_memory_for_counters_a_site_is_refused),
        cmocka_unit_test(errno_is_left_alone),
        cmocka_unit_test(threads_that_meet_the_same_sites_lose_nothing),
        cmocka_unit_test(the_first_site_may_be_opened_by_all),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
