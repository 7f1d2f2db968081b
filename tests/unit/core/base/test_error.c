/* SPDX-License-Identifier: Apache-2.0 */
/* test_error.c - every error has its text */
#include "tally/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void every_listed_error_has_its_sentence(void **state)
{
    (void)state;
#define CHECK_SENTENCE(name, value, sentence) \
    assert_int_equal(name, value);            \
    assert_string_equal(tally_error_sentence(value), sentence);
    TALLY_ERROR_LIST(CHECK_SENTENCE)
#undef CHECK_SENTENCE
}

static void an_unlisted_error_is_unknown(void **state)
{
    (void)state;
    assert_string_equal(tally_error_sentence(1), "unknown error");
    assert_string_equal(tally_error_sentence(-1000), "unknown error");
}

static void success_is_zero_and_errors_are_negative_and_differ(void **state)
{
    static const int errors[] = {
#define ERROR_VALUE(name, value, sentence) name,
        TALLY_ERROR_LIST(ERROR_VALUE)
#undef ERROR_VALUE
    };
    enum { COUNT = sizeof errors / sizeof errors[0] };

    (void)state;
    assert_int_equal(TALLY_OK, 0);
    for (size_t i = 0; i < COUNT; i++) {
        if (i > 0)
            assert_true(errors[i] < 0);
        for (size_t j = i + 1; j < COUNT; j++)
            assert_int_not_equal(errors[i], errors[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_error_has_its_sentence),
        cmocka_unit_test(an_unlisted_error_is_unknown),
        cmocka_unit_test(success_is_zero_and_errors_are_negative_and_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
