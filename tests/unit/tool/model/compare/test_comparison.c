/* SPDX-License-Identifier: Apache-2.0 */
/* test_comparison.c - growth by place, for any rows */
#include "tool/model/compare/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A row of an allocinfo text: its site and its names. */
struct row {
    struct profile_site site;
    struct site_name name;
};

static struct row row(uint64_t line, int64_t bytes, uint64_t blocks)
{
    static const struct profile_label built_in;

    return (struct row){
        { .module = PROFILE_NO_MODULE,
          .label = &built_in,
          .amounts = { .live_bytes = bytes, .live_blocks = (int64_t)blocks } },
        { .function = "f", .file = "a.c", .line = line },
    };
}

enum { ROWS_LIMIT = 8 };

/* The rows of a side; texts of a comparison are the rows'. */
struct side {
    struct profile_site sites[ROWS_LIMIT];
    struct site_name called[ROWS_LIMIT];
    struct profile profile;
    struct site_names names;
    size_t numbers[ROWS_LIMIT];
};

static struct comparison_side make_side(struct side *side,
                                        const struct row *rows, size_t count)
{
    *side = (struct side){ .profile = { .callers = side->sites },
                           .names = { .sites = side->called } };
    for (size_t i = 0; i < count; i++) {
        side->sites[i] = rows[i].site;
        side->called[i] = rows[i].name;
        side->numbers[i] = i;
    }
    return (struct comparison_side){ { &side->profile, &side->names, NULL },
                                     .sites = side->numbers,
                                     .count = count };
}

static int try_to_compare(struct comparison *comparison,
                          const struct row *before, size_t before_count,
                          const struct row *after, size_t after_count)
{
    struct side rows[2];
    const struct comparison_side sides[2] = {
        make_side(&rows[0], before, before_count),
        make_side(&rows[1], after, after_count),
    };

    return comparison_open(comparison, &compared_values[0], sides);
}

/* Sorted by place, so that tests know the position of rows. */
static struct comparison compare(const struct row *before, size_t before_count,
                                 const struct row *after, size_t after_count)
{
    struct comparison comparison;

    assert_int_equal(
        try_to_compare(&comparison, before, before_count, after, after_count),
        0);
    comparison_sort(&comparison,
                    (unsigned)words_find(&comparison_orders, "file"));
    return comparison;
}

static void rows_of_one_place_are_summed_on_each_side(void **state)
{
    struct row before[] = { row(1, 10, 1), row(1, 20, 1) };
    struct row after[] = { row(1, 35, 1), row(1, 1, 1), row(1, 1, 1) };
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
    struct row before[] = { row(1, 10, 1), row(3, 5, 1) };
    struct row after[] = { row(3, 5, 1), row(2, 7, 2) };
    struct comparison comparison;

    (void)state;
    before[0].name.function = "g";
    comparison = compare(before, 2, after, 2);
    assert_int_equal(comparison.count, 3);
    assert_int_equal(comparison.rows[0].state, COMPARISON_GONE);
    assert_int_equal(comparison.rows[0].growth.bytes, -10);
    assert_int_equal(comparison.rows[0].line_before, 1);
    assert_int_equal(comparison.rows[0].places_after, 0);
    assert_int_equal(comparison.rows[1].state, COMPARISON_NEW);
    assert_int_equal(comparison.rows[1].growth.blocks, 2);
    assert_int_equal(comparison.rows[2].growth.bytes, 0);
    assert_int_equal(comparison.sum.growth.bytes, -3);
    comparison_close(&comparison);
}

/* Lines 13 and 16 have both moved. */
static void places_of_a_function_move_by_as_many_lines(void **state)
{
    struct row before[] = { row(13, 5, 1), row(10, 100, 1), row(16, 7, 1) };
    struct row after[] = { row(16, 6, 1), row(13, 100, 1), row(19, 7, 1) };
    struct comparison comparison = compare(before, 3, after, 3);

    (void)state;
    assert_int_equal(comparison.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(comparison.rows[i].line_before, 10 + 3 * i);
        assert_int_equal(comparison.rows[i].line_after, 13 + 3 * i);
        assert_int_equal(comparison.rows[i].line, 13 + 3 * i);
        assert_int_equal(comparison.rows[i].growth.bytes, i == 1);
        assert_int_equal(comparison.rows[i].state, COMPARISON_BOTH);
    }
    comparison_close(&comparison);
}

static void places_that_are_left_are_in_order_or_one(void **state)
{
    struct row before[] = { row(10, 1, 1), row(20, 2, 1), row(30, 4, 1) };
    struct row after[] = { row(12, 16, 1), row(20, 32, 1), row(39, 64, 1),
                           row(40, 128, 1) };
    struct comparison comparison = compare(before, 3, after, 3);

    (void)state;
    assert_int_equal(comparison.count, 3);
    assert_int_equal(comparison.rows[0].growth.bytes, 16 - 1);
    assert_int_equal(comparison.rows[1].growth.bytes, 32 - 2);
    assert_int_equal(comparison.rows[2].growth.bytes, 64 - 4);
    assert_int_equal(comparison.rows[2].line_before, 30);
    comparison_close(&comparison);
    comparison = compare(before, 3, after, 4);
    assert_int_equal(comparison.count, 2);
    assert_int_equal(comparison.rows[0].growth.bytes, 16 + 64 + 128 - 1 - 4);
    assert_int_equal(comparison.rows[0].line, 12);
    assert_int_equal(comparison.rows[0].places_before, 2);
    assert_int_equal(comparison.rows[0].places_after, 3);
    assert_int_equal(comparison.rows[1].growth.bytes, 32 - 2);
    comparison_close(&comparison);
}

