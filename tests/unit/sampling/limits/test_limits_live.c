/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits_live.c - scopes hit by the live bytes of the process
 *
 * The names of the tests are statements of tally/limits.h.
 */
#include "sampling/limits/limits_live.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_malloc.h"

static void more_than_the_process_may_hold_hits_a_global_scope(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_live_count(1000);
    limits_live_limit(5000);
    assert_true(allocate(2000));
    begin_global(&scope, LIMIT_FLAG);
    assert_true(allocate(2000)); /* all that it may allocate */
    assert_int_equal(limits_live_read(), 5000);
    assert_false(is_interrupted());
    release(100);
    assert_true(allocate(100));
    assert_false(is_interrupted());
    assert_true(allocate(1));
    release(4000);
    assert_true(is_interrupted()); /* it stays hit */
    assert_int_equal(end(&scope, NULL), 1);
    begin_global(&scope, LIMIT_FLAG);
    assert_false(is_interrupted());
    assert_int_equal(end(&scope, NULL), 0);
}

static void a_global_limit_makes_malloc_fail(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_live_count(0);
    limits_live_limit(1 << 20);
    begin_global(&scope, LIMIT_ENOMEM);
    for (int i = 0; i < 1 << 17; i++)
        assert_true(allocate(8));
    assert_true(visits < 64 + LIMITS_LIVE_SLACK / 8);
    assert_false(allocate(1));
    assert_int_equal(limits_live_read(), 1 << 20);
    assert_int_equal(end(&scope, NULL), 1);

    release(1 << 19);
    begin_global(&scope, LIMIT_ENOMEM);
    assert_false(allocate((1 << 19) + 1));
    assert_int_equal(end(&scope, NULL), 1);
    begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(1 << 19));
    assert_int_equal(end(&scope, NULL), 0);
}

static void a_thread_looks_at_what_others_hold_in_time(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_live_count(0);
    limits_live_limit(1 << 30);
    begin_global(&scope, LIMIT_FLAG);
    assert_int_equal(limits_thread_distance(&thread), 65536);
    assert_int_equal(thread.live_due, 65536);
    limits_live_limit(LIMITS_LIVE_SLACK + 1500);
    assert_int_equal(limits_thread_distance(&thread), 500);
    assert_int_equal(thread.live_due, 500);
    limits_live_take();
    assert_int_equal(limits_thread_distance(&thread), 250);
    limits_live_limit(LIMITS_LIVE_SLACK); /* a block may exceed its size by
                                             this */
    assert_int_equal(limits_thread_distance(&thread), 0);
    limits_live_limit(LIMITS_LIVE_SLACK + 1500);
    assert_int_equal(end(&scope, NULL), 0);
    assert_int_equal(thread.live_due, 250); /* others may be in one */
    limits_live_limit(-1);
    arm();
    assert_true(thread.live_due == INT64_MAX);
}

/* A limit found near by others is not missed: one more block, and it is hit. */
static void a_thread_learns_how_near_the_limit_is(void **state)
{
    struct limits_live_number *other = limits_live_take();
    struct limit_scope scope;

    (void)state;
    limits_live_count(0);
    limits_live_limit(1 << 20);
    begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(1));
    visits = 0;
    limits_live_add(other, 1 << 20);
    assert_true(allocate(1));
    assert_int_equal(visits, 0);
    assert_true(limits_live_room() < 0); /* seen by another thread */
    assert_true(allocate(1));
    assert_true(is_interrupted());
    assert_false(allocate(1));
    assert_int_equal(end(&scope, NULL), 1);
}

static void without_a_global_limit_nothing_hits(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_live_count(INT64_MAX / 2);
    begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(1 << 30));
    assert_false(is_interrupted());
    limits_live_limit(0); /* also hits open scopes */
    assert_true(is_interrupted());
    assert_int_equal(end(&scope, NULL), 1);
}

static void what_other_threads_hold_counts(void **state)
{
    struct limits_live_number *other = limits_live_take();
    struct limit_scope scope;

    (void)state;
    limits_live_count(0);
    limits_live_add(other, 600);
    assert_int_equal(limits_live_read(), 600);
    limits_live_limit(1000);
    begin_global(&scope, LIMIT_ENOMEM);
    assert_false(allocate(401));
    assert_int_equal(end(&scope, NULL), 1);
    limits_live_add(other, -1200); /* it freed blocks that this thread
                                      allocated */
    begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(1600));
    assert_int_equal(end(&scope, NULL), 0);
}

static void a_number_outlives_its_thread(void **state)
{
    struct limits_live_number *one = limits_live_take();
    struct limits_live_number *two = limits_live_take();

    (void)state;
    assert_ptr_not_equal(one, two);
    assert_ptr_not_equal(one, thread.live);
    limits_live_add(one, 100);
    limits_live_add(two, 10);
    limits_live_give(one);
    assert_int_equal(limits_live_read(), 110);
    assert_ptr_equal(limits_live_take(), one);
    limits_live_alone(NULL);
    for (int i = 0; i < 1000; i++)
        limits_live_add(limits_live_take(), 1);
    assert_int_equal(limits_live_read(), 1110);
    assert_in_range(fake_port_pages_out(), 1000 / 64, 1000 / 60);
    limits_live_count(5);
    limits_live_count(7); /* only the first call */
    assert_int_equal(limits_live_read(), 1115);
}

static void without_memory_a_number_is_shared(void **state)
{
    struct limits_live_number *number;

    (void)state;
    fake_port_fail_from(1);
    do {
        number = limits_live_take();
    } while (number != &limits_live.shared);
    assert_ptr_equal(limits_live_take(), &limits_live.shared);
    limits_live_give(number);
    limits_live_add(number, 3);
    assert_int_equal(limits_live_read(), 3);
}

enum { THREADS = 8, STEPS = 100000 };

static void *count_up_and_down(void *argument)
{
    struct limits_live_number *number = limits_live_take();

    (void)argument;
    for (int i = 0; i < STEPS; i++) {
        limits_live_add(number, 24);
        limits_live_add(number, -16);
        if (i % 1000 == 0 && limits_live_read() < 0)
            return NULL;
    }
    limits_live_give(number);
    return number;
}

static void nothing_is_lost_between_threads(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, count_up_and_down, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;

        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(limits_live_read(), 8 * THREADS * STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_than_the_process_may_hold_hits_a_global_scope),
        TEST(a_global_limit_makes_malloc_fail),
        TEST(a_thread_looks_at_what_others_hold_in_time),
        TEST(a_thread_learns_how_near_the_limit_is),
        TEST(without_a_global_limit_nothing_hits),
        TEST(what_other_threads_hold_counts),
        TEST(a_number_outlives_its_thread),
        TEST(without_memory_a_number_is_shared),
        TEST(nothing_is_lost_between_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
