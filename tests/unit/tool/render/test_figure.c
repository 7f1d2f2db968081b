/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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

/* One list is a row, and an object. */
static void test_figures_are_cells_and_members(void **state)
{
    const struct figure figures[] = {
        { NULL, "NAME", FIGURE_TEXT, .text = NULL },
        { "used", "USED", .number = 1234 },
        { "growth", "GROWTH", FIGURE_GROWTH, .number = 7 },
        { "at", NULL, FIGURE_ADDRESS, .number = 16 },
        { NULL, "AT", FIGURE_ADDRESS, .number = 16 },
        { "part", "PART", FIGURE_PER_MILLE, .number = 123 },
        { "lost", "LOST", .is_unknown = true },
        { "share", NULL, FIGURE_SHARE, .share = { .is_known = false } },
        { "gone", NULL, FIGURE_FLAG, .number = true },
        { "live", "LIVE", FIGURE_SIGNED, .is_estimate = true,
          .number = UINT64_MAX, .interval = { -1, -1 } },
    };
    enum { COUNT = sizeof figures / sizeof figures[0] };
    struct table *table = NULL;
    char *text = NULL;
    size_t size;
    struct json json = { .out = open_memstream(&text, &size) };

    (void)state;
    figures_put(&table, NULL, figures, COUNT);
    table_clear(table);
    figures_put(&table, NULL, figures, COUNT);
    table_print(table, json.out, 0, TABLE_PLAIN);
    table_destroy(table);
    json_begin(&json, NULL, JSON_LINE_OBJECT);
    figures_put(NULL, &json, figures, COUNT);
    figures_write_intervals(&json, figures, COUNT);
    json_end(&json);
    fclose(json.out);
    assert_string_equal(text,
                        "NAME   USED  GROWTH    AT    PART  LOST  LIVE\n"
                        "-     1,234      +7  0x10  12.3 %     -    -1\n"
                        "{\"used\":1234,\"growth\":7,\"at\":16,\"part\":123,"
                        "\"lost\":null,\"share\":null,\"gone\":true,"
                        "\"live\":-1,\"intervals\":{\"live\":[-1,-1]}}\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_share_has_both_bounds),
        cmocka_unit_test(test_a_narrow_interval_is_shown_in_tenths),
        cmocka_unit_test(test_bounds_that_are_no_other_tenths_are_not_shown),
        cmocka_unit_test(test_growth_has_its_sign_and_both_bounds),
        cmocka_unit_test(test_of_no_samples_nothing_is_known),
        cmocka_unit_test(test_figures_are_cells_and_members),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
