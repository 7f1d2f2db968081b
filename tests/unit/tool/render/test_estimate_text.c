/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/render/estimate_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_share(double value, double low, double high,
                         const char *expected)
{
    const struct share share = {
        .is_known = true,
        .value = value,
        .interval = { low, high },
    };
    char text[ESTIMATE_TEXT_SIZE];

    assert_string_equal(estimate_share(text, &share), expected);
}

static void test_a_share_has_both_bounds(void **state)
{
    (void)state;
    expect_share(0.12, 0.03, 0.30, "12 % (3-30)");
    expect_share(1, 0.4, 1, "100 % (40-100)");
}

static void test_a_narrow_interval_is_shown_in_tenths(void **state)
{
    (void)state;
    expect_share(0.1114, 0.1097, 0.1131, "11.1 % (11.0-11.3)");
    expect_share(0, 0, 0.0007, "0.0 % (0.0-0.1)");
}

static void test_bounds_that_are_no_other_tenths_are_not_shown(void **state)
{
    (void)state;
    expect_share(0, 0, 0.0004, "0.0 %");
    expect_share(0.4201, 0.4197, 0.4204, "42.0 %");
}

static void test_of_no_samples_nothing_is_known(void **state)
{
    const struct share share = { .is_known = false };
    char text[ESTIMATE_TEXT_SIZE];

    (void)state;
    assert_string_equal(estimate_share(text, &share), "-");
}

static void expect_growth(int64_t value, double low, double high,
                          const char *expected)
{
    char text[ESTIMATE_TEXT_SIZE];

    assert_string_equal(
        estimate_growth(text, value, (struct interval){ low, high }), expected);
}

static void test_growth_has_its_sign_and_both_bounds(void **state)
{
    (void)state;
    expect_growth(1000, -412, 2449, "+1,000 (-410 to 2,400)");
    expect_growth(-1000, -1234567, 0, "-1,000 (-1,200,000 to 0)");
    expect_growth(0, -1e300, 1e300,
                  "0 (-9,223,372,036,854,775,808 to "
                  "9,223,372,036,854,775,807)");
    expect_growth(7, 7, 7, "+7");
    expect_growth(-7, -7, -7, "-7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_share_has_both_bounds),
        cmocka_unit_test(test_a_narrow_interval_is_shown_in_tenths),
        cmocka_unit_test(test_bounds_that_are_no_other_tenths_are_not_shown),
        cmocka_unit_test(test_growth_has_its_sign_and_both_bounds),
        cmocka_unit_test(test_of_no_samples_nothing_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
