/* SPDX-License-Identifier: Apache-2.0 */
/* test_fold.c - charged callers, by names of wrappers */
#include "tool/model/names/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void what_ships_knows_allocators_and_containers(void **state)
{
    static const struct {
        const char *function;
        bool is_folded;
    } cases[] = {
        { "malloc", true },
        { "xmalloc", true },
        { "my_cache_add", false },
        { "xmallocator", false },
        { "g_malloc0_n", true },
        { "operator new(unsigned long)", true },
        { "operator new", true },
        { "operator new[](unsigned long)", true },
        { "std::vector<int, std::allocator<int> >::push_back(int&&)", true },
        { "void std::vector<a b>::_M_realloc_insert<int>(int)", true },
        { "std::__cxx11::basic_string<char>::operator=(char const*)", true },
        { "serve(std::vector<int, std::allocator<int> >)", false },
        { "std_like::f(int)", false },
        { "std::string make_name(int)", false },
        { "Cache::add(int, std::string const&)", false },
        { "(anonymous namespace)::Cache::add(int)", false },
        { "Cache::operator new(unsigned long)", false },
        { "alloc::vec::Vec<T,A>::push", true },
        { "<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", true },
        { "core::Engine::start()", false },
    };
    const struct fold_rules rules = { 0 }, leaf = { .is_leaf = true };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct site_name name = { .function = cases[i].function };

        print_message("%s\n", name.function);
        assert_int_equal(fold_matches(&rules, &name), cases[i].is_folded);
        assert_false(fold_matches(&leaf, &name));
    }
}

static void a_user_hides_functions_files_lines_and_modules(void **state)
{
    static const struct site_name name = { "void list<a>::add(int)",
                                           "/src/base/list.c", 79,
                                           "/usr/lib/libbase.so.1" };
    static const struct {
        const char *glob;
        bool is_one;
    } cases[] = {
        { "list<a>::add", true },
        { "list*", true },
        { "*::add", true },
        { "add", false },
        { "list.c", true },
        { "list.c:79", true },
        { "list.c:7", false },
        { "/src/base/*", true },
        { "/src/base/list.c", true },
        { "libbase.so.1", true },
        { "libbase*", true },
        { "/usr/lib/*", true },
        { "base", false },
        { "", false },
        { "void list<a>::add(int)", true },
    };
    static const struct site_name nothing = { 0 };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct fold_rules rules = {
            .hide = { .globs = { "other", cases[i].glob }, .count = 2 }
        };

        print_message("%s\n", cases[i].glob);
        assert_int_equal(fold_matches(&rules, &name), cases[i].is_one);
        assert_int_equal(glob_list_matches(&rules.hide, &name),
                         cases[i].is_one);
        assert_false(fold_matches(&rules, &nothing));
    }
}

/* The first glob with each stem must not hide shorter or equal ones. */
static void every_glob_of_the_list_is_found(void **state)
{
    char *copy = strdup(fold_list_text), *next = copy, *line;
    unsigned count = 0;

    (void)state;
    while ((line = strsep(&next, "\n")) != NULL) {
        if (*line == '\0' || *line == '#')
            continue;
        for (char *at = line; *at != '\0'; at++) {
            if (*at == '*' || *at == '?')
                *at = '_';
        }
        print_message("%s\n", line);
        assert_true(fold_list_has(line));
        count++;
    }
    free(copy);
    assert_true(count > 100);
    assert_false(fold_list_has(""));
    assert_false(fold_list_has("~"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_glob_of_the_list_is_found),
        cmocka_unit_test(what_ships_knows_allocators_and_containers),
        cmocka_unit_test(a_user_hides_functions_files_lines_and_modules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
