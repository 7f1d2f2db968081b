/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_allocinfo_text.c - rows of /proc/allocinfo, written and read back
 */
#include "format/text/allocinfo_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct text_view text(const char *string)
{
    return (struct text_view){ string, strlen(string) };
}

static void assert_text(struct text_view actual, const char *expected)
{
    assert_int_equal(actual.length, strlen(expected));
    assert_memory_equal(actual.bytes, expected, strlen(expected));
}

static void assert_written_in(unsigned version, const struct allocinfo_row *row,
                              const char *expected)
{
    char out[256];
    size_t length = allocinfo_write_row(out, sizeof out - 1, version, row);

    assert_in_range(length, 1, sizeof out - 1);
    out[length] = '\0';
    assert_string_equal(out, expected);
}

static void assert_written(const struct allocinfo_row *row,
                           const char *expected)
{
    assert_written_in(1, row, expected);
}

/* Read a row, which must be complete. */
static struct allocinfo_row read_row(const char *line, unsigned version)
{
    struct allocinfo_row row;

    assert_int_equal(allocinfo_read_row(line, strlen(line), version, &row),
                     strlen(line));
    return row;
}

static void assert_unreadable(const char *line, unsigned version, int error)
{
    struct allocinfo_row row;

    assert_int_equal(allocinfo_read_row(line, strlen(line), version, &row),
                     error);
}

static void rows_are_written_as_the_kernel_does(void **state)
{
    struct allocinfo_row row = { .bytes = 4096,
                                 .calls = 1,
                                 .file = text("fs/exec.c"),
                                 .line = 10,
                                 .function = text("load") };

    (void)state;
    assert_written(&row, "        4096        1 fs/exec.c:10 func:load \n");
    row.module = text("a");
    assert_written(&row, "        4096        1 fs/exec.c:10 [a] func:load \n");
    row.bytes = -86241280;
    row.calls = UINT64_MAX;
    assert_written(&row, "   -86241280 18446744073709551615 fs/exec.c:10 [a] "
                         "func:load \n");
    row.bytes = INT64_MIN;
    row.calls = 0;
    assert_written(&row, "-9223372036854775808        0 fs/exec.c:10 [a] "
                         "func:load \n");
}

static void no_text_breaks_a_row_up(void **state)
{
    struct allocinfo_row row = { .file = text("a b\n.c"),
                                 .module = text("x\ty"),
                                 .function = text("operator new") };

    (void)state;
    assert_written(&row, "           0        0 a_b_.c:0 [x_y] "
                         "func:operator_new \n");
    row.function = text("");
    row.module = text("");
    assert_written(&row, "           0        0 a_b_.c:0 func:? \n");
}

static void a_short_buffer_is_not_overrun(void **state)
{
    struct allocinfo_row row = { .file = text("a.c"), .function = text("f") };
    char out[8] = "1234567";

    (void)state;
    assert_int_equal(allocinfo_write_row(out, 4, 1, &row), 36);
    assert_memory_equal(out, "    567", 8);
    assert_int_equal(allocinfo_write_row(NULL, 0, 1, &row), 36);
}

static void rows_are_read(void **state)
{
    struct allocinfo_row row = read_row(
        "   -86241280 18446744073709530561 dir/a:b.c:1951 [mod] func:f \n", 1);

    (void)state;
    assert_int_equal(row.bytes, -86241280);
    assert_int_equal(row.calls, UINT64_C(18446744073709530561));
    assert_text(row.file, "dir/a:b.c");
    assert_int_equal(row.line, 1951);
    assert_text(row.module, "mod");
    assert_text(row.function, "f");
    assert_false(row.is_inaccurate);

    row = read_row("           0        0 init/main.c:1433 func:g \n", 1);
    assert_int_equal(row.module.length, 0);
}

static void version_2_has_pairs_of_which_unknown_ones_are_ignored(void **state)
{
    const char *line = "  1  1 a.c:1 func:f accurate:no later:x \n";

    (void)state;
    assert_true(read_row(line, 2).is_inaccurate);
    assert_false(read_row("  1  1 a.c:1 func:f later:x \n", 2).is_inaccurate);
    assert_unreadable(line, 1, ALLOCINFO_E_ROW);
}

static void version_2_is_written_with_pairs(void **state)
{
    struct allocinfo_row row = { .bytes = 1,
                                 .calls = 2,
                                 .file = text("a.c"),
                                 .line = 3,
                                 .function = text("f"),
                                 .is_inaccurate = true };

    (void)state;
    assert_written_in(2, &row,
                      "           1        2 a.c:3 func:f accurate:no "
                      "\n");
    row.has_totals = true;
    row.total_calls = 20;
    row.total_bytes = UINT64_MAX;
    assert_written_in(2, &row,
                      "           1        2 a.c:3 func:f accurate:no "
                      "total_calls:20 total_bytes:18446744073709551615 \n");
    row.has_totals = row.is_inaccurate = false;
    row.is_unloaded = row.has_peak = row.has_rates = true;
    row.peak_seen = 30;
    row.calls_per_second = 4;
    row.bytes_per_second = 50;
    assert_written_in(2, &row,
                      "           1        2 a.c:3 func:f unloaded:yes "
                      "peak_seen:30 calls_per_second:4 bytes_per_second:50 "
                      "\n");
    assert_written(&row, "           1        2 a.c:3 func:f \n");
}

