/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits_sampled.c - scopes as in memprof-limits
 *
 * The names of the tests are statements of tally/limits.h.
 */
#include "sampling/limits/limits_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_malloc.h"

/* Hit, as in memprof-limits, after ceil(limit / S) samples, at the first if it
   is zero. */
static void
a_sampled_scope_is_hit_by_the_sample_that_leaves_nothing(void **state)
{
    static const struct {
        uint64_t words, samples;
    } cases[] = { { 0, 1 },     { 1, 1 },     { 9999, 1 },
                  { 10000, 1 }, { 10001, 2 }, { 200000, 20 } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct limit_scope scope;
        uint64_t bytes, seen = 0;

        begin_sampled(&scope, cases[i].words * sizeof(void *), LIMIT_ENOMEM);
        assert_true(allocate(1 << 20));
        do {
            seen++;
        } while (sample(1, 10000));
        assert_int_equal(seen, cases[i].samples);
        assert_true(is_interrupted());
        assert_false(allocate(1));
        assert_int_equal(end(&scope, &bytes), 1);
        assert_int_equal(bytes, seen * 10000 * sizeof(void *));
    }
}

static void samples_are_charged_to_all_around(void **state)
{
    struct limit_scope outer, exact, inner;
    uint64_t bytes;

    (void)state;
    begin_sampled(&outer, 100 * sizeof(void *), LIMIT_FLAG);
    begin_bytes(&exact, 1000, LIMIT_FLAG);
    begin_sampled(&inner, UINT64_MAX, LIMIT_FLAG);
    assert_true(sample(9, 10));
    assert_false(is_interrupted());
    assert_int_equal(end(&inner, &bytes), 0);
    assert_int_equal(bytes, 90 * sizeof(void *));
    assert_true(sample(1, 10));
    assert_true(is_interrupted());
    assert_int_equal(end(&exact, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(end(&outer, &bytes), 1);
    assert_int_equal(bytes, 100 * sizeof(void *));
}

static void sampled_scopes_are_looked_at_at_samples_only(void **state)
{
    struct limit_token token = { 1 };
    struct limit_scope scope;

    (void)state;
    limits_live_count(0);
    limits_live_limit(100);
    begins_sampled = true;
    begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(200));
    assert_false(is_interrupted());
    assert_false(sample(1, 10000));
    assert_true(is_interrupted());
    assert_int_equal(end(&scope, NULL), 1);
    begin_token(&scope, &token, LIMIT_ENOMEM);
    assert_true(allocate(1));
    assert_false(sample(1, 10000));
    assert_false(allocate(1));
    assert_int_equal(end(&scope, NULL), 1);
    begins_sampled = false;
}

static void samples_in_a_masked_section_are_charged(void **state)
{
    struct limit_scope scope;

    (void)state;
    begin_sampled(&scope, 8, LIMIT_ENOMEM);
    mask(1);
    assert_true(sample(1, UINT64_MAX / 2));
    assert_false(is_interrupted());
    mask(-1);
    assert_true(is_interrupted());
    assert_false(sample(UINT64_MAX, UINT64_MAX));
    assert_int_equal(end(&scope, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sampled_scope_is_hit_by_the_sample_that_leaves_nothing),
        TEST(samples_are_charged_to_all_around),
        TEST(sampled_scopes_are_looked_at_at_samples_only),
        TEST(samples_in_a_masked_section_are_charged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
