/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_allocinfo_lines.c - allocinfo texts as left by kernels, tools and logs
 *
 * This file is long because each form in which people keep a text is a case.
 */
#include "format/text/allocinfo_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TITLE   "allocinfo - version: 2.0\n"
#define HEADING "#     <size>  <calls> <tag info>\n"
#define ONE     "       40960       10 mm/filemap.c:1951 func:get_folio \n"
#define TWO     "        -128        2 fs/a b.c:7 [ext4] func:f accurate:no \n"

static bool is(struct text_view text, const char *wanted)
{
    return text.length == strlen(wanted) &&
           memcmp(text.bytes, wanted, text.length) == 0;
}

static void assert_one(const struct allocinfo_row *row)
{
    assert_int_equal(row->bytes, 40960);
    assert_int_equal(row->calls, 10);
    assert_true(is(row->file, "mm/filemap.c"));
    assert_int_equal(row->line, 1951);
    assert_int_equal(row->module.length, 0);
    assert_true(is(row->function, "get_folio"));
    assert_false(row->is_inaccurate);
}

static void assert_two(const struct allocinfo_row *row)
{
    assert_int_equal(row->bytes, -128);
    assert_int_equal(row->calls, 2);
    assert_true(is(row->file, "fs/a b.c"));
    assert_int_equal(row->line, 7);
    assert_true(is(row->module, "ext4"));
    assert_true(is(row->function, "f"));
    assert_true(row->is_inaccurate);
}

/* Copied, so that a sanitizer detects reads after the end. */
static struct allocinfo_lines open_copy(const char *text)
{
    static char *copy;
    struct allocinfo_lines lines;

    free(copy);
    copy = malloc(strlen(text) + (text[0] == '\0'));
    memcpy(copy, text, strlen(text));
    assert_true(allocinfo_lines_are(copy, strlen(text)) ||
                allocinfo_lines_have_row(copy, strlen(text)));
    allocinfo_lines_open(&lines, copy, strlen(text));
    return lines;
}

enum last_line { WHOLE, UNENDED, CUT };

static void expect_both(const char *text, unsigned version, enum last_line last)
{
    struct allocinfo_lines lines = open_copy(text);
    struct allocinfo_row row;

    assert_int_equal(lines.version, version);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_one(&row);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_two(&row);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 0);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 0);
    assert_int_equal(lines.remarks.is_cut, last == CUT);
    assert_int_equal(lines.remarks.is_unended, last == UNENDED);
    assert_int_equal(lines.remarks.reports, 0);
}

static void a_text_is_read_however_it_was_kept(void **state)
{
    (void)state;
    expect_both(TITLE HEADING ONE TWO, 2, WHOLE);
    expect_both(ONE TWO, 2, WHOLE);               /* no header */
    expect_both(HEADING ONE TWO, 2, WHOLE);       /* tail -n +2 */
    expect_both(HEADING ONE TWO TITLE, 2, WHOLE); /* sorted */
    expect_both(ONE TITLE TWO HEADING, 2, WHOLE);
    expect_both("allocinfo - version: 2.0\r\n"
                "#     <size>  <calls> <tag info>\r\n"
                "40960 10 mm/filemap.c:1951 func:get_folio \r\n"
                "-128 2 fs/a b.c:7 [ext4] func:f accurate:no\r\n",
                2, WHOLE);
    expect_both(TITLE HEADING ONE TWO "   1 1 mm/slub.c:5 fun", 2, CUT);
    expect_both(ONE TWO "1", 2, CUT);
    /* A last row without newline is complete except for the end of its
       names. */
    expect_both(ONE "-128 2 fs/a b.c:7 [ext4] func:f accurate:no ", 2, UNENDED);
    /* Its last number is not complete. */
    expect_both(ONE TWO "1 1 a.c:1 func:f total_bytes:12", 2, CUT);
}

