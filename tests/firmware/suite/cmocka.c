/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka.c - run cases one after the other, and print their results */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "suite_board.h"
#include "turns.h"

enum outcome { PASSED, FAILED, SKIPPED }; /* what longjmp() returns */

static jmp_buf end_of_case;

void print_message(const char *format, ...)
{
    char line[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    suite_board_print(line);
}

void fail_at(const char *file, int line, const char *format, ...)
{
    char message[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    print_message("%s:%d: %s\n", file, line, message);
    longjmp(end_of_case, FAILED);
}

void skip(void)
{
    longjmp(end_of_case, SKIPPED);
}

/* newlib's small printf has no 64-bit numbers. */
static const char *number_text(uintmax_t number, char text[24])
{
    char *digit = text + 23;

    *digit = '\0';
    do
        *--digit = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    return digit;
}

void assert_equal_at(const char *file, int line, const char *what,
                     uintmax_t found, uintmax_t wanted, bool is_equal)
{
    char is[24], should[24];

    if ((found == wanted) == is_equal)
        return;
    fail_at(file, line, "%s is %s, expected %s%s", what, number_text(found, is),
            is_equal ? "" : "another than ", number_text(wanted, should));
}

void assert_same_text_at(const char *file, int line, const char *found,
                         const char *wanted)
{
    if (strcmp(found, wanted) != 0)
        fail_at(file, line, "\"%s\", expected \"%s\"", found, wanted);
}

void assert_same_bytes_at(const char *file, int line, const void *found,
                          const void *wanted, size_t size)
{
    const unsigned char *is = found, *should = wanted;

    for (size_t i = 0; i < size; i++) {
        if (is[i] != should[i])
            fail_at(file, line, "byte %u is %#x, expected %#x", (unsigned)i,
                    is[i], should[i]);
    }
}

static enum outcome run_part(const struct CMUnitTest *test,
                             CMFixtureFunction fixture, void **state)
{
    int outcome = setjmp(end_of_case);

    if (outcome != PASSED)
        return (enum outcome)outcome;
    if (fixture == NULL)
        test->test_func(state);
    else if (fixture(state) != 0)
        fail_at(test->name, 0, "its setup or teardown failed");
    return PASSED;
}

static enum outcome run_case(const struct CMUnitTest *test)
{
    void *state = test->initial_state;
    enum outcome outcome = PASSED, end = PASSED;

    if (test->setup_func != NULL)
        outcome = run_part(test, test->setup_func, &state);
    if (outcome == PASSED)
        outcome = run_part(test, NULL, &state);
    if (test->teardown_func != NULL)
        end = run_part(test, test->teardown_func, &state);
    turns_end_all();
    return outcome == PASSED ? end : outcome;
}

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests,
                            size_t count, CMFixtureFunction setup,
                            CMFixtureFunction teardown)
{
    static const char *const words[] = { "ok", "FAILED", "skipped" };
    void *state = NULL;
    int failed = 0;

    if (setup != NULL && setup(&state) != 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        enum outcome outcome = run_case(&tests[i]);

        failed += outcome == FAILED;
        print_message("%s: %s\n", words[outcome], tests[i].name);
    }
    if (teardown != NULL && teardown(&state) != 0)
        failed++;
    print_message("%s: %u cases, %d failed\n", name, (unsigned)count, failed);
    return failed;
}
