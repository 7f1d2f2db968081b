/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits_live.c - scopes that are hit by what the whole process holds
 *
 * The names of the tests are sentences of tally/limits.h.
 */
#include "core/limits_live.h"

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
    assert_true(allocate(2000)); /* all that it may */
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
    assert_true(visits < 64);
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

static void without_a_global_limit_nothing_hits(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_live_count(INT64_MAX / 2);
    begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(1 << 30));
    assert_false(is_interrupted());
    limits_live_limit(0); /* also those that are open */
    assert_true(is_interrupted());
    assert_int_equal(end(&scope, NULL), 1);
}

static void what_other_threads_hold_counts(void **state)
{
    struct limits_thread other = { .live = 600 };
    struct limit_scope scope;

    (void)state;
    limits_live_count(0);
    limits_live_enter(&other);
    limits_live_enter(&other);
    assert_int_equal(limits_live_read(), 600);
    limits_live_limit(1000);
    begin_global(&scope, LIMIT_ENOMEM);
    assert_false(allocate(401));
    assert_int_equal(end(&scope, NULL), 1);
    other.live = -600; /* it has freed what we had allocated */
    begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(1600));
    assert_int_equal(end(&scope, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_than_the_process_may_hold_hits_a_global_scope),
        TEST(a_global_limit_makes_malloc_fail),
        TEST(without_a_global_limit_nothing_hits),
        TEST(what_other_threads_hold_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
