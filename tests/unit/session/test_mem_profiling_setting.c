/* SPDX-License-Identifier: Apache-2.0 */
/* test_mem_profiling_setting.c - the boot parameter's grammar */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/ledger_layout.h"
#include "tool/session/mem_profiling_setting.h"

enum { UNTOUCHED = 77 };

static int parse(const char *setting, struct session_settings *settings)
{
    *settings = (struct session_settings){ .follow = UNTOUCHED,
                                           .control = UNTOUCHED,
                                           .compressed = UNTOUCHED };
    return mem_profiling_parse(setting, settings);
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
    struct session_settings settings;

    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        assert_int_equal(parse(taken[i].setting, &settings), 0);
        assert_int_equal(settings.control, taken[i].control);
        assert_int_equal(settings.compressed, 0);
        assert_int_equal(settings.follow, UNTOUCHED);
    }
}

static void whatever_begins_with_never_is_never(void **state)
{
    static const char *const nevers[] = { "vm.mem_profiling=never",
                                          "vm.mem_profiling=neverland",
                                          "vm.mem_profiling=never,compressed" };
    struct session_settings settings;

    (void)state;
    for (size_t i = 0; i < sizeof nevers / sizeof nevers[0]; i++) {
        assert_int_equal(parse(nevers[i], &settings), 0);
        assert_int_equal(settings.control, LEDGER_CONTROL_NEVER);
    }
}

static void compressed_may_follow(void **state)
{
    struct session_settings settings;

    (void)state;
    assert_int_equal(parse("vm.mem_profiling=0,compressed", &settings), 0);
    assert_int_equal(settings.control, LEDGER_CONTROL_OFF);
    assert_int_equal(settings.compressed, 1);
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
    struct session_settings settings;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(parse(refused[i], &settings), -1);
        assert_int_equal(settings.control, UNTOUCHED);
        assert_int_equal(settings.compressed, UNTOUCHED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_kernel_takes_is_taken),
        cmocka_unit_test(whatever_begins_with_never_is_never),
        cmocka_unit_test(compressed_may_follow),
        cmocka_unit_test(all_else_is_refused_and_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