static void an_error_is_on_its_line(void **state)
{
    static const struct {
        const char *text;
        unsigned rows;
        int error;
        uint64_t before;
    } cases[] = {
        { TITLE HEADING ONE "odd\n" TWO, 1, ALLOCINFO_E_ROW, 3 },
        { TITLE HEADING "\n" TWO, 0, ALLOCINFO_E_ROW, 2 },
        { "allocinfo - version: 3.0\n" HEADING ONE, 0, ALLOCINFO_E_VERSION, 0 },
        { "allocinfo - version: 2.05\n" ONE, 0, ALLOCINFO_E_VERSION, 0 },
        { "allocinfo - version: 1.0\n" TWO, 0, ALLOCINFO_E_ROW, 1 },
        { ONE "# <size>\n" TWO, 1, ALLOCINFO_E_ROW, 1 },
        { "odd words\n" ONE, 0, ALLOCINFO_E_ROW, 0 },
        { ONE "\n" TWO, 1, ALLOCINFO_E_ROW, 1 },
        { ONE "$ ls\n" TWO "$\n", 1, ALLOCINFO_E_ROW, 1 },
        { "$ ls\nodd\n" ONE, 0, ALLOCINFO_E_ROW, 1 },
        { "a:" ONE TWO, 1, ALLOCINFO_E_ROW, 1 },
        { HEADING ONE "a:" TWO, 1, ALLOCINFO_E_ROW, 2 },
        { "40x 1 a.c:1 func:f \n" ONE, 0, ALLOCINFO_E_ROW, 0 },
        /* A damaged row is no prompt. */
        { ONE "logout of\n", 1, ALLOCINFO_E_ROW, 1 },
        { ONE "40# 1 a.c\n", 1, ALLOCINFO_E_ROW, 1 },
        { ONE "x 1 a.c:1 func:f #\n", 1, ALLOCINFO_E_ROW, 1 },
        { "Memory allocations:\n1 B 1 a.c:1 func:f\n1 B 1 a.c func:f\n", 1,
          ALLOCINFO_E_ROW, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct allocinfo_lines lines = open_copy(cases[i].text);
        struct allocinfo_row row;

        for (unsigned j = 0; j < cases[i].rows; j++)
            assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
        assert_int_equal(allocinfo_lines_next(&lines, &row), cases[i].error);
        assert_int_equal(lines.number, cases[i].before);
    }
}

struct wanted_remarks {
    bool is_headless, is_bare;
    unsigned apart, prefixes;
};

static void expect_remarks(const char *text, struct wanted_remarks wanted)
{
    struct allocinfo_lines lines = open_copy(text);
    struct allocinfo_row row;

    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_one(&row);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_two(&row);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 0);
    assert_int_equal(lines.remarks.is_headless, wanted.is_headless);
    assert_int_equal(lines.remarks.is_bare, wanted.is_bare);
    assert_int_equal(lines.remarks.apart, wanted.apart);
    assert_int_equal(lines.remarks.prefixes, wanted.prefixes);
    assert_false(lines.remarks.is_cut || lines.remarks.is_unended);
}

static void lines_before_and_behind_are_counted(void **state)
{
    (void)state;
    expect_remarks(ONE TWO, (struct wanted_remarks){ 0 });
    expect_remarks("\n \n" ONE TWO "\n\n  ",
                   (struct wanted_remarks){ .apart = 5 });
    expect_remarks("me@host:~$ cat x\n" TITLE HEADING ONE TWO "me@host:~$ ",
                   (struct wanted_remarks){ .apart = 2 });
    expect_remarks(ONE TWO "me@host:~$ exit\nlogout\n",
                   (struct wanted_remarks){ .apart = 2 });
    expect_remarks(ONE TWO "exit\n", (struct wanted_remarks){ .apart = 1 });
    /* a device that boots, and a command of its shell */
    expect_remarks("*** Booting OS v3.4 ***\r\n\x1b[1;32muart:~$ \x1b[m"
                   "allocinfo\r\n" TITLE HEADING ONE TWO "uart:~$ ",
                   (struct wanted_remarks){ .apart = 3 });
    expect_remarks("#\n\n" HEADING ONE TWO "\n> exit\r\n",
                   (struct wanted_remarks){ .apart = 4 });
    expect_remarks("\xef\xbb\xbf" ONE TWO,
                   (struct wanted_remarks){ .apart = 1 });
    expect_remarks("\xef\xbb\xbf" TITLE ONE TWO,
                   (struct wanted_remarks){ .apart = 1 });
}

