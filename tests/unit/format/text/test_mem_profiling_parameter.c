/* SPDX-License-Identifier: Apache-2.0 */
/* test_mem_profiling_parameter.c - the syntax of the boot parameter */
#include "format/text/mem_profiling_parameter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/ledger/ledger_layout.h"

enum { UNTOUCHED = 77 };

static bool parse(const char *setting,
                  struct mem_profiling_parameter *parameter)
{
    *parameter = (struct mem_profiling_parameter){ .control = UNTOUCHED,
                                                   .is_compressed = true };
    return mem_profiling_parameter_read(setting, parameter);
}

static void what_the_kernel_takes_is_taken(void **state)
{
    static const struct {
        const char *setting;
        uint32_t control;
    } taken[] = {
        { "sysctl.vm.mem_profiling=1", LEDGER_CONTROL_ON },
        { "vm.mem_profiling=0", LEDGER_CONTROL_OFF },
        { "vm.mem_profiling=yes", LEDGER_CONTROL_ON },
        { "vm.mem_profiling=nope", LEDGER_CONTROL_OFF },
        { "vm.mem_profiling=ON", LEDGER_CONTROL_ON },
        { "vm.mem_profiling=off", LEDGER_CONTROL_OFF },
        { "vm.mem_profiling=12", LEDGER_CONTROL_ON },
    };
    struct mem_profiling_parameter settings;

    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        assert_true(parse(taken[i].setting, &settings));
        assert_int_equal(settings.control, taken[i].control);
        assert_false(settings.is_compressed);
    }
}

static void whatever_begins_with_never_is_never(void **state)
{
    static const char *const nevers[] = { "vm.mem_profiling=never",
                                          "vm.mem_profiling=neverland",
                                          "vm.mem_profiling=never,compressed" };
    struct mem_profiling_parameter settings;

    (void)state;
    for (size_t i = 0; i < sizeof nevers / sizeof nevers[0]; i++) {
        assert_true(parse(nevers[i], &settings));
        assert_int_equal(settings.control, LEDGER_CONTROL_NEVER);
    }
}

static void compressed_may_follow(void **state)
{
    struct mem_profiling_parameter settings;

    (void)state;
    assert_true(parse("vm.mem_profiling=0,compressed", &settings));
    assert_int_equal(settings.control, LEDGER_CONTROL_OFF);
    assert_true(settings.is_compressed);
}

static void all_else_is_refused_and_changes_nothing(void **state)
{
    static const char *const refused[] = {
        "",
        "1",
        "vm.mem_profiling",
        "vm.mem_profiling=",
        "vm.mem_profiling=,compressed",
        "vm.mem_profiling=2",
        "vm.mem_profiling=o",
        "vm.mem_profiling=1,",
        "vm.mem_profiling=1,compress",
        "vm.mem_profiling=1,compressed,compressed",
        "kernel.vm.mem_profiling=1",
    };
    struct mem_profiling_parameter settings;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(parse(refused[i], &settings));
        assert_int_equal(settings.control, UNTOUCHED);
        assert_true(settings.is_compressed);
    }
}

static void at_run_time_only_a_digit_is_taken(void **state)
{
    static const char *const refused[] = {
        "vm.mem_profiling=2",  "vm.mem_profiling=never",
        "vm.mem_profiling=",   "vm.mem_profiling=1,compressed",
        "vm.mem_profiling=12", "vm.mem_profiling=y",
        "vm.mem_profiling",    "mem_profiling=1",
    };
    uint32_t control = UNTOUCHED;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(mem_profiling_parameter_read_switch(refused[i], &control));
    assert_int_equal(control, UNTOUCHED);
    assert_true(
        mem_profiling_parameter_read_switch("vm.mem_profiling=1", &control));
    assert_int_equal(control, LEDGER_CONTROL_ON);
    assert_true(mem_profiling_parameter_read_switch("sysctl.vm.mem_profiling=0",
                                                    &control));
    assert_int_equal(control, LEDGER_CONTROL_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_kernel_takes_is_taken),
        cmocka_unit_test(whatever_begins_with_never_is_never),
        cmocka_unit_test(compressed_may_follow),
        cmocka_unit_test(all_else_is_refused_and_changes_nothing),
        cmocka_unit_test(at_run_time_only_a_digit_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
