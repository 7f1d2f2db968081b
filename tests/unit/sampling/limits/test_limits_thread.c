/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits_thread.c - when a scope is hit, and the effect on malloc
 *
 * The names of the tests are statements of tally/limits.h.
 */
#include "sampling/limits/limits_thread.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_malloc.h"

static void the_allocation_that_reaches_a_limit_hits_it(void **state)
{
    struct limit_scope scope;
    uint64_t bytes;

    (void)state;
    begin_bytes(&scope, 1000, LIMIT_FLAG);
    assert_true(allocate(999));
    assert_false(is_interrupted());
    assert_true(allocate(1));
    assert_true(is_interrupted());
    assert_true(allocate(5000)); /* the program polls */
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 6000);
    assert_false(is_interrupted());
}

static void what_is_not_reached_is_not_hit(void **state)
{
    struct limit_scope scope;
    uint64_t bytes;

    (void)state;
    begin_bytes(&scope, 1000, LIMIT_ENOMEM);
    assert_true(allocate(999));
    assert_true(allocate(0));
    assert_int_equal(end(&scope, &bytes), 0);
    assert_int_equal(bytes, 999);
}

static void already_the_allocation_that_would_reach_it_fails(void **state)
{
    struct limit_scope scope;
    uint64_t bytes;

    (void)state;
    begin_bytes(&scope, 1000, LIMIT_ENOMEM);
    assert_true(allocate(400));
    assert_false(allocate(600));
    assert_true(is_interrupted());
    assert_false(allocate(0)); /* until the scope ends */
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 400);
    assert_true(allocate(600));
}

static void a_limit_of_zero_is_hit_by_the_first_allocation(void **state)
{
    struct limit_scope scope;

    (void)state;
    begin_bytes(&scope, 0, LIMIT_FLAG);
    assert_false(is_interrupted());
    assert_int_equal(end(&scope, NULL), 0);
    begin_bytes(&scope, 0, LIMIT_FLAG);
    assert_true(allocate(0));
    assert_true(is_interrupted());
    assert_int_equal(end(&scope, NULL), 1);
    begin_bytes(&scope, 0, LIMIT_ENOMEM);
    assert_false(allocate(0));
    assert_int_equal(end(&scope, NULL), 1);
}

static void the_largest_limit_is_none(void **state)
{
    struct limit_scope scope, inner;
    uint64_t bytes;

    (void)state;
    begin_bytes(&scope, UINT64_MAX, LIMIT_ENOMEM);
    begin_bytes(&inner, UINT64_MAX - 5, LIMIT_ENOMEM);
    assert_true(allocate(UINT64_C(1) << 62));
    assert_int_equal(end(&inner, &bytes), 0);
    assert_int_equal(bytes, UINT64_C(1) << 62);
    assert_int_equal(end(&scope, NULL), 0);
}

static void what_frees_does_not_count(void **state)
{
    struct limit_scope scope;
    uint64_t bytes;

    (void)state;
    begin_bytes(&scope, 1000, LIMIT_ENOMEM);
    for (int i = 0; i < 9; i++) {
        assert_true(allocate(100));
        release(100);
    }
    assert_false(allocate(100));
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 900);
}

static void an_inner_scope_is_charged_to_the_outer(void **state)
{
    struct limit_scope outer, inner;
    uint64_t bytes;

    (void)state;
    begin_bytes(&outer, 1000, LIMIT_FLAG);
    assert_true(allocate(100));
    begin_bytes(&inner, 600, LIMIT_FLAG);
    assert_true(allocate(500));
    assert_int_equal(end(&inner, &bytes), 0);
    assert_int_equal(bytes, 500);
    assert_true(allocate(399));
    assert_false(is_interrupted());
    assert_true(allocate(1));
    assert_true(is_interrupted());
    assert_int_equal(end(&outer, &bytes), 1);
    assert_int_equal(bytes, 1000);
}

static void each_scope_is_told_of_its_own_limit_only(void **state)
{
    struct limit_scope outer, inner;

    (void)state;
    begin_bytes(&outer, 1000, LIMIT_FLAG);
    begin_bytes(&inner, 100, LIMIT_FLAG);
    assert_true(allocate(100));
    assert_true(is_interrupted());
    assert_int_equal(end(&inner, NULL), 1);
    assert_false(is_interrupted());
    begin_bytes(&inner, 5000, LIMIT_FLAG);
    assert_true(allocate(900));
    assert_true(is_interrupted());
    assert_int_equal(end(&inner, NULL), 0);
    assert_true(is_interrupted());
    assert_int_equal(end(&outer, NULL), 1);
}