static void prefixes_of_grep_are_counted(void **state)
{
    (void)state;
    expect_remarks("/proc/allocinfo:" ONE "/proc/allocinfo:" TWO,
                   (struct wanted_remarks){ .prefixes = 2 });
    expect_remarks("a:1:" TITLE "a:2:" HEADING "a:3:" ONE "a:4:" TWO,
                   (struct wanted_remarks){ .prefixes = 2 });
    expect_remarks("7-" ONE "--\n9:" TWO,
                   (struct wanted_remarks){ .prefixes = 2 });
    /* The prefix of the first row was cut off. */
    expect_remarks(ONE "a:4:" TWO, (struct wanted_remarks){ .prefixes = 1 });
    expect_remarks("1:40960 10 mm/filemap.c:1951 func:get_folio \n2:" TWO,
                   (struct wanted_remarks){ .prefixes = 2 });
}

static void a_first_line_that_is_cut_is_left_out(void **state)
{
    static const char *const ends[] = {
        "7 a.c:1 [m] func:f accurate:no \n",
        "a.c:1 func:f\n",
        "1 func:f \n",
        "4] func:f \n",
        "nc:f \n",
        "f \n",
        "f\n",
        "accurate:no \n",
        "o \n",
    };
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(text, sizeof text, "%s%s", ends[i], ONE TWO);
        expect_remarks(text, (struct wanted_remarks){ .is_headless = true });
    }
    /* Only the padding shows that digits may be missing. */
    expect_remarks("40960       10 mm/filemap.c:1951 func:get_folio \n" TWO,
                   (struct wanted_remarks){ .is_bare = true });
    expect_remarks("40960 10 mm/filemap.c:1951 func:get_folio \n"
                   "-128 2 fs/a b.c:7 [ext4] func:f accurate:no \n",
                   (struct wanted_remarks){ 0 });
}

/* A kernel pads no size of 12 digits or more. */
static void a_wide_first_size_lacks_no_digits(void **state)
{
    struct allocinfo_lines lines =
        open_copy("123456789012       10 a.c:1 func:f \n" ONE);
    struct allocinfo_row row;

    (void)state;
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, 123456789012);
    assert_false(lines.remarks.is_bare);
}

static void sizes_of_numfmt_are_rounded(void **state)
{
    static const struct {
        const char *size;
        int64_t bytes;
        uint64_t rounding;
    } sizes[] = {
        { "1023", 1023, 0 },
        { "1.0K", 1024, 102 },
        { "2.8M", 2936012, 104857 },
        { "2,8M", 2936012, 104857 },
        { "2.80M", 2936012, 10485 },
        { "13M", 13 << 20, (1 << 20) - 1 },
        { "-83Mi", -83 * (INT64_C(1) << 20), (1 << 20) - 1 },
        { "122MB", 122 << 20, (1 << 20) - 1 },
        { "1.1MiB", 1153433, 104857 },
        { "336B", 336, 0 },
        { "7.9E", INT64_C(9108079886394091110), UINT64_C(115292150460684697) },
    };
    static const char *const others[] = { "8.0E",    "1Q",      "1k",
                                          "1.K",     ".1K",     "1.0",
                                          "1.1111K", "100000K", "1KK" };
    struct allocinfo_row row;
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int length =
            snprintf(text, sizeof text, " %s 3 a.c:1 func:f\n", sizes[i].size);

        assert_int_equal(allocinfo_read_row(text, (size_t)length, 2, &row),
                         length);
        assert_int_equal(row.bytes, sizes[i].bytes);
        assert_int_equal(row.rounding, sizes[i].rounding);
        assert_int_equal(row.calls, 3);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        int length =
            snprintf(text, sizeof text, "%s 3 a.c:1 func:f\n", others[i]);

        assert_int_equal(allocinfo_read_row(text, (size_t)length, 2, &row),
                         ALLOCINFO_E_ROW);
    }
}

static void rounding_is_summed(void **state)
{
    struct allocinfo_lines lines = open_copy("1.0K 1 a.c:1 func:f \n"
                                             "2M 1 a.c:2 func:f \n"
                                             "77 1 a.c:3 func:f \n");
    struct allocinfo_row row;

    (void)state;
    while (allocinfo_lines_next(&lines, &row) > 0)
        continue;
    assert_int_equal(lines.remarks.rounded, 2);
    assert_int_equal(lines.remarks.rounding, 102 + (1 << 20) - 1);
}

