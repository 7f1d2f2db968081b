/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tick_scale.c - ticks become the nanoseconds of the system's clock
 */
#include "tool/session/events/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pause_ms(long ms)
{
    const struct timespec interval = { .tv_nsec = ms * 1000000 };

    nanosleep(&interval, NULL);
}

static void nanoseconds_stay_what_they_are(void **state)
{
    struct tick_scale scale;

    (void)state;
    assert_int_equal(tick_scale_choose(1), EVENTS_CLOCK_NANOSECONDS);
    tick_scale_begin(&scale, EVENTS_CLOCK_NANOSECONDS);
    tick_scale_update(&scale);
    assert_true(tick_scale_ns(&scale, 12345) == 12345);
    assert_true(tick_scale_before(&scale, 0) - scale.ns < 1000000000);
}

/* A time read between two of the system's lies between them, in ticks wherever
   the kernel trusts the processor's counter. */
static void times_lie_between_times(void **state)
{
    struct tick_scale scale;
    unsigned outside = 0;

    (void)state;
    tick_scale_begin(&scale, tick_scale_choose(0));
    if (scale.clock == EVENTS_CLOCK_NANOSECONDS)
        print_message("here recordings have nanoseconds, not ticks: the "
                      "kernel's clocksource is not tsc\n");
    pause_ms(20);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t before = now_ns();
        uint64_t ticks = tick_scale_before(&scale, 0);
        uint64_t after = now_ns();

        tick_scale_update(&scale);
        if (ticks == 0) /* no second pair yet */
            continue;
        ticks = tick_scale_ns(&scale, ticks);
        outside += ticks + 20000 < before || ticks > after + 20000;
    }
    assert_int_equal(outside, 0);
}

static void what_was_before_is_before(void **state)
{
    struct tick_scale scale;
    uint64_t then, now;

    (void)state;
    tick_scale_begin(&scale, tick_scale_choose(0));
    assert_true(scale.clock == EVENTS_CLOCK_NANOSECONDS ||
                tick_scale_before(&scale, 1000000) == 0);
    pause_ms(20);
    tick_scale_update(&scale);
    then = tick_scale_ns(&scale, tick_scale_before(&scale, 1000000));
    now = tick_scale_ns(&scale, tick_scale_before(&scale, 0));
    assert_true(then < now && then + 990000 > scale.ns - 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nanoseconds_stay_what_they_are),
        cmocka_unit_test(times_lie_between_times),
        cmocka_unit_test(what_was_before_is_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
