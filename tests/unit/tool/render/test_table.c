/* SPDX-License-Identifier: Apache-2.0 */
/* test_table.c - tables at every width, and safe output for terminals */
#include "tool/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct table_column columns[] = {
    { "BYTES", TABLE_RIGHT },
    { "FUNCTION", TABLE_LEFT },
    { "FILE", TABLE_LEFT_END },
};

/* Print a table of one row and compare. */
static void assert_printed(const char *const cells[3], unsigned width,
                           enum table_style style, const char *expected)
{
    struct table *table = table_create(columns, 3);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; i < 3; i++)
        table_add(table, cells[i]);
    table_print(table, out, width, style);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    table_destroy(table);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    static const char *const cells[] = { "1,234,567", "main", "main.c:1" };

    (void)state;
    assert_printed(cells, 0, TABLE_PLAIN,
                   "    BYTES  FUNCTION  FILE\n"
                   "1,234,567  main      main.c:1\n");
}

static void long_texts_are_cut_where_the_terminal_is_narrow(void **state)
{
    static const char *const cells[] = { "1", "a_function_name",
                                         "/usr/src/file.c:12" };

    (void)state;
    assert_printed(cells, 35, TABLE_PLAIN,
                   "BYTES  FUNCTION       FILE\n"
                   "    1  a_function...  .../file.c:12\n");
}

static void numbers_are_never_cut(void **state)
{
    static const char *const cells[] = { "123456789012", "functions",
                                         "filename.c:1" };

    (void)state;
    assert_printed(cells, 10, TABLE_PLAIN,
                   "       BYTES  FUNCTION  FILE\n"
                   "123456789012  funct...  ...ame.c:1\n");
}

static const struct table_column spare_columns[] = {
    { "LIVE", TABLE_SPARE },
    { "CALLS", TABLE_SPARE },
    { "FUNCTION", TABLE_LEFT },
    { "PLACE", TABLE_LEFT_END },
};

static void assert_spare(unsigned width, const char *expected)
{
    struct table *table = table_create(spare_columns, 4);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    table_add(table, "1,234");
    table_add(table, "56,789");
    table_add(table, "a_function_of_a_longer_name");
    table_add(table, "path/file.c:123456");
    table_print(table, out, width, TABLE_PLAIN);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    table_destroy(table);
}

static void spare_columns_go_before_texts_are_too_narrow(void **state)
{
    (void)state;
    assert_spare(55,
                 " LIVE   CALLS  FUNCTION              PLACE\n"
                 "1,234  56,789  a_function_of_a_l...  path/file.c:123456\n");
    assert_spare(54,
                 " LIVE  FUNCTION                     PLACE\n"
                 "1,234  a_function_of_a_longer_name  path/file.c:123456\n");
    assert_spare(47, " LIVE  FUNCTION              PLACE\n"
                     "1,234  a_function_of_a_l...  path/file.c:123456\n");
    assert_spare(46, "FUNCTION                    PLACE\n"
                     "a_function_of_a_longer_...  path/file.c:123456\n");
}

static void at_last_one_text_is_seen(void **state)
{
    (void)state;
    assert_spare(20, "FUNCTION  PLACE\n"
                     "a_fun...  ...:123456\n");
    assert_spare(19, "FUNCTION\n"
                     "a_function_of_a_...\n");
}

/* A text that may be dropped is dropped before figures. */
static void a_spare_text_goes_first(void **state)
{
    const struct table_column spare[] = { { "LIVE", TABLE_RIGHT },
                                          { "TOTAL", TABLE_SPARE },
                                          { "FUNCTION", TABLE_LEFT },
                                          { "MODULE", TABLE_LEFT_SPARE } };
    struct table *table = table_create(spare, 4);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    table_add(table, "1,234");
    table_add(table, "56,789");
    table_add(table, "a_function_of_a_name");
    table_add(table, "a_module");
    table_print(table, out, 44, TABLE_PLAIN);
    table_print(table, out, 34, TABLE_PLAIN);
    fclose(out);
    assert_string_equal(text, " LIVE   TOTAL  FUNCTION\n"
                              "1,234  56,789  a_function_of_a_name\n"
                              " LIVE  FUNCTION\n"
                              "1,234  a_function_of_a_name\n");
    free(text);
    table_destroy(table);
}

