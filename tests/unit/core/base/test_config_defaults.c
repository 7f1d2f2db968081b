/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_defaults.c - options of a build without Kconfig */
#define CONFIG_MEM_ALLOC_PROFILING n
#include "tally/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void options_have_defaults(void **state)
{
    (void)state;
    assert_int_equal(TALLY_CONFIG(CONFIG_TALLY_KCONFIG), 0);
    assert_int_equal(
        TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT), 1);
    assert_int_equal(TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_DEBUG), 0);
    assert_int_equal(TALLY_CONFIG(CONFIG_MBED_MEM_TRACING_ENABLED), 1);
    assert_int_equal(TALLY_CONFIG(CONFIG_MULTITHREADING), 1);
    assert_int_equal(TALLY_CONFIG(CONFIG_SYS_HEAP_BIG), 0);
    assert_int_equal(TALLY_CONFIG(CONFIG_ZPL_MEMORY_PROFILING), 1);
    assert_int_equal(TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_CTF), 1);
    assert_int_equal(TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT), 0);
    assert_int_equal(CONFIG_ZPL_CTF_LAYOUT, 1);
}

static void an_option_keeps_its_value(void **state)
{
    (void)state;
    assert_int_equal(TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING), 0);
}

static void parts_are_the_compilers(void **state)
{
    (void)state;
    assert_int_equal(TALLY_HAS(OS), __STDC_HOSTED__);
    assert_int_equal(TALLY_HAS(LIBC), __STDC_HOSTED__);
    assert_int_equal(TALLY_HAS(THREADS), __STDC_HOSTED__);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_defaults),
        cmocka_unit_test(an_option_keeps_its_value),
        cmocka_unit_test(parts_are_the_compilers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
