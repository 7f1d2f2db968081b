/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits_thread.c - when a scope is hit, and what malloc does then
 *
 * The names of the tests are sentences of tally/limits.h.
 */
#include "core/limits_thread.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/countdown.h"
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

/* The actions of the outer and the inner scope; whether malloc fails. */
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
    assert_int_equal(limits_thread_end(&other, &scope, 0, NULL), -EINVAL);
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
    assert_false(limits_thread_is_in_any(&thread));
    assert_int_equal(end(&inner, NULL), -EINVAL);
    assert_int_equal(end(&innermost, NULL), -EINVAL);
    assert_false(limits_thread_is_in_any(&thread));

    begin_bytes(&outer, 1000, LIMIT_FLAG);
    begin_bytes(&inner, 1000, LIMIT_FLAG);
    memset(&inner, 0x5a, sizeof inner); /* its stack has been left: I4 */
    assert_int_equal(end(&outer, NULL), 0);
    assert_false(limits_thread_is_in_any(&thread));
}

static int begin_from(struct limit_scope *scope, uint64_t bytes,
                      uintptr_t caller)
{
    const struct limit_wanted wanted = { .kind = LIMIT_ALLOCATION,
                                         .action = LIMIT_ENOMEM,
                                         .bytes = bytes,
                                         .caller = caller };
    int status = limits_thread_begin(&thread, scope, &wanted, false, allocated);

    arm();
    return status;
}

static bool are_of_one_function(uintptr_t a, uintptr_t b)
{
    return a / 100 == b / 100;
}

static void a_scope_is_begun_once(void **state)
{
    struct limit_scope scope, inner;
    uint64_t bytes;

    (void)state;
    assert_int_equal(begin_from(&scope, 1000, 101), 0);
    assert_int_equal(begin_from(&scope, 10, 102), -EINVAL);
    assert_int_equal(begin_from(&inner, 900, 103), 0);
    assert_int_equal(begin_from(&scope, 10, 104), -EINVAL);
    assert_true(allocate(899)); /* nothing has changed */
    assert_false(allocate(1));
    assert_int_equal(end(&scope, &bytes), 0);
    assert_int_equal(bytes, 899);
    assert_int_equal(begin_from(&scope, 10, 102), 0);
    assert_int_equal(end(&scope, NULL), 0);
}

