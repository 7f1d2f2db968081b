/* SPDX-License-Identifier: Apache-2.0 */
/* test_timeout.c - timeouts in nanoseconds, also in constants */
#include "tally/timeout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static k_timeout_t of_file = K_MSEC(100);
static k_timeout_t for_ever = K_FOREVER;
static k_timeout_t none = K_NO_WAIT;

static void units_are_what_they_say(void **state)
{
    int count = 3;

    (void)state;
    assert_int_equal(K_NSEC(count).ns, 3);
    assert_int_equal(K_USEC(count).ns, 3000);
    assert_int_equal(K_MSEC(count).ns, 3000000);
    assert_int_equal(K_SECONDS(count).ns, INT64_C(3000000000));
    assert_int_equal(K_MINUTES(count).ns, INT64_C(180000000000));
    assert_int_equal(K_HOURS(count).ns, INT64_C(10800000000000));
    assert_int_equal(K_MSEC(count++).ns, 3000000);
    assert_int_equal(count, 4);
}

static void constants_are_constant(void **state)
{
    (void)state;
    assert_int_equal(of_file.ns, 100000000);
    assert_int_equal(none.ns, 0);
    assert_true(K_TIMEOUT_EQ(for_ever, K_FOREVER));
    assert_false(K_TIMEOUT_EQ(for_ever, none));
}

static void below_zero_is_zero(void **state)
{
    int64_t count = -5;

    (void)state;
    assert_true(K_TIMEOUT_EQ(K_MSEC(-1), K_NO_WAIT));
    assert_true(K_TIMEOUT_EQ(K_SECONDS(INT64_MIN), K_NO_WAIT));
    assert_true(K_TIMEOUT_EQ(K_USEC(count), K_NO_WAIT));
}

static void what_is_too_long_is_the_longest(void **state)
{
    int64_t count = INT64_MAX / 1000;

    (void)state;
    assert_int_equal(K_SECONDS(INT64_MAX).ns, INT64_MAX);
    assert_int_equal(K_MSEC(count).ns, INT64_MAX);
    assert_int_equal(K_USEC(count).ns, INT64_MAX / 1000 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_what_they_say),
        cmocka_unit_test(constants_are_constant),
        cmocka_unit_test(below_zero_is_zero),
        cmocka_unit_test(what_is_too_long_is_the_longest),
    };

    return cmocka_run_group_tests_name("timeout", tests, NULL, NULL);
}
