/* SPDX-License-Identifier: Apache-2.0 */
/* test_config.c - options as Kconfig defines them: only those that are y */
#define CONFIG_TALLY_KCONFIG        1
#define CONFIG_ZPL_MEMORY_PROFILING 1
#define CONFIG_MEM_ALLOC_PROFILING  y
#define CONFIG_ZPL_TRACE_FORMAT_CTF n
#define CONFIG_MBED_MEM_TRACING_ENABLED
#define CONFIG_ZPL_CTF_LAYOUT 2
#include "tally/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A host's libc defines 1 here. */
_Static_assert(__STDC_HOSTED__ == 1, "");
#if TALLY_HAS(OS) || TALLY_HAS(LIBC) || TALLY_HAS(THREADS)
#error "a kernel's build has none of a host's parts"
#endif
#if TALLY_CONFIG(CONFIG_SYS_HEAP_BIG) || !TALLY_CONFIG(CONFIG_TALLY_KCONFIG)
#error "options differ in #if"
#endif

static void an_undefined_option_is_n(void **state)
{
    (void)state;
    assert_int_equal(TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_DEBUG), 0);
    assert_int_equal(
        TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT), 0);
    assert_int_equal(TALLY_CONFIG(CONFIG_MULTITHREADING), 0);
    assert_int_equal(TALLY_CONFIG(CONFIG_SYS_HEAP_BIG), 0);
    assert_int_equal(TALLY_CONFIG(CONFIG_TALLY_THREADS), 0);
    assert_int_equal(TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT), 0);
}

static void a_defined_option_has_its_value(void **state)
{
    (void)state;
    assert_int_equal(TALLY_CONFIG(CONFIG_ZPL_MEMORY_PROFILING), 1);
    assert_int_equal(TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING), 1);
    assert_int_equal(TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_CTF), 0);
    assert_int_equal(TALLY_CONFIG(CONFIG_MBED_MEM_TRACING_ENABLED), 1);
}

static void numbers_have_defaults(void **state)
{
    (void)state;
    assert_int_equal(CONFIG_ZPL_CTF_LAYOUT, 2);
    assert_int_equal(CONFIG_ZPL_MEMORY_PROFILING_INTERVAL, 1000);
    assert_int_equal(CONFIG_ZPL_MEMORY_PROFILING_THREAD_STACK_SIZE, 512);
    assert_int_equal(CONFIG_ZPL_MEMORY_PROFILING_THREAD_PRIORITY, 5);
    assert_int_equal(CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_undefined_option_is_n),
        cmocka_unit_test(a_defined_option_has_its_value),
        cmocka_unit_test(numbers_have_defaults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
