/* SPDX-License-Identifier: Apache-2.0 */
/* test_limits_budget.c - budgets in the environment */
#include "sampling/limits/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sampling/countdown/countdown.h"
#include "tests/fakes/fake_port.h"

static void each_text_has_its_budget(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* of "cache"; 7: none */
        unsigned wrong; /* number of the first wrong piece; 0: none */
    } cases[] = {
        { "cache=0", 0, 0 },
        { "cache=12345", 12345, 0 },
        { "cache=3K", 3072, 0 },
        { "cache=2M", 2 << 20, 0 },
        { "cache=5G", UINT64_C(5) << 30, 0 },
        { "cache=1T", UINT64_C(1) << 40, 0 },
        { "request=1,cache=2", 2, 0 },
        { "cache=2,request=1,", 2, 0 },
        { "mycache=1,cache=2", 2, 0 },
        { "cache=1,cache=2", 1, 0 },
        { "cache=18446744073709551615", UINT64_MAX, 0 },
        { "cache=18446744073709551616", 7, 1 },
        { "cache=99999999999999999999T", 7, 1 },
        { "cache=16777216T", 7, 1 },
        { "cache=16777215T", UINT64_C(16777215) << 40, 0 },
        { "cache=", 7, 1 },
        { "cache", 7, 1 },
        { "cache,cache=5", 5, 1 },
        { "cache=,x=1", 7, 1 },
        { "cache=-1", 7, 1 },
        { "cache=+1", 7, 1 },
        { "cache= 1", 7, 1 },
        { "cache=1 ", 7, 1 },
        { " cache=1", 7, 0 }, /* that is a name, too */
        { "cache=1k", 7, 1 },
        { "cache=1KK", 7, 1 },
        { "cache=1KB", 7, 1 },
        { "cache=1.5M", 7, 1 },
        { "cache=0x10", 7, 1 },
        { "cache=010", 10, 0 },
        { "cache=K", 7, 1 },
        { "cache=1x,cache=2", 2, 1 },
        { "cache=1;x=2", 7, 1 },
        { "cache=1\nx=2", 7, 1 },
        { "cache==1", 7, 1 },
        { "cachet=1", 7, 0 },
        { "=5", 7, 1 },
        { "cache=1,=5", 1, 2 },
        { "x=1,,cache=3,y,z", 3, 4 },
        { "cache=3,\xff\xfe", 3, 2 },
        { "", 7, 0 },
        { ",,,", 7, 0 },
        { NULL, 7, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned wrong = 99;

        assert_int_equal(limits_budget_in(cases[i].text, "cache", 7, &wrong),
                         cases[i].bytes);
        assert_int_equal(wrong, cases[i].wrong);
        assert_int_equal(limits_budget_in(cases[i].text, "", 7, &wrong), 7);
    }
}

static const char *setting(const char *name)
{
    return strcmp(name, "TALLY_LIMITS") == 0 ? "cache=5K,=5,x" : NULL;
}

static void the_carrier_knows_the_environment(void **state)
{
    (void)state;
    fake_port_reset();
    assert_int_equal(limits_budget_of("cache", 7), 7);
    assert_string_equal(fake_port_console(), "");
    countdown_carrier.setting = setting;
    assert_int_equal(limits_budget_of("cache", 7), 5120);
    assert_int_equal(limits_budget_of("other", 7), 7);
    assert_int_equal(limits_budget_of(NULL, 7), 7);
    assert_int_equal(limits_budget_of("", 7), 7);
    assert_string_equal(fake_port_console(), /* once */
                        "tally: TALLY_LIMITS: piece 2 is not NAME=BYTES, where "
                        "K, M, G or T may "
                        "follow the bytes; it counts as not there\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_has_its_budget),
        cmocka_unit_test(the_carrier_knows_the_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
