/* SPDX-License-Identifier: Apache-2.0 */
/* test_allocinfo_filter.c - rows that each field of a filter matches */
#include "format/text/allocinfo_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct text_view text(const char *string)
{
    return (struct text_view){ string, strlen(string) };
}

static struct allocinfo_row example(void)
{
    return (struct allocinfo_row){ .bytes = 4096,
                                   .calls = 1,
                                   .file = text("fs/exec.c"),
                                   .line = 10,
                                   .module = text("ext4"),
                                   .function = text("load") };
}

static void an_empty_filter_lets_all_through(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .module = text("other"), .line = 7 };

    (void)state;
    assert_true(allocinfo_filter_matches(&filter, &row));
}

static void each_name_must_be_equal(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .module = text("ext4"),
                                       .function = text("load"),
                                       .file = text("fs/exec.c"),
                                       .line = 10 };
    struct allocinfo_filter other = { .module = text("ext"),
                                      .function = text("loads"),
                                      .file = text("exec.c"),
                                      .line = 11 };

    (void)state;
    for (unsigned bit = ALLOCINFO_FILTER_MODULE; bit <= ALLOCINFO_FILTER_LINE;
         bit <<= 1) {
        filter.mask = other.mask = bit;
        assert_true(allocinfo_filter_matches(&filter, &row));
        assert_false(allocinfo_filter_matches(&other, &row));
    }
}

static void fields_are_joined_by_and(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_FILE |
                                               ALLOCINFO_FILTER_LINE,
                                       .file = text("fs/exec.c"),
                                       .line = 11 };

    (void)state;
    assert_false(allocinfo_filter_matches(&filter, &row));
}

static void an_empty_module_means_built_in(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_MODULE };

    (void)state;
    assert_false(allocinfo_filter_matches(&filter, &row));
    row.module = text("");
    assert_true(allocinfo_filter_matches(&filter, &row));
}

/* Two names that are equal in their last 63 bytes only. */
static void long_names_are_known_by_their_last_bytes(void **state)
{
    char one[71] = { 0 }, two[81] = { 0 };
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_FILE };
    struct allocinfo_row row = example();

    (void)state;
    memset(one, 'a', 7);
    memset(two, 'b', 17);
    memset(one + 7, 'x', 63);
    memset(two + 17, 'x', 63);
    filter.file = text(one);
    row.file = text(two);
    assert_true(allocinfo_filter_matches(&filter, &row));
    filter.file = text(two + 17); /* 63 bytes, all that is compared */
    assert_true(allocinfo_filter_matches(&filter, &row));
    filter.file = text(two + 18);
    assert_false(allocinfo_filter_matches(&filter, &row));
    two[17] = 'y';
    filter.file = text(one);
    assert_false(allocinfo_filter_matches(&filter, &row));
}

static void names_may_be_given_as_a_row_shows_them(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_FUNCTION,
                                       .function = text("operator_new") };

    (void)state;
    row.function = text("operator new");
    assert_true(allocinfo_filter_matches(&filter, &row));
}

static void bounds_are_inclusive_and_unsigned(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_MIN_SIZE |
                                               ALLOCINFO_FILTER_MAX_SIZE,
                                       .min_size = 4096,
                                       .max_size = 4096 };

    (void)state;
    assert_true(allocinfo_filter_matches(&filter, &row));
    row.bytes = 4095;
    assert_false(allocinfo_filter_matches(&filter, &row));
    row.bytes = 4097;
    assert_false(allocinfo_filter_matches(&filter, &row));
    row.bytes = -1;
    filter.mask = ALLOCINFO_FILTER_MIN_SIZE;
    assert_true(allocinfo_filter_matches(&filter, &row));
    filter.mask = ALLOCINFO_FILTER_MAX_SIZE;
    assert_false(allocinfo_filter_matches(&filter, &row));
}

static void marked_rows_can_be_asked_for_and_others(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_INACCURATE,
                                       .is_inaccurate = true };

    (void)state;
    assert_false(allocinfo_filter_matches(&filter, &row));
    row.is_inaccurate = true;
    assert_true(allocinfo_filter_matches(&filter, &row));
    filter.is_inaccurate = false;
    assert_false(allocinfo_filter_matches(&filter, &row));
}

static void names_can_be_asked_for_alone(void **state)
{
    struct allocinfo_row row = example();
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_LINE |
                                               ALLOCINFO_FILTER_MIN_SIZE,
                                       .line = 10,
                                       .min_size = 5000 };

    (void)state;
    assert_true(allocinfo_filter_matches_names(&filter, &row));
    assert_false(allocinfo_filter_matches_numbers(&filter, &row));
    assert_false(allocinfo_filter_matches(&filter, &row));
}

static void impossible_filters_are_known(void **state)
{
    struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_MIN_SIZE |
                                               ALLOCINFO_FILTER_MAX_SIZE,
                                       .min_size = 2,
                                       .max_size = 1 };

    (void)state;
    assert_false(allocinfo_filter_is_valid(&filter));
    filter.max_size = 2;
    assert_true(allocinfo_filter_is_valid(&filter));
    filter.mask = ALLOCINFO_FILTER_MIN_SIZE;
    filter.max_size = 0; /* not in the mask */
    assert_true(allocinfo_filter_is_valid(&filter));
    filter.mask = ALLOCINFO_FILTER_ALL + 1;
    assert_false(allocinfo_filter_is_valid(&filter));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_filter_lets_all_through),
        cmocka_unit_test(each_name_must_be_equal),
        cmocka_unit_test(fields_are_joined_by_and),
        cmocka_unit_test(an_empty_module_means_built_in),
        cmocka_unit_test(long_names_are_known_by_their_last_bytes),
        cmocka_unit_test(names_may_be_given_as_a_row_shows_them),
        cmocka_unit_test(bounds_are_inclusive_and_unsigned),
        cmocka_unit_test(marked_rows_can_be_asked_for_and_others),
        cmocka_unit_test(names_can_be_asked_for_alone),
        cmocka_unit_test(impossible_filters_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
