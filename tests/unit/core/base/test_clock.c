/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock.c - a port's clock that steps back, without an operating system */
#include "core/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"

static void assert_time(uint64_t ports, uint64_t time_ns)
{
    fake_port_set_time_ns(ports);
    assert_true(tally_time_ns() == time_ns);
    assert_int_equal(fake_port_lock_depth(), 0);
}

static void time_is_the_ports(void **state)
{
    (void)state;
    assert_time(0, 0);
    assert_time(7, 7);
    assert_time(UINT64_C(5000000000), UINT64_C(5000000000));
}

static void time_stands_still_while_the_port_is_behind(void **state)
{
    (void)state;
    assert_time(UINT64_C(6000000000), UINT64_C(6000000000));
    assert_time(UINT64_C(5999999999), UINT64_C(6000000000));
    assert_time(1, UINT64_C(6000000000));
    assert_time(UINT64_C(6000000000), UINT64_C(6000000000));
    assert_time(UINT64_C(6000000001), UINT64_C(6000000001));
}

static void a_port_can_restart_it(void **state)
{
    (void)state;
    assert_time(900, UINT64_C(6000000001));
    tally_time_restarts();
    assert_time(900, 900);
    assert_time(899, 900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_the_ports),
        cmocka_unit_test(time_stands_still_while_the_port_is_behind),
        cmocka_unit_test(a_port_can_restart_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