static void modules_are_part_of_the_place(void **state)
{
    struct row before = row(1, 1, 1);
    struct row after = row(1, 1, 1);
    struct comparison comparison;

    (void)state;
    after.site.label = &(struct profile_label){ .module = "m" };
    after.name.module = "m";
    comparison = compare(&before, 1, &after, 1);
    assert_int_equal(comparison.count, 2);
    comparison_close(&comparison);
}

static void wrapped_numbers_grow_like_others(void **state)
{
    struct row before = row(1, -100, UINT64_MAX);
    struct row after = row(1, 50, 1);
    struct comparison comparison = compare(&before, 1, &after, 1);

    (void)state;
    assert_int_equal(comparison.rows[0].growth.bytes, 150);
    assert_int_equal(comparison.rows[0].growth.blocks, 2);
    comparison_close(&comparison);
}

/* In a sum of one side, one row's growth, and the growth of all. */
static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        int64_t before[2], after[2];
        int error;
    } cases[] = {
        { { INT64_MAX, 0 }, { 0, 0 }, 0 },
        { { INT64_MIN + 1, 0 }, { 0, 0 }, 0 },
        { { INT64_MAX, 1 }, { INT64_MAX, 1 }, COMPARISON_E_TOO_LARGE },
        { { INT64_MIN, -1 }, { 0, 0 }, COMPARISON_E_TOO_LARGE },
        { { 0, 0 }, { INT64_MAX, 1 }, COMPARISON_E_TOO_LARGE },
        { { INT64_MIN, 0 }, { 0, 0 }, COMPARISON_E_TOO_LARGE },
        { { -1, 0 }, { INT64_MAX, 0 }, COMPARISON_E_TOO_LARGE },
        { { -1, 0 }, { 0, INT64_MAX }, COMPARISON_E_TOO_LARGE },
        { { INT64_MIN, 5 }, { INT64_MIN, 7 }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int is_blocks = 0; is_blocks < 2; is_blocks++) {
            struct row before[2], after[2];
            struct comparison comparison;

            for (unsigned j = 0; j < 2; j++) {
                before[j] = row(j, cases[i].before[j], 0);
                after[j] = row(j, cases[i].after[j], 0);
                if (is_blocks) {
                    before[j] = row(j, 0, (uint64_t)cases[i].before[j]);
                    after[j] = row(j, 0, (uint64_t)cases[i].after[j]);
                }
            }
            assert_int_equal(try_to_compare(&comparison, before, 2, after, 2),
                             cases[i].error);
            comparison_close(&comparison);
        }
    }
}

static void growth_is_right_if_both_sides_are_marked(void **state)
{
    struct row before[] = { row(1, 1, 1), row(2, 1, 1) };
    struct row after[] = { row(1, 2, 1), row(2, 2, 1) };
    struct comparison comparison;

    (void)state;
    before[0].site.is_inaccurate = after[0].site.is_inaccurate = true;
    after[1].site.is_inaccurate = true;
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
    struct row before = row(1, 200, 1);
    struct row after = row(1, 250, 1);
    struct comparison comparison = compare(&before, 1, &after, 1);

    (void)state;
    assert_true(comparison_percent(comparison.sum.before.bytes,
                                   comparison.sum.growth.bytes) == 25);
    comparison_close(&comparison);
    comparison = compare(NULL, 0, &after, 1);
    assert_true(isinf(comparison_percent(comparison.sum.before.bytes,
                                         comparison.sum.growth.bytes)));
    comparison_close(&comparison);
    comparison = compare(NULL, 0, NULL, 0);
    assert_true(comparison_percent(comparison.sum.before.bytes,
                                   comparison.sum.growth.bytes) == 0);
    comparison_close(&comparison);
}

static void the_largest_change_comes_first(void **state)
{
    struct row after[] = { row(1, -5, 9), row(2, 7, 1),           row(3, 0, 1),
                           row(4, 7, 2),  row(5, -7, 3),          row(6, 5, 1),
                           row(7, 7, 2),  row(8, 0, (uint64_t)-8) };
    struct comparison comparison = compare(NULL, 0, after, 8);
    static const uint64_t by_growth[] = { 4, 7, 2, 5, 6, 1, 8, 3 };
    static const uint64_t by_blocks[] = { 1, 8, 5, 4, 7, 2, 6, 3 };

    (void)state;
    comparison_sort(&comparison,
                    (unsigned)words_find(&comparison_orders, "growth"));
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(comparison.rows[i].line, by_growth[i]);
    comparison_sort(&comparison,
                    (unsigned)words_find(&comparison_orders, "blocks"));
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(comparison.rows[i].line, by_blocks[i]);
    assert_int_equal(words_find(&comparison_orders, "size"), -1);
    comparison_close(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_place_are_summed_on_each_side),
        cmocka_unit_test(places_of_one_side_are_new_or_gone),
        cmocka_unit_test(places_of_a_function_move_by_as_many_lines),
        cmocka_unit_test(places_that_are_left_are_in_order_or_one),
        cmocka_unit_test(modules_are_part_of_the_place),
        cmocka_unit_test(wrapped_numbers_grow_like_others),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(growth_is_right_if_both_sides_are_marked),
        cmocka_unit_test(percent_is_of_what_was_before),
        cmocka_unit_test(the_largest_change_comes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
