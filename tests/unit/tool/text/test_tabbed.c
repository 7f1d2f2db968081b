/* SPDX-License-Identifier: Apache-2.0 */
/* test_tabbed.c - rows of tab-separated fields */
#include "tool/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void reads_what_it_wrote(void **state)
{
    static const char odd[] = "a\tb\nc\\d'e\rf\bg\f,]\xff";
    char *text = NULL, *row, *items;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    tabbed_write(out, odd);
    fputs("\t['", out);
    tabbed_write(out, odd);
    fputs("','']\t[]\tend", out);
    fclose(out);
    row = text;
    assert_string_equal(tabbed_text(&row), odd);
    items = tabbed_array(&row);
    assert_string_equal(tabbed_item(&items), odd);
    assert_string_equal(tabbed_item(&items), "");
    assert_null(tabbed_item(&items));
    items = tabbed_array(&row);
    assert_null(tabbed_item(&items));
    assert_string_equal(tabbed_text(&row), "end");
    assert_string_equal(tabbed_text(&row), "");
    assert_string_equal(tabbed_text(&row), "");
    free(text);
}

static void numbers_have_64_bits(void **state)
{
    static const struct {
        const char *text;
        bool is_number;
        uint64_t number;
    } cases[] = {
        { "0", true, 0 },
        { "18446744073709551615", true, UINT64_MAX },
        { "-9223372036854775808", true, (uint64_t)INT64_MIN },
        { "18446744073709551616", false, 0 },
        { "-9223372036854775809", false, 0 },
        { "", false, 0 },
        { "-", false, 0 },
        { " 1", false, 0 },
        { "+1", false, 0 },
        { "1x", false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32], *row = text;
        uint64_t number;

        snprintf(text, sizeof text, "%s\t", cases[i].text);
        assert_int_equal(tabbed_number(&row, &number), cases[i].is_number);
        if (cases[i].is_number)
            assert_true(number == cases[i].number);
    }
}

static void arrays_of_numbers(void **state)
{
    char text[] = "[1,-2]\t[3", *row = text;
    char *items = tabbed_array(&row);

    (void)state;
    assert_string_equal(tabbed_item(&items), "1");
    assert_string_equal(tabbed_item(&items), "-2");
    assert_null(tabbed_item(&items));
    items = tabbed_array(&row);
    assert_string_equal(tabbed_item(&items), "3");
    assert_null(tabbed_item(&items));
}

/* A truncated row ends with its bytes. */
static void ends_with_the_row(void **state)
{
    static const char *const texts[] = { "a\\", "['a", "['a\\", "['", "[", "" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[8], *row = text, *items;

        snprintf(text, sizeof text, "%s", texts[i]);
        items = tabbed_array(&row);
        while (tabbed_item(&items) != NULL)
            assert_in_range(items - text, 0, sizeof text - 1);
        assert_in_range(row - text, 0, sizeof text - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(numbers_have_64_bits),
        cmocka_unit_test(arrays_of_numbers),
        cmocka_unit_test(ends_with_the_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