/* Actions of the outer and the inner scope; expected failure of malloc. */
static void an_inner_scope_uses_no_more_than_is_left_outside(void **state)
{
    static const struct {
        enum limit_action outer, inner;
        bool fails;
    } cases[] = { { LIMIT_FLAG, LIMIT_FLAG, false },
                  { LIMIT_FLAG, LIMIT_ENOMEM, true },
                  { LIMIT_ENOMEM, LIMIT_FLAG, true },
                  { LIMIT_ENOMEM, LIMIT_ENOMEM, true } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct limit_scope outer, inner;

        begin_bytes(&outer, 1000, cases[i].outer);
        begin_bytes(&inner, 5000, cases[i].inner);
        assert_true(allocate(600));
        assert_int_equal(allocate(600), !cases[i].fails);
        assert_int_equal(allocate(1), !cases[i].fails);
        assert_true(is_interrupted());
        assert_int_equal(end(&inner, NULL), 0);
        assert_int_equal(allocate(1), cases[i].outer == LIMIT_FLAG);
        assert_int_equal(end(&outer, NULL), 1);
        assert_true(allocate(1));
    }
}

static void an_inner_limit_does_not_make_malloc_fail_for_an_outer(void **state)
{
    struct limit_scope outer, inner;

    (void)state;
    begin_bytes(&outer, 10000, LIMIT_ENOMEM);
    begin_bytes(&inner, 100, LIMIT_FLAG);
    assert_true(allocate(200));
    assert_true(is_interrupted());
    assert_true(allocate(200));
    assert_int_equal(end(&inner, NULL), 1);
    assert_int_equal(end(&outer, NULL), 0);
}

static void a_request_that_fails_is_charged_to_nobody(void **state)
{
    struct limit_scope outer, inner;
    uint64_t bytes;

    (void)state;
    begin_bytes(&outer, 1000, LIMIT_FLAG);
    begin_bytes(&inner, 100, LIMIT_ENOMEM);
    assert_false(allocate(5000));
    assert_int_equal(end(&inner, &bytes), 1);
    assert_int_equal(bytes, 0);
    assert_false(is_interrupted());
    assert_int_equal(end(&outer, &bytes), 0);
    assert_int_equal(bytes, 0);
}

static void a_scope_is_ended_once_and_in_its_thread(void **state)
{
    struct limits_thread other = { .innermost = NULL };
    struct limit_scope scope;

    (void)state;
    begin_bytes(&scope, 1000, LIMIT_FLAG);
    assert_int_equal(limits_thread_end(&other, &scope, NULL), -EINVAL);
    assert_int_equal(end(&scope, NULL), 0);
    assert_int_equal(end(&scope, NULL), -EINVAL);
    memset(&scope, 0, sizeof scope);
    assert_int_equal(end(&scope, NULL), -EINVAL);
}

static void scopes_inside_end_as_well(void **state)
{
    struct limit_scope outer, inner, innermost;

    (void)state;
    begin_bytes(&outer, 1000, LIMIT_FLAG);
    begin_bytes(&inner, 1000, LIMIT_FLAG);
    begin_bytes(&innermost, 1000, LIMIT_FLAG);
    assert_int_equal(end(&outer, NULL), 0);
    assert_null(thread.innermost);
    assert_int_equal(end(&inner, NULL), -EINVAL);
    assert_int_equal(end(&innermost, NULL), -EINVAL);
    assert_null(thread.innermost);

    begin_bytes(&outer, 1000, LIMIT_FLAG);
    begin_bytes(&inner, 1000, LIMIT_FLAG);
    memset(&inner, 0x5a, sizeof inner); /* its stack was left: I4 */
    assert_int_equal(end(&outer, NULL), 0);
    assert_null(thread.innermost);
}

static void a_token_hits_its_scope(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope scope;

    (void)state;
    begin_token(&scope, &token, LIMIT_FLAG);
    assert_true(allocate(1 << 20));
    assert_int_equal(visits, 0);
    assert_false(is_interrupted());
    token.set = 1;
    assert_true(is_interrupted());
    assert_true(allocate(1));
    assert_int_equal(end(&scope, NULL), 1);
    assert_false(is_interrupted());

    begin_token(&scope, &token, LIMIT_FLAG); /* set before */
    assert_true(is_interrupted());
    assert_int_equal(end(&scope, NULL), 1);
    begin_token(&scope, &token, LIMIT_FLAG);
    assert_int_equal(end(&scope, NULL), 1); /* no check came */
}

