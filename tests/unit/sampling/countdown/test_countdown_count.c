/* SPDX-License-Identifier: Apache-2.0 */
/* test_countdown_count.c - announced blocks, allocated or not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sampling/countdown/countdown.h"
#include "tests/fakes/run_alone.h"
#include "tests/unit/sampling/countdown/idle_client.h"

static unsigned announced, settled, counted_late;
static const void *settled_block;
static bool refuses;
static int block;

static bool announce(struct counted_thread *thread,
                     const struct counted_block *told)
{
    int *kept = countdown_kept(told, COUNTDOWN_MEMPROF);

    assert_int_equal(thread->allocated, 100);
    assert_null(told->block);
    announced++;
    *kept = 4711;
    return !refuses;
}

static bool settle(struct counted_thread *thread,
                   const struct counted_block *told)
{
    const int *kept = countdown_kept(told, COUNTDOWN_MEMPROF);

    (void)thread;
    settled++;
    settled_block = told->block;
    assert_int_equal(*kept, 4711);
    return false; /* it is not called */
}

static bool count_late(struct counted_thread *thread,
                       const struct counted_block *told)
{
    assert_ptr_equal(told->block, &block);
    counted_late++;
    return idle_count(thread, told);
}

static const struct countdown_client asked = {
    .counts = COUNTDOWN_ALLOCATED,
    .follow = idle_follow,
    .distance = idle_distance_now,
    .announce = announce,
    .count = settle,
};

static const struct countdown_client not_asked = {
    .counts = COUNTDOWN_ALLOCATED,
    .follow = idle_follow,
    .distance = idle_distance_now,
    .count = count_late,
};

static void turn(enum countdown_client_number number,
                 const struct countdown_client *client)
{
    countdown_lock();
    countdown_set_client(number, client);
    countdown_unlock();
}

/* State of each case, which runs alone. */
static struct counted_announcement announcement;
static struct counted_block counted = { .size = 100,
                                        .announcement = &announcement };

static struct counted_thread *begin(void)
{
    idle_distance = 10000;
    turn(COUNTDOWN_MEMPROF, &asked);
    turn(COUNTDOWN_SAMPLES, &not_asked);
    return countdown_thread();
}

static void test_announced_and_there(void **state)
{
    struct counted_thread *thread = begin();

    (void)state;
    assert_true(countdown_count(thread, &counted));
    assert_int_equal(announced, 1);
    assert_int_equal(settled + counted_late, 0);
    counted.block = &block;
    countdown_finish(thread, &counted);
    assert_int_equal(announced + settled, 2);
    assert_ptr_equal(settled_block, &block);
    assert_int_equal(counted_late, 1);
    assert_int_equal(countdown_allocated(thread), 100);
    assert_int_equal(countdown_position(thread), 100);
}

static void test_refused_is_no_bytes(void **state)
{
    struct counted_thread *thread = begin();

    (void)state;
    refuses = true;
    assert_false(countdown_count(thread, &counted));
    assert_int_equal(countdown_allocated(thread), 0);
    assert_int_equal(countdown_position(thread), 100);
}

static void test_failed_is_told_to_who_was_asked(void **state)
{
    struct counted_thread *thread = begin();

    (void)state;
    assert_true(countdown_count(thread, &counted));
    countdown_finish(thread, &counted);
    assert_int_equal(settled, 1);
    assert_null(settled_block);
    assert_int_equal(counted_late, 0);
    assert_int_equal(countdown_allocated(thread), 0);
}

/* The client is gone: for example, its own callback removed it. */
static void test_who_is_gone_hears_the_end(void **state)
{
    struct counted_thread *thread = begin();

    (void)state;
    assert_true(countdown_count(thread, &counted));
    turn(COUNTDOWN_MEMPROF, NULL);
    counted.block = &block;
    countdown_finish(thread, &counted);
    assert_int_equal(settled, 1);
    assert_int_equal(counted_late, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_announced_and_there),
        cmocka_unit_test(test_refused_is_no_bytes),
        cmocka_unit_test(test_failed_is_told_to_who_was_asked),
        cmocka_unit_test(test_who_is_gone_hears_the_end),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
