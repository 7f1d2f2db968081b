/* SPDX-License-Identifier: Apache-2.0 */
/* test_near.c - suggestions for misspelt names */
#include "tool/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = { "record", "report", "snapshot",
                                     "top",    "diff",   "export",
                                     "peak",   "total",  "temporary" };
static const struct word_list all = WORDS(names);

static void near_ones_are_found(void **state)
{
    static const struct {
        const char *name, *near;
    } rows[] = {
        { "reprot", "report" },  /* two changed places */
        { "rport", "report" },   /* one is missing */
        { "reporrt", "report" }, /* one too many */
        { "repart", "report" },  /* another */
        { "REPORT", "report" },
        { "tpo", "top" },
        { "dif", "diff" },
        { "temp", "temporary" },
        { "totla", "total" },
        { "tolat", "total" },
        { "snaphsots", "snapshot" },
        { "recort", "record or report" },
        { "re", "record or report" },
    };
    char out[WORDS_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(near_names(out, &all, rows[i].name), rows[i].near);
}

static void others_are_not(void **state)
{
    static const char *const texts[] = { "",           "x",   "t",       "xyz",
                                         "frobnicate", "abc", "toplevel" };
    char out[WORDS_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(near_names(out, &all, texts[i]), "");
}

static void the_nearest_are_named_once(void **state)
{
    static const char *const functions[] = { "serve_a", "serve_b", "serve_a",
                                             "serve_c", "serve_d", "server" };
    static const struct word_list list = WORDS(functions);
    char out[WORDS_SIZE];

    (void)state;
    assert_string_equal(near_names(out, &list, "serve_x"),
                        "serve_a, serve_b or serve_c");
    assert_string_equal(near_names(out, &list, "sever"), "server");
}

static void long_names_are_not_compared(void **state)
{
    char name[300], longer[301], out[WORDS_SIZE];
    const char *const one[] = { longer };
    const struct word_list list = WORDS(one);

    (void)state;
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    memcpy(longer, name, sizeof name);
    longer[0] = 'b';
    assert_string_equal(near_names(out, &list, name), "");
    /* A prefix is recognized without it; printed text is bounded. */
    longer[0] = 'a';
    assert_int_equal(strlen(near_names(out, &list, name)), WORDS_SIZE - 1);
}

static void notes_stand_behind_messages(void **state)
{
    char out[NEAR_SIZE];

    (void)state;
    assert_string_equal(near_note(out, &all, "tolal"),
                        " (did you mean total?)");
    assert_string_equal(near_note(out, &all, "frobnicate"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_ones_are_found),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(the_nearest_are_named_once),
        cmocka_unit_test(long_names_are_not_compared),
        cmocka_unit_test(notes_stand_behind_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
