/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_comparison.c - growth of places, whatever the rows
 */
#include "tool/model/comparison.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct allocinfo_row row(uint64_t line, int64_t bytes, uint64_t calls)
{
    return (struct allocinfo_row){ .bytes = bytes,
                                   .calls = calls,
                                   .file = { "a.c", 3 },
                                   .line = line,
                                   .function = { "f", 1 } };
}

/* Sorted by place, so that tests know where rows are. */
static struct comparison compare(const struct allocinfo_row *before,
                                 size_t before_count,
                                 const struct allocinfo_row *after,
                                 size_t after_count)
{
    struct comparison_side sides[] = { { before, before_count },
                                       { after, after_count } };
    struct comparison comparison;

    assert_int_equal(comparison_open(&comparison, &sides[0], &sides[1]), 0);
    comparison_sort(&comparison, comparison_order_find("file"));
    return comparison;
}

static void rows_of_one_place_are_summed_on_each_side(void **state)
{
    struct allocinfo_row before[] = { row(1, 10, 1), row(1, 20, 1) };
    struct allocinfo_row after[] = { row(1, 35, 1), row(1, 1, 1),
                                     row(1, 1, 1) };
    struct comparison comparison = compare(before, 2, after, 3);

    (void)state;
    assert_int_equal(comparison.count, 1);
    assert_int_equal(comparison.rows[0].before.bytes, 30);
    assert_int_equal(comparison.rows[0].after.bytes, 37);
    assert_int_equal(comparison.rows[0].growth.bytes, 7);
    assert_int_equal(comparison.rows[0].growth.blocks, 1);
    assert_int_equal(comparison.rows[0].state, COMPARISON_BOTH);
    comparison_close(&comparison);
}

static void places_of_one_side_are_new_or_gone(void **state)
{
    struct allocinfo_row before[] = { row(1, 10, 1), row(3, 5, 1) };
    struct allocinfo_row after[] = { row(3, 5, 1), row(2, 7, 2) };
    struct comparison comparison = compare(before, 2, after, 2);

    (void)state;
    assert_int_equal(comparison.count, 3);
    assert_int_equal(comparison.rows[0].state, COMPARISON_GONE);
    assert_int_equal(comparison.rows[0].growth.bytes, -10);
    assert_int_equal(comparison.rows[1].state, COMPARISON_NEW);
    assert_int_equal(comparison.rows[1].growth.blocks, 2);
    assert_int_equal(comparison.rows[2].growth.bytes, 0);
    assert_int_equal(comparison.growth.bytes, -3);
    comparison_close(&comparison);
}

static void modules_are_part_of_the_place(void **state)
{
    struct allocinfo_row before = row(1, 1, 1);
    struct allocinfo_row after = row(1, 1, 1);
    struct comparison comparison;

    (void)state;
    after.module = (struct allocinfo_text){ "m", 1 };
    comparison = compare(&before, 1, &after, 1);
    assert_int_equal(comparison.count, 2);
    comparison_close(&comparison);
}

static void wrapped_numbers_grow_like_others(void **state)
{
    struct allocinfo_row before[] = { row(1, -100, UINT64_MAX),
                                      row(2, INT64_MIN, 0) };
    struct allocinfo_row after[] = { row(1, 50, 1), row(2, INT64_MAX, 0) };
    struct comparison comparison = compare(before, 2, after, 2);

    (void)state;
    assert_int_equal(comparison.rows[0].growth.bytes, 150);
    assert_int_equal(comparison.rows[0].growth.blocks, 2);
    assert_int_equal(comparison.rows[1].growth.bytes, -1); /* modulo 2^64 */
    comparison_close(&comparison);
}

static void growth_is_right_if_both_sides_are_marked(void **state)
{
    struct allocinfo_row before[] = { row(1, 1, 1), row(2, 1, 1) };
    struct allocinfo_row after[] = { row(1, 2, 1), row(2, 2, 1) };
    struct comparison comparison;

    (void)state;
    before[0].is_inaccurate = after[0].is_inaccurate = true;
    after[1].is_inaccurate = true;
    comparison = compare(before, 2, after, 2);
    assert_true(comparison.rows[0].is_inaccurate);
    assert_false(comparison.rows[0].is_unsure);
    assert_true(comparison.rows[1].is_unsure);
    assert_int_equal(comparison.inaccurate_rows, 1);
    assert_int_equal(comparison.unsure_rows, 1);
    comparison_close(&comparison);
}

static void percent_is_of_what_was_before(void **state)
{
    struct allocinfo_row before = row(1, 200, 1);
    struct allocinfo_row after = row(1, 250, 1);
    struct comparison comparison = compare(&before, 1, &after, 1);

    (void)state;
    assert_true(comparison_percent(&comparison) == 25);
    comparison_close(&comparison);
    comparison = compare(NULL, 0, &after, 1);
    assert_true(isinf(comparison_percent(&comparison)));
    comparison_close(&comparison);
    comparison = compare(NULL, 0, NULL, 0);
    assert_true(comparison_percent(&comparison) == 0);
    comparison_close(&comparison);
}

static void the_largest_growth_comes_first(void **state)
{
    struct allocinfo_row after[] = { row(1, -5, 9), row(2, 7, 1), row(3, 0, 1),
                                     row(4, 7, 2) };
    struct comparison comparison = compare(NULL, 0, after, 4);
    static const uint64_t by_growth[] = { 4, 2, 3, 1 };

    (void)state;
    comparison_sort(&comparison, comparison_order_find("growth"));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(comparison.rows[i].place->line, by_growth[i]);
    comparison_sort(&comparison, comparison_order_find("blocks"));
    assert_int_equal(comparison.rows[0].place->line, 1);
    assert_null(comparison_order_find("size"));
    comparison_close(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_place_are_summed_on_each_side),
        cmocka_unit_test(places_of_one_side_are_new_or_gone),
        cmocka_unit_test(modules_are_part_of_the_place),
        cmocka_unit_test(wrapped_numbers_grow_like_others),
        cmocka_unit_test(growth_is_right_if_both_sides_are_marked),
        cmocka_unit_test(percent_is_of_what_was_before),
        cmocka_unit_test(the_largest_growth_comes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