/* Its function was left without limits_end(), and the same place is used again. */
static void a_scope_that_was_left_is_begun_anew(void **state)
{
    struct limit_scope scope, outer;
    uint64_t bytes;

    (void)state;
    countdown_carrier.same_function = are_of_one_function;
    assert_int_equal(begin_from(&outer, 10000, 1), 0);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(begin_from(&scope, 1000, 101), 0);
        assert_true(allocate(5));
    }
    assert_int_equal(begin_from(&scope, 1000, 201), 0); /* another function */
    assert_int_equal(begin_from(&scope, 1000, 202), -EINVAL);
    assert_int_equal(end(&scope, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(end(&outer, &bytes), 0);
    assert_int_equal(bytes, 5000);
    assert_false(limits_thread_is_in_any(&thread));
    countdown_carrier.same_function = NULL;
}

/* The thread's own from byte 1000 to 2000. */
static _Alignas(8) char stack[2600];

static uintptr_t at(size_t place)
{
    return (uintptr_t)stack + place;
}

static bool are_own(uintptr_t low, uintptr_t high)
{
    return low >= at(1000) && high < at(2000);
}

static struct limit_scope *scope_at(size_t place)
{
    return (struct limit_scope *)(void *)(stack + place);
}

static bool drop_from(size_t place, bool looks_into)
{
    bool is_any = limits_thread_drop(&thread, at(place), looks_into, allocated);

    arm();
    return is_any;
}

static void begin_at(size_t place, uint64_t bytes)
{
    assert_int_equal(begin_from(scope_at(place), bytes, place), 0);
    limits_scope_mark(scope_at(place));
}

static void scopes_of_frames_that_are_gone_are_dropped(void **state)
{
    (void)state;
    countdown_carrier.is_own_stack = are_own;
    begin_at(504, 10000); /* elsewhere */
    begin_at(1800, 9000);
    begin_at(1600, 500);
    begin_at(1720, 400);
    assert_false(drop_from(1600, false));
    assert_false(allocate(500));
    assert_true(limits_thread_is_interrupted(&thread, at(1600)));
    assert_false(limits_thread_is_interrupted(&thread, at(1728)));
    assert_false(limits_thread_drop(&thread, 0, true, allocated));
    assert_false(drop_from(2500, true)); /* another stack */
    assert_false(allocate(500));
    assert_true(drop_from(1728, false));
    assert_true(allocate(500));
    assert_int_equal(end(scope_at(1720), NULL), -EINVAL);
    assert_int_equal(end(scope_at(1600), NULL), -EINVAL);
    assert_int_equal(end(scope_at(1800), NULL), 0);
    assert_int_equal(end(scope_at(504), NULL), 0);
    countdown_carrier.is_own_stack = NULL;
}

static void scopes_that_were_overwritten_are_dropped(void **state)
{
    (void)state;
    countdown_carrier.is_own_stack = are_own;
    begin_at(1800, 9000);
    begin_at(1600, 500);
    memset(scope_at(1600), 0, 16); /* a budget's name */
    assert_false(drop_from(1500, true));
    assert_false(allocate(500));
    assert_true(limits_thread_is_interrupted(&thread, at(1500)));
    stack[1663]++;
    assert_false(limits_thread_is_interrupted(&thread, at(1500)));
    assert_false(drop_from(1500, false));
    assert_false(allocate(500));
    assert_true(drop_from(1500, true));
    assert_true(allocate(500));
    assert_int_equal(end(scope_at(1600), NULL), -EINVAL);
    assert_int_equal(end(scope_at(1800), NULL), 0);
    countdown_carrier.is_own_stack = NULL;
}

static void scopes_without_end_need_memory(void **state)
{
    enum { MANY = 1000 };
    struct limit_scope scopes[MANY];
    size_t pages;
    int i = 0;

    (void)state;
    for (i = 0; i < MANY; i++)
        begin_bytes(&scopes[i], 1 << 20, LIMIT_ENOMEM);
    pages = fake_port_pages_out();
    assert_in_range(pages, MANY / 40, MANY / 25 + 2);
    assert_int_equal(end(&scopes[0], NULL), 0);
    for (i = 0; i < MANY; i++)
        begin_bytes(&scopes[i], 1 << 20, LIMIT_ENOMEM);
    assert_int_equal(fake_port_pages_out(), pages);
    limits_thread_leave(&thread, allocated);
    assert_false(limits_thread_is_in_any(&thread));
    for (i = 0; i < MANY; i++) /* of the thread before */
        begin_bytes(&scopes[i], 1 << 20, LIMIT_ENOMEM);
    assert_int_equal(fake_port_pages_out(), pages);
}

static void what_is_freed_does_not_count_as_live(void **state)
{
    struct limit_scope scope, inner;
    uint64_t bytes;

    (void)state;
    assert_true(allocate(700));
    begin(&scope, (struct limit_wanted){ .kind = LIMIT_LIVE,
                                         .action = LIMIT_ENOMEM,
                                         .bytes = 1000 });
    for (int i = 0; i < 100; i++) {
        assert_true(allocate(1000));
        release(1000);
    }
    assert_true(allocate(900));
    begin(&inner, (struct limit_wanted){
                      .kind = LIMIT_LIVE, .action = LIMIT_FLAG, .bytes = 50 });
    assert_true(allocate(51));
    assert_true(is_interrupted());
    release(51);
    assert_int_equal(end(&inner, &bytes), 1);
    assert_int_equal(bytes, 0);
    release(700); /* from before: room for more */
    assert_true(allocate(800));
    assert_false(allocate(1));
    release(1000);
    assert_false(allocate(1)); /* until it ends */
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 0);
    assert_int_equal(thread.live_due, INT64_MAX);
}

