/* SPDX-License-Identifier: Apache-2.0 */
/* test_limits_budget.c - budgets of the environment */
#include "core/limits_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/countdown.h"

static void each_text_has_its_budget(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* of "cache"; 7: none */
    } cases[] = {
        { "cache=0", 0 },
        { "cache=12345", 12345 },
        { "cache=3K", 3072 },
        { "cache=2M", 2 << 20 },
        { "cache=5G", UINT64_C(5) << 30 },
        { "cache=1T", UINT64_C(1) << 40 },
        { "request=1,cache=2", 2 },
        { "cache=2,request=1,", 2 },
        { "mycache=1,cache=2", 2 },
        { "cache=1,cache=2", 1 },
        { "cache=18446744073709551615", UINT64_MAX },
        { "cache=18446744073709551616", 7 },
        { "cache=99999999999999999999T", 7 },
        { "cache=16777216T", 7 },
        { "cache=16777215T", UINT64_C(16777215) << 40 },
        { "cache=", 7 },
        { "cache", 7 },
        { "cache=,x=1", 7 },
        { "cache=-1", 7 },
        { "cache= 1", 7 },
        { "cache=1k", 7 },
        { "cache=1KK", 7 },
        { "cache=K", 7 },
        { "cache=1x,cache=2", 7 },
        { "cachet=1", 7 },
        { "", 7 },
        { ",,,", 7 },
        { NULL, 7 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(limits_budget_in(cases[i].text, "cache", 7),
                         cases[i].bytes);
}

static const char *setting(const char *name)
{
    return strcmp(name, "TALLY_LIMITS") == 0 ? "cache=5K" : NULL;
}

static void the_carrier_knows_the_environment(void **state)
{
    (void)state;
    assert_int_equal(limits_budget_of("cache", 7), 7);
    countdown_carrier.setting = setting;
    assert_int_equal(limits_budget_of("cache", 7), 5120);
    assert_int_equal(limits_budget_of("other", 7), 7);
    assert_int_equal(limits_budget_of(NULL, 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_has_its_budget),
        cmocka_unit_test(the_carrier_knows_the_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
