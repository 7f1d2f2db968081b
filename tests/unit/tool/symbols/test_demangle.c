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

static void assert_short(const char *name, const char *expected,
                         bool is_standard)
{
    struct function_name made =
        demangle_function(name, DEMANGLE_WITH_ARGUMENTS);

    print_message("%s\n", made.whole);
    assert_string_equal(made.short_name == NULL ? made.whole : made.short_name,
                        expected);
    assert_int_equal(made.is_standard, is_standard);
    free(made.whole);
    free(made.short_name);
}

static void short_names_lack_types_and_arguments_of_libraries(void **state)
{
    (void)state;
    assert_short("_ZNSt6vectorIiSaIiEE9push_backEOi",
                 "std::vector<>::push_back", true);
    assert_short("_ZNSsaSEPKc", "std::string::operator=", true);
    assert_short("_ZN9__gnu_cxx13new_allocatorIcE8allocateEmPKv",
                 "__gnu_cxx::new_allocator<>::allocate", true);
    assert_short("_ZN5boost3any4swapIiEEvRi", "boost::any::swap<>", false);
    assert_short("_ZN5QListI7QStringE6appendERKS0_", "QList<>::append", false);
    assert_short("_ZN4PoolI5BlockSt6vectorIiSaIiEEE3getEv",
                 "Pool<Block, std::vector<> >::get", false);
    assert_short("_Z8declaredIiEDTcvSt6vectorIT_SaIS1_EEfp_ES1_",
                 "declared<int>", false);
}

static void short_names_keep_what_only_looks_like_arguments(void **state)
{
    (void)state;
    assert_short("_ZN12_GLOBAL__N_16HiddenclEi",
                 "(anonymous namespace)::Hidden::operator()", false);
    assert_short("_ZNK1AltERKS_", "A::operator<", false);
    assert_short("_ZNK1AlsIiEEvi", "A::operator<< <int>", false);
    assert_short("_ZN1AptEv", "A::operator->", false);
    assert_short("_ZNK1AcvSt6vectorIiSaIiEEEv", "A::operator std::vector<>",
                 false);
    assert_short("_ZNK1AcvPFviEEv", "A::operator void (*)(int)", false);
    assert_short("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()",
                 false);
    assert_short(
        "_ZZZN1F3runEiENKUliE_clEiENKUlvE_clEv",
        "F::run::{lambda(int)#1}::operator()::{lambda()#1}::operator()", false);
    assert_short("_ZNSt17_Function_handlerIFviEZ4mainEUliE_E9_M_invokeERKSt9_"
                 "Any_dataOi",
                 "std::_Function_handler<>::_M_invoke", true);
    assert_short("_ZThn8_N1B1fEv", "B::f", false);
    assert_short("_Z3fooB5cxx11v.cold", "foo", false);
}

static void rust_belongs_to_its_library_if_its_crate_does(void **state)
{
    (void)state;
    assert_short("_RNvMNtCs1_5alloc3stre6repeat", "<str>::repeat", true);
    assert_short("_RNvMNtCs1_5alloc5sliceSh6to_vec", "<[u8]>::to_vec", true);
    assert_short("_RNvXs_NtCs1_5alloc6stringNtB4_6StringNtNtCs2_4core3fmt5Write"
                 "9write_str",
                 "<alloc::string::String as core::fmt::Write>::write_str",
                 true);
    assert_short("_RNvXs_Cs1_4leakNtB4_5CacheNtB4_5Store4keep",
                 "<leak::Cache as leak::Store>::keep", false);
    assert_short("_RNvXs_Cs1_4leakNtNtCs2_5alloc6string6StringNtB4_5Store4keep",
                 "<alloc::string::String as leak::Store>::keep", false);
    assert_short("_RNvXs_Cs1_4leakNtB4_5CacheNtNtCs2_4core5clone5Clone5clone",
                 "<leak::Cache as core::clone::Clone>::clone", false);
    assert_short("_RNvCs1_4leak4main", "leak::main", false);
    assert_short("_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$"
                 "4into17h0123456789abcdefE",
                 "<T as core::convert::Into<U>>::into", true);
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

/* Append A<A<...>, A<...> >, each level once. `number` is the substitution of
   the innermost one. */
static void add_doubled(char *name, unsigned levels, unsigned number)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char *end = name + strlen(name);

    for (unsigned i = 0; i < levels; i++)
        end = stpcpy(end, i == 0 ? "1AI" : number == 1 ? "S_I" : "S0_I");
    end = stpcpy(end, "iiE");
    for (unsigned i = 0; i + 1 < levels; i++, number++)
        end += sprintf(end, "S%c_E", digits[number - 1]);
}

