/* SPDX-License-Identifier: Apache-2.0 */
/* test_sql.c - queries with placeholders */
#include "tool/fleet/fleet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void fills_gaps(void **state)
{
    struct sql sql = { .texts = { [SQL_by] = "host", [SQL_limit] = "5" },
                       .latest = "L {by}" };
    char *text = sql_fill(&sql, "a {by} b {value}{limit} {latest} {other}.");

    (void)state;
    assert_string_equal(text, "a host b 5 L host .");
    free(text);
}

/* A user's text stays unchanged. */
static void texts_have_no_gaps(void **state)
{
    struct sql sql = {
        .texts = { [SQL_filter] = "x = '{by}{rows'", [SQL_by] = "host" }
    };
    char *text = sql_fill(&sql, "{filter} {by}");

    (void)state;
    assert_string_equal(text, "x = '{by}{rows' host");
    free(text);
}

static void every_question_is_whole(void **state)
{
    const char *const questions[] = { sql_top,  sql_days,   sql_outliers,
                                      sql_diff, sql_stacks, sql_names,
                                      sql_note, sql_calls,  sql_versions };

    (void)state;
    for (unsigned latest = 0; latest < 3; latest++) {
        struct sql sql = { .rows = latest == 0 ? sql_rows : sql_called,
                           .latest = latest == 0   ? sql_latest
                                     : latest == 1 ? sql_latest_of_days
                                                   : sql_latest_of_sides };

        for (size_t i = 0; i < SQL_GAP_COUNT; i++)
            sql.texts[i] = "1";
        for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
            char *text = sql_fill(&sql, questions[i]);

            assert_null(strpbrk(text, "{}"));
            assert_memory_equal(text, "SELECT ", 7);
            free(text);
        }
    }
}

/* Return the text after the matching bracket. */
static const char *behind(const char *open)
{
    unsigned depth = 0;

    do {
        depth += *open == '(';
        depth -= *open == ')';
        open++;
    } while (depth > 0);
    return open;
}

/* Servers from version 20 on refuse to join queries without names. */
static void what_is_joined_has_a_name(void **state)
{
    const char *const questions[] = { sql_called, sql_stacks, sql_diff,
                                      sql_top };
    unsigned count = 0;

    (void)state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct sql sql = { .rows = sql_rows, .latest = sql_latest };
        char *text = sql_fill(&sql, questions[i]);

        for (char *join = text; (join = strstr(join, "GLOBAL A")) != NULL;
             join++, count++) {
            const char *after = behind(strchr(join, '('));
            char *name = join;

            after += strspn(after, " \n");
            assert_memory_equal(after, "AS ", 3);
            while (strchr(" \n", name[-1]) != NULL)
                name--;
            while (*--name != ' ')
                ;
            assert_memory_equal(name -= 2, "AS", 2);
            while (strchr(" \n", *--name) != NULL)
                ;
            assert_int_equal(*name, ')');
        }
        free(text);
    }
    assert_int_equal(count, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_gaps),
        cmocka_unit_test(texts_have_no_gaps),
        cmocka_unit_test(every_question_is_whole),
        cmocka_unit_test(what_is_joined_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
