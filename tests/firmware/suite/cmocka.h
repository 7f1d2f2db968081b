/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmocka.h - the part of cmocka that the unit tests use, for a board
 *
 * It runs the sources of tests/unit on a Cortex-M unchanged. A failed assertion
 * prints its place and the expected value, and ends its case; the run goes on,
 * and returns the number of failed cases.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func;
    CMFixtureFunction teardown_func;
    void *initial_state;
};

#define cmocka_unit_test(f)     \
    {                           \
#f, f, NULL, NULL, NULL \
    }
#define cmocka_unit_test_setup(f, setup) \
    {                                    \
#f, f, setup, NULL, NULL         \
    }
#define cmocka_unit_test_teardown(f, ends) \
    {                                      \
#f, f, NULL, ends, NULL            \
    }
#define cmocka_unit_test_setup_teardown(f, setup, ends) \
    {                                                   \
#f, f, setup, ends, NULL                        \
    }

#define cmocka_run_group_tests(tests, setup, teardown) \
    cmocka_run_group_tests_name(#tests, tests, setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)         \
    _cmocka_run_group_tests(name, tests, sizeof(tests) / sizeof *(tests), \
                            setup, teardown)

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests,
                            size_t count, CMFixtureFunction setup,
                            CMFixtureFunction teardown);

void print_message(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* End the case: it cannot run here. */
_Noreturn void skip(void);

/* End the case: it failed. */
_Noreturn void fail_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define fail()        fail_at(__FILE__, __LINE__, "fail()")
#define fail_msg(...) fail_at(__FILE__, __LINE__, __VA_ARGS__)

void assert_equal_at(const char *file, int line, const char *what,
                     uintmax_t found, uintmax_t wanted, bool is_equal);
void assert_same_text_at(const char *file, int line, const char *found,
                         const char *wanted);
void assert_same_bytes_at(const char *file, int line, const void *found,
                          const void *wanted, size_t size);

#define ASSERT_EQUAL(what, found, wanted, is_equal)               \
    assert_equal_at(__FILE__, __LINE__, what, (uintmax_t)(found), \
                    (uintmax_t)(wanted), is_equal)
#define ASSERT_POINTER(what, found, wanted, is_equal) \
    ASSERT_EQUAL(what, (uintptr_t)(found), (uintptr_t)(wanted), is_equal)

#define assert_int_equal(a, b)     ASSERT_EQUAL(#a, a, b, true)
#define assert_int_not_equal(a, b) ASSERT_EQUAL(#a, a, b, false)
#define assert_ptr_equal(a, b)     ASSERT_POINTER(#a, a, b, true)
#define assert_ptr_not_equal(a, b) ASSERT_POINTER(#a, a, b, false)
#define assert_null(a)             ASSERT_POINTER(#a, a, NULL, true)
#define assert_non_null(a)         ASSERT_POINTER(#a, a, NULL, false)
#define assert_true(a)             ASSERT_EQUAL(#a, (a) ? 1 : 0, 0, false)
#define assert_false(a)            ASSERT_EQUAL(#a, (a) ? 1 : 0, 0, true)
#define assert_in_range(a, from, to)                      \
    ASSERT_EQUAL(#a " beyond its range",                  \
                 (uintmax_t)(a) - (uintmax_t)(from) >     \
                     (uintmax_t)(to) - (uintmax_t)(from), \
                 0, true)
#define assert_string_equal(a, b) assert_same_text_at(__FILE__, __LINE__, a, b)
#define assert_memory_equal(a, b, size) \
    assert_same_bytes_at(__FILE__, __LINE__, a, b, size)
