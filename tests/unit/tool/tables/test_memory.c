/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_memory.c - without memory there is one line and status 2, nothing else
 */
#include "tool/tables/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Too large to allocate, and hidden from the compiler. */
static volatile size_t too_much = PTRDIFF_MAX;
static void *volatile had;

/* Return true if `fails` ended its process with status 2; store its output in
   `line`. */
static bool ends(void (*fails)(void), char line[200])
{
    size_t length = 0;
    ssize_t got;
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        fails();
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], line + length, 199 - length)) > 0)
        length += (size_t)got;
    line[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 2;
}

static void fail_in_nothing(void)
{
    exit_out_of_memory();
}

static void fail_within(void)
{
    const struct memory_use outer = { .what = "a\033b", .purpose = "" };
    const struct memory_use inner = { .purpose = " for names" };

    assert_null(memory_use(&outer));
    assert_ptr_equal(memory_use(&inner), &outer);
    assert_ptr_equal(memory_use(&outer), &inner);
    memory_or_exit(NULL);
}

static void undo(void)
{
    fputs("undone, ", stderr);
}

static void fail_with_undo(void)
{
    const struct memory_use use = { .purpose = " to load it" };

    memory_use(&use);
    memory_undo(undo);
    exit_out_of_memory();
}

static void the_line_says_what_memory_was_for(void **state)
{
    char line[200];

    (void)state;
    assert_true(ends(fail_in_nothing, line));
    assert_string_equal(
        line, "tally: there is not enough memory; free some and try again\n");
    assert_true(ends(fail_within, line));
    assert_string_equal(
        line, "tally: a?b: there is not enough memory; free some and try "
              "again\n");
    assert_true(ends(fail_with_undo, line));
    assert_string_equal(line, "undone, tally: there is not enough memory to "
                              "load it; free some and try again\n");
}

#if !IS_SANITIZED
static void fail_zeroed(void)
{
    memory_zeroed(too_much, 1);
}

static void fail_product(void)
{
    memory_resized(NULL, too_much, 4);
}

static void fail_in_library(void)
{
    had = malloc(too_much);
    memory_use(&memory_for_names);
    had = malloc(too_much);
}

static void succeed_in_library(void)
{
    memory_use(&(struct memory_use){ .purpose = "" });
    had = malloc(too_much);
}

static void what_cannot_be_had_is_the_end(void **state)
{
    char line[200];

    (void)state;
    assert_true(ends(fail_zeroed, line));
    assert_true(ends(fail_product, line));
    assert_true(ends(fail_in_library, line));
    assert_string_equal(line, "tally: there is not enough memory for names; "
                              "free some and try again\n");
    assert_false(ends(succeed_in_library, line));
    assert_string_equal(line, "");
}
#endif

static void what_is_there_is_given(void **state)
{
    char *zeroed = memory_zeroed(3, 1), *text = memory_text("abc");
    char *printed = memory_print("%d-%s", 7, text);

    (void)state;
    assert_memory_equal(zeroed, "\0\0\0", 3);
    zeroed = memory_resized(zeroed, 2, 100);
    assert_string_equal(zeroed, "");
    assert_string_equal(printed, "7-abc");
    free(zeroed);
    free(text);
    free(printed);
    free(memory_zeroed(0, 8));
    free(memory_resized(NULL, 0, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_says_what_memory_was_for),
#if !IS_SANITIZED
        cmocka_unit_test(what_cannot_be_had_is_the_end),
#endif
        cmocka_unit_test(what_is_there_is_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
