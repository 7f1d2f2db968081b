/* SPDX-License-Identifier: Apache-2.0 */
/* test_source_lines.c - lines of source files, and files without lines */
#include "tool/model/names/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct source_lines lines;

static void assert_line(const char *expected, const char *path, uint64_t number)
{
    char *line = source_lines_find(&lines, path, number);

    if (expected == NULL)
        assert_null(line);
    else
        assert_string_equal(expected, line);
    free(line);
}

static void lines_are_found_without_spaces_around(void **state)
{
    char path[] = "/tmp/test_source_lines.XXXXXX", long_line[1000];
    FILE *file = fdopen(mkstemp(path), "w");

    (void)state;
    memset(long_line, 'x', sizeof long_line);
    fputs("first\n\tsecond = 2;  \r\n\n", file);
    fwrite(long_line, sizeof long_line, 1, file);
    fputs("\nlast", file);
    fclose(file);
    assert_line("first", path, 1);
    assert_line("second = 2;", path, 2);
    assert_line(NULL, path, 3);
    assert_line("last", path, 5);
    assert_line(NULL, path, 0);
    assert_line(NULL, path, 6);
    assert_line(NULL, path, UINT64_MAX);
    long_line[200] = '\0';
    assert_line(long_line, path, 4);
    unlink(path);
    assert_line("first", path, 1); /* already read */
    source_lines_free(&lines);
    assert_line(NULL, path, 1);
    source_lines_free(&lines);
}

static void what_is_no_file_has_no_lines(void **state)
{
    (void)state;
    assert_line(NULL, "/dev/zero", 1);
    assert_line(NULL, "/tmp", 1);
    assert_line(NULL, "", 1);
    source_lines_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_found_without_spaces_around),
        cmocka_unit_test(what_is_no_file_has_no_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
