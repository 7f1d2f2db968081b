/* SPDX-License-Identifier: Apache-2.0 */
/* test_demangle.c - linker names become source names */
#include "tool/symbols/lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_demangled(const char *name,
                             enum demangle_arguments arguments,
                             const char *expected)
{
    char *demangled = demangle(name, arguments);

    assert_string_equal(demangled, expected);
    free(demangled);
}

static void cplusplus_names_have_arguments_if_wanted(void **state)
{
    (void)state;
    assert_demangled("_ZN3foo3barEiPKc", DEMANGLE_WITH_ARGUMENTS,
                     "foo::bar(int, char const*)");
    assert_demangled("_ZN3foo3barEiPKc", DEMANGLE_WITHOUT_ARGUMENTS,
                     "foo::bar");
    assert_demangled("_Znwm", DEMANGLE_WITHOUT_ARGUMENTS, "operator new");
}

/* For both schemes; hashes of crate versions are dropped. */
static void names_of_rust_are_as_written(void **state)
{
    (void)state;
    assert_demangled("_ZN5alloc3vec12Vec$LT$T$GT$4push17h0123456789abcdefE",
                     DEMANGLE_WITH_ARGUMENTS, "alloc::vec::Vec<T>::push");
    assert_demangled("_RNvCskwGfYPst2Cb_7example3foo", DEMANGLE_WITH_ARGUMENTS,
                     "example::foo");
    assert_demangled("_RNvMs_NtCs4_7example3vecINtB4_6BufferlE4grow",
                     DEMANGLE_WITHOUT_ARGUMENTS,
                     "<example::vec::Buffer<i32>>::grow");
    assert_demangled("_Rwrong", DEMANGLE_WITH_ARGUMENTS, "_Rwrong");
}

static void other_names_are_kept(void **state)
{
    (void)state;
    assert_demangled("main", DEMANGLE_WITH_ARGUMENTS, "main");
    assert_demangled("_Zwrong!", DEMANGLE_WITH_ARGUMENTS, "_Zwrong!");
    assert_demangled("system__os_lib", DEMANGLE_WITH_ARGUMENTS,
                     "system__os_lib"); /* Ada's, if schemes were guessed */
    assert_demangled("", DEMANGLE_WITH_ARGUMENTS, "");
}

static void a_symbol_version_is_dropped(void **state)
{
    (void)state;
    assert_demangled("memcpy@@GLIBC_2.14", DEMANGLE_WITH_ARGUMENTS, "memcpy");
}

static void an_endless_name_is_kept_as_it_is(void **state)
{
    char name[20001];

    (void)state;
    memset(name, 'P', sizeof name - 1);
    memcpy(name, "_Z1f", 4);
    name[20000] = '\0';
    assert_demangled(name, DEMANGLE_WITH_ARGUMENTS, name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cplusplus_names_have_arguments_if_wanted),
        cmocka_unit_test(names_of_rust_are_as_written),
        cmocka_unit_test(other_names_are_kept),
        cmocka_unit_test(a_symbol_version_is_dropped),
        cmocka_unit_test(an_endless_name_is_kept_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