static void other_texts_are_none(void **state)
{
    static const char *const texts[] = {
        "",
        "slabinfo - version: 2.1\n",
        ("odd\n" ONE),
        "--\nodd\n",
        "1 1 a.c func:f\n",
        "#     <size>\n",
        "Memory allocations:",
        "Memory allocations: they are dear\n",
        "Memory allocations:\n4096 1 a.c func:f\n",
        "Memory allocations:\n1.00 XiB 1 a.c:1 func:f\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(allocinfo_lines_are(texts[i], strlen(texts[i])));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(allocinfo_lines_have_row(texts[i], strlen(texts[i])),
                         strstr(texts[i], ONE) != NULL);
}

static void the_last_report_of_a_log_is_read(void **state)
{
    struct allocinfo_lines lines = open_copy(
        "[    1.000000] Memory allocations (profiling is currently turned "
        "on):\n"
        "[    1.000001]      9.99 GiB        1 old.c:1 func:old\n"
        "[   75.301000] python3 invoked oom-killer\n"
        "[   75.301337] Memory allocations (profiling is currently turned "
        "off):\n"
        "[   75.301338]      11.0 MiB     2816 mm/slub.c:3061 "
        "func:alloc_slab_page\r\n"
        "Nov 22 10:00:00 host kernel: [   75.301339]      4.05 KiB        3 "
        "fs/a b.c:7 [ext4] func:f accurate:no\n"
        "<6>[   75.3]         336 B        7 kernel/fork.c:1 func:dup\n"
        "  1.5 TiB 18446744073709551615 a.c:1 func:g\n"
        "[   75.301400] Out of memory: Killed process 1 (python3)\n"
        "[   75.301401] oom_reaper: reaped process 1 (python3)");
    struct allocinfo_row row;

    (void)state;
    assert_int_equal(lines.remarks.reports, 2);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, 11 << 20);
    assert_int_equal(row.calls, 2816);
    assert_true(is(row.file, "mm/slub.c"));
    assert_true(is(row.function, "alloc_slab_page"));
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, 4147); /* 4.05 * 1024, rounded down */
    assert_true(is(row.file, "fs/a b.c"));
    assert_true(is(row.module, "ext4"));
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, 336);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, INT64_C(3) << 39);
    assert_int_equal(row.calls, UINT64_MAX);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 0);
    assert_int_equal(lines.remarks.skipped, 0);
    assert_int_equal(lines.remarks.below_zero, 0);
    assert_false(lines.remarks.is_cut);
}

/* The log kept only the end of the report. */
static void other_messages_are_skipped_and_counted(void **state)
{
    struct allocinfo_lines lines =
        open_copy("[ 1.0] usb 1-1: new device\n"
                  "[ 1.0]      11.0 MiB     2816 a.c:1 func:f\n"
                  "[ 1.0] a.c:9 module leak func:g has 1792 allocated at "
                  "module unload\n"
                  "\n"
                  "[ 1.0]      16.0 EiB 18446744073709551615 a.c:2 func:f\n"
                  "[ 1.0] usb 1-2: new device\n"
                  "[ 1.0]         336 B        1 a.c:3 func:f\n"
                  "[ 1.0]      1.00 Ki");
    struct allocinfo_row row;

    (void)state;
    assert_int_equal(lines.remarks.reports, 1);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(lines.remarks.skipped, 1);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, 0);
    assert_true(row.is_inaccurate);
    assert_int_equal(lines.remarks.skipped, 3);
    assert_int_equal(lines.remarks.below_zero, 1);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, 336);
    assert_false(row.is_inaccurate);
    assert_false(lines.remarks.is_cut);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 0);
    assert_int_equal(lines.remarks.skipped, 4);
    assert_int_equal(lines.remarks.below_zero, 1);
    assert_true(lines.remarks.is_cut);
}

/* These kernels did not print if profiling is on. */
static void a_log_of_earlier_kernels_is_read(void **state)
{
    struct allocinfo_lines lines =
        open_copy("[   75.301337] Memory allocations:\n"
                  "[   75.301338]      11.0 MiB     2816 a.c:1 func:f\n");
    struct allocinfo_row row;

    (void)state;
    assert_int_equal(lines.remarks.reports, 1);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
    assert_int_equal(row.bytes, 11 << 20);
    assert_int_equal(allocinfo_lines_next(&lines, &row), 0);
}

static int64_t read_log_row(const char *text, struct allocinfo_row *row)
{
    return allocinfo_read_row(text, strlen(text), ALLOCINFO_LOG, row);
}