static void what_blocks_take_hits_a_live_scope(void **state)
{
    struct limit_scope scope;

    (void)state;
    begin(&scope, (struct limit_wanted){ .kind = LIMIT_LIVE,
                                         .action = LIMIT_ENOMEM,
                                         .bytes = 1000 });
    visits = 0;
    assert_true(allocate(500));
    assert_int_equal(visits, 0);
    limits_live_add(thread.live, 501); /* more than was asked for */
    assert_true(limits_live_bytes(thread.live) > thread.live_due);
    limits_thread_settle(&thread, allocated);
    assert_true(is_interrupted());
    assert_int_equal(end(&scope, NULL), 1);
}

static struct limit_scope watched;
static unsigned calls;
static uint64_t called_with;

static void note(void *context, uint64_t bytes)
{
    calls++;
    called_with = bytes;
    assert_ptr_equal(context, &calls);
}

static void call_thresholds(void)
{
    struct limit_threshold reached;

    while (limits_thread_take_threshold(&thread, allocated, &reached))
        reached.callback(reached.context, reached.bytes);
}

static void expect_call(uint64_t before, uint64_t bytes)
{
    const struct limit_threshold threshold = { 800, note, &calls };

    calls = 0;
    visits = 0;
    assert_int_equal(limits_thread_set_threshold(&thread, &watched, &threshold),
                     0);
    arm();
    assert_true(allocate(before));
    assert_int_equal(visits, 0);
    call_thresholds();
    assert_int_equal(calls, 0);
    assert_true(allocate(bytes));
    assert_true(visits == 1 || limits_live_bytes(thread.live) >= 800);
    call_thresholds();
    call_thresholds();
    assert_int_equal(calls, 1);
    assert_int_equal(called_with, before + bytes);
    assert_false(is_interrupted());
    assert_int_equal(end(&watched, NULL), 0);
    call_thresholds();
    assert_int_equal(calls, 1);
}

static void a_threshold_is_told_once(void **state)
{
    struct limit_threshold threshold = { 1, note, &calls };
    struct limit_token token = { 0 };

    (void)state;
    assert_int_equal(limits_thread_set_threshold(&thread, &watched, &threshold),
                     -EINVAL);
    begin_bytes(&watched, 1000, LIMIT_FLAG);
    expect_call(799, 1);
    begin_bytes(&watched, 1000, LIMIT_FLAG);
    expect_call(10, 980);
    begin_token(&watched, &token, LIMIT_FLAG);
    expect_call(0, 5000);
    release(6790);
    begin(&watched, (struct limit_wanted){ .kind = LIMIT_LIVE,
                                           .action = LIMIT_FLAG,
                                           .bytes = 1000 });
    expect_call(799, 1);
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
    assert_int_equal(end(&scope, NULL), 1); /* nobody has looked */
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

/* An exact limit costs one visit when it begins to matter, not one each time. */
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
    assert_int_equal(limits_thread_distance(&child, allocated), 100);
    assert_true(limits_thread_admits(&child, allocated, 600));
    child.masks--;
    assert_false(limits_thread_admits(&child, allocated, 600));
    assert_int_equal(limits_thread_end(&child, &inner, allocated, &bytes), 0);
    assert_int_equal(bytes, 400);
    assert_int_equal(limits_thread_end(&child, &outer, allocated, &bytes), 1);
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
        TEST(a_scope_is_begun_once),
        TEST(a_scope_that_was_left_is_begun_anew),
        TEST(scopes_of_frames_that_are_gone_are_dropped),
        TEST(scopes_that_were_overwritten_are_dropped),
        TEST(scopes_without_end_need_memory),
        TEST(what_is_freed_does_not_count_as_live),
        TEST(what_blocks_take_hits_a_live_scope),
        TEST(a_threshold_is_told_once),
        TEST(a_token_hits_its_scope),
        TEST(a_token_makes_the_next_allocation_fail),
        TEST(nothing_is_interrupted_while_it_is_masked),
        TEST(a_scope_begun_in_a_masked_section_is_masked),
        TEST(nobody_asks_before_it_is_due),
        TEST(a_forked_child_goes_on_with_its_scopes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
