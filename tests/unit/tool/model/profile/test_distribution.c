/* SPDX-License-Identifier: Apache-2.0 */
/* test_distribution.c - quantiles, compared with tables and closed forms */
#include "tool/model/profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= fabs(expected) * 1e-5);
}

/* Shape 1 is the exponential distribution; a value compared with itself has no
   mean that is too low. */
static void gamma_is_as_in_closed_form(void **state)
{
    (void)state;
    assert_near(1 + distribution_gamma(1, DISTRIBUTION_LOW), 1);
    assert_near(1 + distribution_gamma(0.5, DISTRIBUTION_LOW), 1);
    assert_near(distribution_gamma(1, DISTRIBUTION_HIGH), -log(0.025));
}

/* Half of a chi square with twice the shape. */
static void gamma_is_as_in_tables(void **state)
{
    (void)state;
    assert_near(distribution_gamma(0.5, DISTRIBUTION_HIGH), 5.023886 / 2);
    assert_near(distribution_gamma(10, DISTRIBUTION_HIGH), 34.169607 / 2);
    assert_near(distribution_gamma(50, DISTRIBUTION_LOW), 74.221927 / 2);
    assert_near(distribution_gamma(50, DISTRIBUTION_HIGH), 129.561197 / 2);
}

/* Shape 2: 1 - exp(-x) (1 + x) is 2.5 % of 1 - exp(-x). */
static void low_ones_are_of_what_is_not_0(void **state)
{
    double x = distribution_gamma(2, DISTRIBUTION_LOW);

    (void)state;
    assert_near(1 - exp(-x) * (1 + x), 0.025 * (1 - exp(-x)));
    assert_near(distribution_gamma(4, DISTRIBUTION_LOW), 0.93331265);
    assert_near(distribution_gamma(10, DISTRIBUTION_LOW), 4.78855655);
}

static void gamma_has_no_step_where_it_is_approximated(void **state)
{
    (void)state;
    assert_near(distribution_gamma(1000.0001, DISTRIBUTION_LOW),
                distribution_gamma(1000, DISTRIBUTION_LOW));
    assert_near(distribution_gamma(1000.0001, DISTRIBUTION_HIGH),
                distribution_gamma(1000, DISTRIBUTION_HIGH));
    assert_near(distribution_gamma(1e12, DISTRIBUTION_HIGH), 1e12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gamma_is_as_in_closed_form),
        cmocka_unit_test(gamma_is_as_in_tables),
        cmocka_unit_test(low_ones_are_of_what_is_not_0),
        cmocka_unit_test(gamma_has_no_step_where_it_is_approximated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