static void totals_are_read(void **state)
{
    struct allocinfo_row row =
        read_row("1 1 a.c:1 func:f total_bytes:7 total_calls:3 \n", 2);

    (void)state;
    assert_true(row.has_totals);
    assert_int_equal(row.total_bytes, 7);
    assert_int_equal(row.total_calls, 3);
    assert_false(read_row("1 1 a.c:1 func:f total_calls:3 \n", 2).has_totals);
    assert_false(read_row("1 1 a.c:1 func:f total_calls:3 total_bytes:x \n", 2)
                     .has_totals);
}

/* Columns as wide as the kernel's. */
static void rows_come_back_to_the_byte(void **state)
{
    static const char *const lines[] = {
        "           1        2 a.c:3 func:f \n",
        "           1        2 a.c:3 [m] func:f accurate:no \n",
        "          -1 18446744073709551615 a.c:3 func:f later:x y:z:3 : \n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct allocinfo_row row = read_row(lines[i], 2);

        assert_written_in(2, &row, lines[i]);
    }
}

static void names_compare_as_rows_show_them(void **state)
{
    (void)state;
    assert_int_equal(allocinfo_compare_texts(text("a b"), text("a_b")), 0);
    assert_int_equal(allocinfo_compare_texts(text("ab"), text("abc")), -1);
    assert_int_equal(allocinfo_compare_texts(text("\xff"), text("a")), 1);
}

static void the_last_space_may_be_gone(void **state)
{
    static const char line[] = "1 2 a.c:3 func:f accurate:no k:v\n";
    struct allocinfo_row row;

    (void)state;
    assert_int_equal(allocinfo_read_row(line, sizeof line - 1, 2, &row),
                     sizeof line - 1);
    assert_true(row.is_inaccurate);
    assert_int_equal(row.pairs.length, sizeof "accurate:no k:v" - 1);
    assert_int_equal(allocinfo_read_row("1 2 a.c:3 func:fg\n", 18, 1, &row),
                     18);
    assert_int_equal(row.function.length, 2);
}

static void other_lines_are_refused(void **state)
{
    static const char *const lines[] = {
        "\n",
        "1\n",
        "1 1\n",
        "1 1 a.c:1 \n",             /* no function */
        "1 1 a.c:1 func: \n",       /* an empty one */
        "1 1 a.c func:f \n",        /* no line */
        "1 1 a.c:x func:f \n",      /* not a number */
        "1 1 :1 func:f \n",         /* no file */
        "1 1 a.c:1 [] func:f \n",   /* an empty module */
        "1 1 a.c:1 [m func:f \n",   /* an open bracket */
        "1 1 a.c:1 func:f more \n", /* a field too many */
        "1 -1 a.c:1 func:f \n",     /* calls have no sign */
        "- 1 a.c:1 func:f \n",      /* a sign and no digits */
        "9223372036854775808 1 a.c:1 func:f \n",
        "1 18446744073709551616 a.c:1 func:f \n",
        "1 1 a\tb.c:1 func:f \n",
        "1 1 a.c:1 [m n] func:f \n", /* a module has no spaces */
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_unreadable(lines[i], 1, ALLOCINFO_E_ROW);
}

/* Names may be truncated, numbers may not; a space at the end means that the
   row is complete. */
static void the_newline_may_be_gone(void **state)
{
    static const char *const cut[] = {
        "1 1 a.c:1 func:f total_bytes:12",
        "1 1 a.c:1 func:f accurate:no",
        "1 1 a.c:1 func:",
        "1 1 a.c:1 ",
        "1",
        "",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++)
        assert_unreadable(cut[i], 2, ALLOCINFO_E_CUT);
    assert_text(read_row("1 1 a.c:1 func:long_na", 1).function, "long_na");
    assert_text(read_row("1 1 a.c:1 func:f ", 1).function, "f");
    assert_text(read_row("1 1 a.c:1 func:f\r", 1).function, "f");
    assert_int_equal(
        read_row("1 1 a.c:1 func:f total_calls:3 total_bytes:12 ", 2)
            .total_bytes,
        12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_written_as_the_kernel_does),
        cmocka_unit_test(no_text_breaks_a_row_up),
        cmocka_unit_test(a_short_buffer_is_not_overrun),
        cmocka_unit_test(rows_are_read),
        cmocka_unit_test(version_2_has_pairs_of_which_unknown_ones_are_ignored),
        cmocka_unit_test(version_2_is_written_with_pairs),
        cmocka_unit_test(totals_are_read),
        cmocka_unit_test(rows_come_back_to_the_byte),
        cmocka_unit_test(names_compare_as_rows_show_them),
        cmocka_unit_test(the_last_space_may_be_gone),
        cmocka_unit_test(other_lines_are_refused),
        cmocka_unit_test(the_newline_may_be_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
