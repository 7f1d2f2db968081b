/* SPDX-License-Identifier: Apache-2.0 */
/* test_systick.c - the clock of a Cortex-M, by the values of its registers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tally/bare_metal.h"
#include "tally/port.h"
#include "tests/unit/bare_metal/host_systick.h"

enum { HZ = 12000000, TICK = HZ / 100, MICROSECOND = HZ / 1000000 };

void tally_board_write(const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
}

static uint64_t microseconds_at(uint32_t left)
{
    SYSTICK_CURRENT = left;
    return tally_port_time_ns() / 1000;
}

static void cycles_since_the_tick_count(void **state)
{
    (void)state;
    tally_clock_start(HZ);
    assert_int_equal(SYSTICK_RELOAD, TICK - 1);
    assert_int_equal(SYSTICK_CONTROL, SYSTICK_RUN);
    assert_int_equal(microseconds_at(TICK - 5000 * MICROSECOND), 5000);
    assert_int_equal(microseconds_at(1), 9999);
    tally_clock_tick();
    assert_int_equal(microseconds_at(TICK - 1), 10000);
}

/* Interrupts are masked: the counter has begun anew, and no tick came. */
static void a_pending_tick_counts(void **state)
{
    (void)state;
    tally_clock_start(HZ);
    INTERRUPT_STATE = SYSTICK_IS_PENDING;
    assert_int_equal(microseconds_at(TICK - 3 * MICROSECOND), 10003);
    INTERRUPT_STATE = 0;
    tally_clock_tick();
    assert_int_equal(microseconds_at(TICK - 4 * MICROSECOND), 10004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_since_the_tick_count),
        cmocka_unit_test(a_pending_tick_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