static void sizes_of_a_log_are_no_others(void **state)
{
    static const char *const rows[] = {
        "11.0 MB 1 a.c:1 func:f\n",
        "11.0000 MiB 1 a.c:1 func:f\n",
        "11. MiB 1 a.c:1 func:f\n",
        "9999 EiB 1 a.c:1 func:f\n",
        "17 EiB 1 a.c:1 func:f\n",
        "-1 MiB 1 a.c:1 func:f\n",
        "1 XiB 1 a.c:1 func:f\n",
        "1 MiB 1 a.c func:f\n",
        "1000000 KiB 1 a.c:1 func:f\n",
        "4096 1 a.c:1 func:f\n",
        "9999 PiB 1 a.c:1 func:f\n",
        "1 MiB 1 a.c:1\n",
        "\"msg\": \"  1 MiB 1 a.c:1 func:f\"\n",
    };
    static const struct {
        const char *text;
        int64_t bytes;
        bool is_below;
    } sizes[] = {
        { "0 B 0 a.c:1 func:f\n", 0, false },
        { "1023 KiB 1 a.c:1 func:f\n", 1023 << 10, false },
        { "1024 PiB 1 a.c:1 func:f\n", INT64_C(1) << 60, false },
        { "1 EiB 1 a.c:1 func:f\n", INT64_C(1) << 60, false },
        { "4.00 EiB 1 a.c:1 func:f\n", INT64_C(1) << 62, false },
        { "7.50 EiB 1 a.c:1 func:f\n", INT64_C(15) << 59, false },
        { "8 EiB 1 a.c:1 func:f\n", 0, true },
        { "16.0 EiB 1 a.c:1 func:f\n", 0, true },
    };
    struct allocinfo_row row;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(read_log_row(rows[i], &row), ALLOCINFO_E_ROW);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(read_log_row(sizes[i].text, &row),
                         strlen(sizes[i].text));
        assert_int_equal(row.bytes, sizes[i].bytes);
        assert_int_equal(row.is_inaccurate, sizes[i].is_below);
    }
    assert_int_equal(read_log_row("9 EiB 1 a.c:1 func:f k:v\n", &row), 25);
    assert_true(row.is_inaccurate);
    assert_int_equal(row.pairs.length, 0); /* accurate:no is written again */
    assert_int_equal(read_log_row("1 B 1 a.c:1 func:f", &row), 18);
    assert_int_equal(read_log_row("1 B 1 a.c:1 fun", &row), ALLOCINFO_E_CUT);
    assert_int_equal(read_log_row("1 MiB of memory\n", &row), 0);
    assert_int_equal(read_log_row("\n", &row), 0);
    assert_int_equal(read_log_row("oom_reap", &row), 0);
}

/* Time is linear in the length of a line, not quadratic. */
static void long_lines_are_read_in_time(void **state)
{
    static const char *const pieces[] = { " ", "1 B ", "1 B 1 ", "1 ", "a:1 " };
    enum { SIZE = 1 << 22 };
    char *line = malloc(SIZE);
    struct allocinfo_row row;

    (void)state;
    assert_non_null(line);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        for (size_t at = 0; at < SIZE; at++)
            line[at] = pieces[i][at % strlen(pieces[i])];
        memcpy(line + SIZE - 9, " func:f\n", 8);
        allocinfo_read_row(line, SIZE - 1, ALLOCINFO_LOG, &row);
        allocinfo_read_row(line, SIZE - 1, 2, &row);
    }
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_read_however_it_was_kept),
        cmocka_unit_test(an_error_is_on_its_line),
        cmocka_unit_test(lines_before_and_behind_are_counted),
        cmocka_unit_test(prefixes_of_grep_are_counted),
        cmocka_unit_test(a_first_line_that_is_cut_is_left_out),
        cmocka_unit_test(a_wide_first_size_lacks_no_digits),
        cmocka_unit_test(sizes_of_numfmt_are_rounded),
        cmocka_unit_test(rounding_is_summed),
        cmocka_unit_test(other_texts_are_none),
        cmocka_unit_test(the_last_report_of_a_log_is_read),
        cmocka_unit_test(a_log_of_earlier_kernels_is_read),
        cmocka_unit_test(other_messages_are_skipped_and_counted),
        cmocka_unit_test(sizes_of_a_log_are_no_others),
        cmocka_unit_test(long_lines_are_read_in_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
