/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assertions_fail.c - each assertion of cmocka.h ends its case, and is counted
 */
#include <cmocka.h>
#include <string.h>

static unsigned went_on; /* cases that an assertion failed to end */

#define FAILING_CASE(name, assertion) \
    static void name(void **state)    \
    {                                 \
        (void)state;                  \
        assertion;                    \
        went_on++;                    \
    }

static unsigned char bytes[] = { 1, 2, 3 };
static unsigned char others[] = { 1, 2, 4 };

FAILING_CASE(int_equal, assert_int_equal(-1, 1))
FAILING_CASE(int_equal_of_64_bits, assert_int_equal(UINT64_C(1) << 32, 0))
FAILING_CASE(int_not_equal, assert_int_not_equal(3, 3))
FAILING_CASE(ptr_equal, assert_ptr_equal(bytes, others))
FAILING_CASE(ptr_not_equal, assert_ptr_not_equal(bytes, bytes))
FAILING_CASE(null, assert_null(bytes))
FAILING_CASE(non_null, assert_non_null(NULL))
FAILING_CASE(is_true, assert_true(bytes[0] == 2))
FAILING_CASE(is_false, assert_false(bytes[0]))
FAILING_CASE(below_its_range, assert_in_range(1, 2, 3))
FAILING_CASE(above_its_range, assert_in_range(4, 2, 3))
FAILING_CASE(text, assert_string_equal("one", "two"))
FAILING_CASE(memory, assert_memory_equal(bytes, others, sizeof bytes))
FAILING_CASE(message, fail_msg("it is so"))

static int setup_fails(void **state)
{
    (void)state;
    return -1;
}

static void nothing(void **state)
{
    (void)state;
}

static void all_hold(void **state)
{
    (void)state;
    assert_in_range(2, 2, 3);
    assert_in_range(3, 2, 3);
    assert_memory_equal(bytes, others, 2);
    assert_string_equal("one", "one");
    assert_true(bytes[0]);
    assert_false(0);
}

static void is_skipped(void **state)
{
    (void)state;
    skip();
}

int main(void)
{
    const struct CMUnitTest fail[] = {
        cmocka_unit_test(int_equal),
        cmocka_unit_test(int_equal_of_64_bits),
        cmocka_unit_test(int_not_equal),
        cmocka_unit_test(ptr_equal),
        cmocka_unit_test(ptr_not_equal),
        cmocka_unit_test(null),
        cmocka_unit_test(non_null),
        cmocka_unit_test(is_true),
        cmocka_unit_test(is_false),
        cmocka_unit_test(below_its_range),
        cmocka_unit_test(above_its_range),
        cmocka_unit_test(text),
        cmocka_unit_test(memory),
        cmocka_unit_test(message),
        cmocka_unit_test_setup(nothing, setup_fails),
        cmocka_unit_test_teardown(nothing, setup_fails),
    };
    const struct CMUnitTest pass[] = {
        cmocka_unit_test(all_hold),
        cmocka_unit_test(is_skipped),
    };
    int failed = cmocka_run_group_tests(fail, NULL, NULL);

    return failed != (int)(sizeof fail / sizeof *fail) || went_on != 0 ||
           cmocka_run_group_tests(pass, NULL, NULL) != 0;
}