/* Each name has 2^30 types or as many steps of the parser. */
static void a_name_that_doubles_is_kept_or_shown_in_short(void **state)
{
    char name[4096] = "_Z1f";

    (void)state;
    add_doubled(name, 30, 1);
    assert_demangled(name, DEMANGLE_WITH_ARGUMENTS, name);
    assert_short(name, "f", false);
    strcpy(name, "_ZN1BI");
    add_doubled(name, 30, 2);
    strcat(name, "E1fEv");
    assert_short(name, name, false);
    strcpy(name, "_ZNSt6vectorI");
    add_doubled(name, 30, 2);
    strcat(name, "SaIiEE1fEv");
    assert_short(name, "std::vector<>::f", true);
    strcpy(name, "_Z1fIJiEEvDp");
    add_doubled(name, 30, 2);
    assert_short(name, "f<int>", false);
    strcpy(name, "_ZN1Bcv");
    for (unsigned i = 0; i < 60; i++)
        strcat(name, "T_Icv");
    strcat(name, "i");
    for (unsigned i = 0; i < 60; i++)
        strcat(name, "E");
    strcat(name, "Ev");
    assert_short(name, name, false);
}

/* Append arguments of Rust, each of which is a pair of the last one. */
static void add_doubled_of_rust(char *name, unsigned levels)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t last = strlen(name), next;
    char reference[8];

    strcat(name, "TuuE");
    for (unsigned i = 1; i < levels; i++, last = next) {
        next = strlen(name);
        last -= strlen("_R") + 1;
        if (last < 62)
            sprintf(reference, "B%c_", digits[last]);
        else
            sprintf(reference, "B%c%c_", digits[last / 62], digits[last % 62]);
        sprintf(name + next, "T%s%sE", reference, reference);
    }
    strcat(name, "E");
}

/* Few nodes, printed often. */
static void a_text_that_is_too_long_is_not_shown(void **state)
{
    char name[4096] = "_Z1fI";

    (void)state;
    add_doubled(name, 2, 2);
    strcat(name, "EvT_");
    assert_short(name, "f<A<A<int, int>, A<int, int> > >", false);
    strcpy(name, "_Z1fI");
    add_doubled(name, 8, 2);
    strcat(name, "EvT_");
    for (unsigned i = 0; i < 1000; i++)
        strcat(name, "T_");
    assert_demangled(name, DEMANGLE_WITH_ARGUMENTS, name);
    strcpy(name, "_RINvC1a1f");
    add_doubled_of_rust(name, 3);
    assert_demangled(name, DEMANGLE_WITH_ARGUMENTS,
                     "a::f::<((), ()), (((), ()), ((), ())), "
                     "((((), ()), ((), ())), (((), ()), ((), ())))>");
    strcpy(name, "_RINvC1a1f");
    add_doubled_of_rust(name, 40);
    assert_demangled(name, DEMANGLE_WITH_ARGUMENTS, name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cplusplus_names_have_arguments_if_wanted),
        cmocka_unit_test(short_names_lack_types_and_arguments_of_libraries),
        cmocka_unit_test(short_names_keep_what_only_looks_like_arguments),
        cmocka_unit_test(rust_belongs_to_its_library_if_its_crate_does),
        cmocka_unit_test(names_of_rust_are_as_written),
        cmocka_unit_test(other_names_are_kept),
        cmocka_unit_test(a_symbol_version_is_dropped),
        cmocka_unit_test(an_endless_name_is_kept_as_it_is),
        cmocka_unit_test(a_name_that_doubles_is_kept_or_shown_in_short),
        cmocka_unit_test(a_text_that_is_too_long_is_not_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