static void a_token_makes_the_next_allocation_fail(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope outer, scope;
    uint64_t bytes;

    (void)state;
    begin_token(&outer, &token, LIMIT_FLAG);
    begin_bytes(&scope, 1 << 20, LIMIT_ENOMEM);
    assert_true(allocate(100));
    token.set = 1;
    assert_false(allocate(1));
    assert_int_equal(end(&scope, &bytes), 0);
    assert_int_equal(bytes, 100);
    assert_true(allocate(1));
    assert_int_equal(end(&outer, NULL), 1);

    begin_token(&outer, &token, LIMIT_ENOMEM);
    assert_false(allocate(0));
    assert_int_equal(end(&outer, NULL), 1);
}

static void nothing_is_interrupted_while_it_is_masked(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope scope, outer;
    uint64_t bytes;

    (void)state;
    begin_token(&outer, &token, LIMIT_ENOMEM);
    begin_bytes(&scope, 100, LIMIT_ENOMEM);
    mask(1);
    assert_true(allocate(50));
    token.set = 1;
    assert_true(allocate(100));
    assert_false(is_interrupted());
    mask(1);
    assert_true(allocate(1));
    mask(-1);
    assert_true(allocate(1));
    mask(-1);
    assert_true(is_interrupted());
    assert_false(allocate(1));
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 152);
    assert_int_equal(end(&outer, NULL), 1);
}

static void a_scope_begun_in_a_masked_section_is_masked(void **state)
{
    struct limit_scope scope;

    (void)state;
    mask(1);
    begin_bytes(&scope, 10, LIMIT_ENOMEM);
    assert_true(allocate(10));
    assert_false(is_interrupted());
    assert_int_equal(end(&scope, NULL), 1);
    mask(-1);
}

/* An exact limit costs one visit when it becomes relevant, not one per call. */
static void nobody_asks_before_it_is_due(void **state)
{
    struct limit_scope scope;

    (void)state;
    begin_bytes(&scope, 1 << 30, LIMIT_ENOMEM);
    for (int i = 0; i < (1 << 20) - 1; i++)
        assert_true(allocate(1 << 10));
    assert_int_equal(visits, 0);
    assert_false(allocate(1 << 10));
    assert_int_equal(visits, 1);
    assert_int_equal(end(&scope, NULL), 1);
}

static void a_forked_child_goes_on_with_its_scopes(void **state)
{
    struct limits_thread child = { .masks = 0 };
    struct limit_scope outer, inner;
    uint64_t bytes;

    (void)state;
    begin_bytes(&outer, 1000, LIMIT_ENOMEM);
    begin_bytes(&inner, 500, LIMIT_FLAG);
    assert_true(allocate(400));
    mask(1);
    limits_thread_inherit(&child, &thread);
    assert_int_equal(limits_thread_distance(&child), 100);
    assert_true(limits_thread_admits(&child, 600, 0));
    child.masks--;
    assert_false(limits_thread_admits(&child, 600, 0));
    assert_int_equal(limits_thread_end(&child, &inner, &bytes), 0);
    assert_int_equal(bytes, 400);
    assert_int_equal(limits_thread_end(&child, &outer, &bytes), 1);
    assert_int_equal(bytes, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_allocation_that_reaches_a_limit_hits_it),
        TEST(what_is_not_reached_is_not_hit),
        TEST(already_the_allocation_that_would_reach_it_fails),
        TEST(a_limit_of_zero_is_hit_by_the_first_allocation),
        TEST(the_largest_limit_is_none),
        TEST(what_frees_does_not_count),
        TEST(an_inner_scope_is_charged_to_the_outer),
        TEST(each_scope_is_told_of_its_own_limit_only),
        TEST(an_inner_scope_uses_no_more_than_is_left_outside),
        TEST(an_inner_limit_does_not_make_malloc_fail_for_an_outer),
        TEST(a_request_that_fails_is_charged_to_nobody),
        TEST(a_scope_is_ended_once_and_in_its_thread),
        TEST(scopes_inside_end_as_well),
        TEST(a_token_hits_its_scope),
        TEST(a_token_makes_the_next_allocation_fail),
        TEST(nothing_is_interrupted_while_it_is_masked),
        TEST(a_scope_begun_in_a_masked_section_is_masked),
        TEST(nobody_asks_before_it_is_due),
        TEST(a_forked_child_goes_on_with_its_scopes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
