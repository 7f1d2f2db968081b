/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_profiling.c - the profiling setting and its effects
 *
 * It takes effect once per process, so each test runs in a child process.
 */
#include "core/accounts/mem_profiling.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally/alloc_tag.h"
#include "tally/tagged.h"
#include "tests/fakes/run_alone.h"

/* Check the words that the hooks read. */
static void assert_words(uint32_t on, uint32_t frees, uint32_t hooks)
{
    assert_int_equal(*tally_mem_profiling, on);
    assert_int_equal(tally_mem_profiling_frees, frees);
    assert_int_equal(tally_mem_profiling_hooks, hooks);
}

static void without_a_parameter_it_is_on(void **state)
{
    (void)state;
    assert_words(1, 0, 1);
    assert_true(mem_profiling_is_on());
    assert_words(1, 1, 1);
    assert_true(mem_profiling_is_available());
    assert_string_equal(fake_port_console(), "");
}

static void the_environment_is_taken(void **state)
{
    (void)state;
    fake_port_set_environment("sysctl.vm.mem_profiling=0,compressed");
    assert_false(mem_profiling_is_on());
    assert_words(0, 0, 1);
    assert_true(mem_profiling_is_available());
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), 0);
    assert_true(mem_profiling_is_on());
}

static void the_program_has_the_last_word(void **state)
{
    (void)state;
    fake_port_set_environment("vm.mem_profiling=1");
    assert_int_equal(tally_sysctl("vm.mem_profiling=0"), 0);
    assert_false(mem_profiling_is_on());
}

static void never_is_for_good(void **state)
{
    static const struct allocinfo_options options = { .version = 2 };

    (void)state;
    fake_port_set_environment("vm.mem_profiling=never");
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), -EINVAL);
    assert_false(mem_profiling_is_on());
    assert_words(0, 0, 0);
    assert_false(mem_profiling_is_available());
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), -EINVAL);
    assert_int_equal(allocinfo_write(STDOUT_FILENO), -ENOENT);
    assert_int_equal(allocinfo_write_to(NULL, NULL, &options), -ENOENT);
}

static void never_cannot_be_undone_before_the_first_use_either(void **state)
{
    (void)state;
    assert_int_equal(tally_sysctl("vm.mem_profiling=never"), 0);
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), -EINVAL);
    assert_false(mem_profiling_is_on());
}

static void what_does_not_parse_changes_nothing_and_is_said(void **state)
{
    (void)state;
    fake_port_set_environment("vm.mem_profiling=2");
    assert_int_equal(tally_sysctl("vm.mem_profiling=1,foo"), -EINVAL);
    assert_true(mem_profiling_is_on());
    assert_string_equal(fake_port_console(),
                        "tally: TALLY_SYSCTL='vm.mem_profiling=2': not "
                        "sysctl.vm.mem_profiling={0|1|never}[,compressed]; it "
                        "changes nothing\n");
}

static void at_run_time_0_and_1_are_taken(void **state)
{
    static const char *const refused[] = { "vm.mem_profiling=2",
                                           "vm.mem_profiling=never",
                                           "vm.mem_profiling=yes",
                                           "vm.mem_profiling=1,compressed" };

    (void)state;
    assert_true(mem_profiling_is_on());
    assert_int_equal(tally_sysctl("sysctl.vm.mem_profiling=0"), 0);
    assert_words(0, 1, 1);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_int_equal(tally_sysctl(refused[i]), -EINVAL);
    assert_words(0, 1, 1);
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), 0);
    assert_words(1, 1, 1);
}

static void without_memory_it_is_off_and_that_is_said(void **state)
{
    (void)state;
    fake_port_fail_from(1);
    assert_false(mem_profiling_is_on());
    assert_words(0, 0, 0);
    assert_int_equal(allocinfo_write(STDOUT_FILENO), -ENOENT);
    assert_string_equal(fake_port_console(),
                        "tally: no memory for the accounts; nothing will be "
                        "recorded\n");
}

static void a_free_looks_once_a_block_is_recorded(void **state)
{
    struct alloc_tag tag = { "a.c", "f", NULL, 1, 0, 0, 0 };

    (void)state;
    tally_sysctl("vm.mem_profiling=0");
    tally_tag_free(tally_tag_malloc(&tag, 10));
    assert_words(0, 0, 1);
    tally_sysctl("vm.mem_profiling=1");
    tally_tag_free(tally_tag_malloc(&tag, 10));
    assert_words(1, 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_parameter_it_is_on),
        cmocka_unit_test(the_environment_is_taken),
        cmocka_unit_test(the_program_has_the_last_word),
        cmocka_unit_test(never_is_for_good),
        cmocka_unit_test(never_cannot_be_undone_before_the_first_use_either),
        cmocka_unit_test(what_does_not_parse_changes_nothing_and_is_said),
        cmocka_unit_test(at_run_time_0_and_1_are_taken),
        cmocka_unit_test(without_memory_it_is_off_and_that_is_said),
        cmocka_unit_test(a_free_looks_once_a_block_is_recorded),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
