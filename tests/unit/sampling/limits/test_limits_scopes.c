/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits_scopes.c - scopes that are left, begun again, live, and watched
 *
 * Each test checks a statement of tally/limits.h.
 */
#include "sampling/limits/limits_thread.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sampling/countdown/countdown.h"
#include "tests/fakes/fake_malloc.h"

/* A scope that begins again was left, also outside of open ones. */
static void a_scope_is_begun_anew(void **state)
{
    struct limit_scope scope, inner, outer;
    uint64_t bytes;

    (void)state;
    begin_bytes(&outer, 10000, LIMIT_ENOMEM);
    for (int i = 0; i < 1000; i++) {
        begin_bytes(&scope, 1000, LIMIT_ENOMEM);
        assert_true(allocate(5));
    }
    begin_bytes(&inner, 900, LIMIT_ENOMEM);
    begin_bytes(&scope, 100, LIMIT_ENOMEM);
    assert_true(allocate(99));
    assert_false(allocate(1));
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 99);
    assert_int_equal(end(&scope, NULL), -EINVAL);
    assert_int_equal(end(&inner, &bytes), 0); /* it stayed */
    assert_int_equal(bytes, 99);
    assert_int_equal(end(&outer, &bytes), 0);
    assert_int_equal(bytes, 5099);
    assert_null(thread.innermost);
}

/* The thread's own stack from byte 1000 to 2000. */
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
    bool is_any = limits_thread_drop(&thread, at(place), looks_into);

    arm();
    return is_any;
}

static void begin_at(size_t place, uint64_t bytes)
{
    begin_bytes(scope_at(place), bytes, LIMIT_ENOMEM);
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
    assert_false(limits_thread_drop(&thread, 0, true));
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
    memset(scope_at(1600), 0, 16); /* the name of a budget */
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
    limits_thread_leave(&thread);
    assert_null(thread.innermost);
    for (i = 0; i < MANY; i++) /* of the previous thread */
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
    release(700); /* from before: leaves more room */
    assert_true(allocate(800));
    assert_false(allocate(1));
    release(1000);
    assert_false(allocate(1)); /* until it ends */
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 0);
    assert_int_equal(thread.live_due, INT64_MAX);
}

static void what_older_blocks_give_back_is_room(void **state)
{
    struct limit_scope scope;
    uint64_t bytes;

    (void)state;
    assert_true(allocate(50000));
    begin(&scope, (struct limit_wanted){ .kind = LIMIT_LIVE,
                                         .action = LIMIT_ENOMEM,
                                         .bytes = 10000 });
    release(50000);
    assert_true(allocate(40000));
    assert_true(allocate(19000));
    assert_true(limits_thread_admits(&thread, 20000, 19000));
    assert_false(is_interrupted());
    assert_false(limits_thread_admits(&thread, 20001, 19000));
    assert_int_equal(end(&scope, &bytes), 1);
    assert_int_equal(bytes, 9000);
    begin(&scope, (struct limit_wanted){ .kind = LIMIT_LIVE,
                                         .action = LIMIT_ENOMEM,
                                         .bytes = UINT64_MAX });
    release(59000);
    assert_true(allocate(INT64_MAX / 2));
    assert_int_equal(end(&scope, &bytes), 0);
}

static void what_blocks_take_hits_a_live_scope(void **state)
{
    struct limit_scope scope;

    (void)state;
    begin(&scope, (struct limit_wanted){ .kind = LIMIT_LIVE,
                                         .action = LIMIT_ENOMEM,
                                         .bytes = LIMITS_LIVE_SLACK + 3000 });
    visits = 0;
    assert_true(allocate(999));
    assert_int_equal(visits, 0);
    limits_live_add(thread.live,
                    LIMITS_LIVE_SLACK + 2002); /* beyond the block's size */
    assert_true(limits_live_bytes(thread.live) > thread.live_due);
    limits_thread_update(&thread);
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

    thread.round++;
    while (limits_thread_take_threshold(&thread, 0, 0, &reached))
        reached.callback(reached.context, reached.bytes);
}

static void expect_call(uint64_t before, uint64_t bytes)
{
    const struct limit_threshold threshold = { 800, note, &calls };
    struct limit_threshold reached;

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
    assert_int_equal(calls, 1);
    assert_int_equal(called_with, before + bytes);
    limits_thread_set_threshold(&thread, &watched, &threshold);
    assert_false(limits_thread_take_threshold(&thread, 0, 0, &reached));
    thread.round++;
    assert_true(limits_thread_take_threshold(&thread, 0, 0, &reached));
    assert_false(limits_thread_take_threshold(&thread, 0, 0, &reached));
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
                                           .bytes = 1 << 20 });
    expect_call(799, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_scope_is_begun_anew),
        TEST(scopes_of_frames_that_are_gone_are_dropped),
        TEST(scopes_that_were_overwritten_are_dropped),
        TEST(scopes_without_end_need_memory),
        TEST(what_is_freed_does_not_count_as_live),
        TEST(what_older_blocks_give_back_is_room),
        TEST(what_blocks_take_hits_a_live_scope),
        TEST(a_threshold_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