/* The first extra column has a figure in its second row. */
static void
columns_that_say_nothing_are_left_out_where_it_is_narrow(void **state)
{
    static const struct table_column with_extras[] = {
        { "NAME", TABLE_LEFT },    { "FULL", TABLE_EXTRA },
        { "SHARE", TABLE_EXTRA },  { "USED", TABLE_RIGHT },
        { "FAULTS", TABLE_EXTRA },
    };
    static const char *const cells[] = { "a", "0", "0.0 %", "0", "-",
                                         "b", "1", "0.0 %", "0", "0" };
    static const struct {
        unsigned width;
        const char *expected;
    } expectations[] = {
        { 31, "NAME  FULL  SHARE  USED  FAULTS\n"
              "a        0  0.0 %     0       -\n"
              "b        1  0.0 %     0       0\n" },
        { 23, "NAME  FULL  SHARE  USED\n"
              "a        0  0.0 %     0\n"
              "b        1  0.0 %     0\n" },
        { 10, "NAME  FULL  USED\n"
              "a        0     0\n"
              "b        1     0\n" },
    };

    (void)state;
    for (size_t n = 0; n < sizeof expectations / sizeof *expectations; n++) {
        struct table *table = table_create(with_extras, 5);
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        for (size_t i = 0; i < 10; i++)
            table_add(table, cells[i]);
        table_print(table, out, expectations[n].width, TABLE_PLAIN);
        fclose(out);
        assert_string_equal(text, expectations[n].expected);
        free(text);
        table_destroy(table);
    }
}

static void width_counts_characters_and_not_bytes(void **state)
{
    static const char *const cells[] = { "1", "\xc3\xa4\xc3\xb6\xc3\xbc", "x" };

    (void)state;
    assert_printed(cells, 0, TABLE_PLAIN,
                   "BYTES  FUNCTION  FILE\n"
                   "    1  \xc3\xa4\xc3\xb6\xc3\xbc       x\n");
}

static void nothing_in_a_cell_steers_the_terminal(void **state)
{
    static const char *const cells[] = { "1", "\033[2Jx\n", "\xc2\x9b\xff" };

    (void)state;
    assert_printed(cells, 0, TABLE_PLAIN,
                   "BYTES  FUNCTION  FILE\n"
                   "    1  ?[2Jx?    ??\n");
}

static void titles_are_bold_in_colour(void **state)
{
    static const char *const cells[] = { "1", "f", "x" };

    (void)state;
    assert_printed(cells, 0, TABLE_COLORED,
                   "\033[1mBYTES  FUNCTION  FILE\n\033[0m"
                   "    1  f         x\n");
}

static void colour_is_a_choice(void **state)
{
    FILE *file = tmpfile();

    (void)state;
    assert_int_equal(words_find(&terminal_color_words, "always"),
                     TERMINAL_COLOR_ALWAYS);
    assert_true(terminal_has_color(TERMINAL_COLOR_ALWAYS, file));
    assert_int_equal(words_find(&terminal_color_words, "never"),
                     TERMINAL_COLOR_NEVER);
    assert_false(terminal_has_color(TERMINAL_COLOR_NEVER, file));
    assert_int_equal(words_find(&terminal_color_words, "auto"),
                     TERMINAL_COLOR_AUTO);
    assert_false(
        terminal_has_color(TERMINAL_COLOR_AUTO, file)); /* no terminal */
    assert_int_equal(words_find(&terminal_color_words, "green"), -1);
    assert_int_equal(terminal_width(file), 0);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(long_texts_are_cut_where_the_terminal_is_narrow),
        cmocka_unit_test(numbers_are_never_cut),
        cmocka_unit_test(spare_columns_go_before_texts_are_too_narrow),
        cmocka_unit_test(a_spare_text_goes_first),
        cmocka_unit_test(at_last_one_text_is_seen),
        cmocka_unit_test(
            columns_that_say_nothing_are_left_out_where_it_is_narrow),
        cmocka_unit_test(width_counts_characters_and_not_bytes),
        cmocka_unit_test(nothing_in_a_cell_steers_the_terminal),
        cmocka_unit_test(titles_are_bold_in_colour),
        cmocka_unit_test(colour_is_a_choice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
