/* SPDX-License-Identifier: Apache-2.0 */
/* test_natural_log.c - compared with libm, in units of the last place */
#include "sampling/countdown/sampler.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROUNDS = 200000, MOST_UNITS = 4 };

/* Return the distance of two doubles, in units of the last place of the
   second. */
static double units_between(double found, double expected)
{
    double unit = nextafter(fabs(expected), INFINITY) - fabs(expected);

    return fabs(found - expected) / unit;
}

static void test_all_magnitudes(void **state)
{
    double worst = 0, x = 0x1p-1000;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        worst = fmax(worst, units_between(natural_log(x), log(x)));
        x *= 1.00693;
    }
    assert_true(worst <= MOST_UNITS);
}

static void test_near_1(void **state)
{
    double worst = 0;

    (void)state;
    for (int i = 1; i < ROUNDS; i++) {
        double below = 1 - i * 0x1p-53 * i, above = 1 + i * 0x1p-52 * i;

        worst = fmax(worst, units_between(natural_log(below), log(below)));
        worst = fmax(worst, units_between(natural_log(above), log(above)));
    }
    assert_true(worst <= MOST_UNITS);
    assert_true(natural_log(1) == 0);
}

static void test_small_numbers_that_have_fewer_digits(void **state)
{
    (void)state;
    assert_true(units_between(natural_log(0x1p-1074), log(0x1p-1074)) <= 1);
    assert_true(units_between(natural_log(3e-310), log(3e-310)) <= 1);
}

static void test_of_1_plus_x(void **state)
{
    double worst = 0, x = 1e-300;

    (void)state;
    for (; x < 1; x *= 1.01) {
        worst = fmax(worst, units_between(natural_log_1p(x), log1p(x)));
        worst = fmax(worst, units_between(natural_log_1p(-x), log1p(-x)));
    }
    assert_true(worst <= MOST_UNITS);
    assert_true(natural_log_1p(0) == 0);
    assert_true(natural_log_1p(1) == log(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_magnitudes),
        cmocka_unit_test(test_near_1),
        cmocka_unit_test(test_small_numbers_that_have_fewer_digits),
        cmocka_unit_test(test_of_1_plus_x),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
