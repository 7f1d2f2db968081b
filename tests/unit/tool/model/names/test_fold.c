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
        { "retain_store_strdup", true },
        { "make_node", false },
        { "g_malloc0_n", true },
        { "operator new", true },
        { "operator new[]", true },
        { "std::vector<>::push_back", true },
        { "std_like::f", false },
        { "Cache::operator new", true },
        { "alloc::vec::Vec<T,A>::push", true },
        { "core::Engine::start", false },
        { "start_thread", false },
    };
    const struct fold_rules rules = { 0 }, leaf = { .is_leaf = true };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct site_name name = { .function = "WHOLE",
                                        .short_name = cases[i].function };

        print_message("%s\n", cases[i].function);
        assert_int_equal(fold_of(&rules, &name),
                         cases[i].is_folded ? FOLD_RULE : FOLD_NOT);
        assert_int_equal(fold_of(&leaf, &name), FOLD_NOT);
    }
}

static void code_of_the_language_is_folded_wherever_it_is(void **state)
{
    static const struct {
        struct site_name name;
        enum fold fold;
    } cases[] = {
        { { .function = "<str>::repeat", .is_standard = true }, FOLD_RULE },
        { { .function = "take", .file = "/usr/include/c++/12/bits/deque.tcc" },
          FOLD_RULE },
        { { .function = "f",
            .file = "/rustc/59807616e1fa/library/alloc/src/slice.rs" },
          FOLD_RULE },
        { { .function = "cgocall",
            .file = "/usr/lib/go-1.19/src/runtime/cgocall.go" },
          FOLD_RULE },
        { { .function = "f", .file = "/home/me/c++/main.cc" }, FOLD_NOT },
        { { .function = "f", .file = "/home/me/library/alloc/src/slice.rs" },
          FOLD_NOT },
        { { .module = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6" }, FOLD_RULE },
        { { .module = "/opt/lib/libgo.so.21" }, FOLD_RULE },
        { { .module = "/opt/lib/libgood.so.21" }, FOLD_NOT },
        { { .function = "start_thread", .module = "/lib/libc.so.6" },
          FOLD_START },
        { { .function = "call_init", .module = "/lib/ld-linux-x86-64.so.2" },
          FOLD_START },
        { { .function = "scandir", .module = "/lib/libc.so.6" }, FOLD_RULE },
        { { .function = "scandir", .module = "/lib/libcdt.so.5" }, FOLD_NOT },
        { { .function = "clone_list", .module = "/opt/bin/a.out" }, FOLD_NOT },
    };
    const struct fold_rules rules = { 0 };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("%u\n", i);
        assert_int_equal(fold_of(&rules, &cases[i].name), cases[i].fold);
    }
}

static void a_user_hides_functions_files_lines_and_modules(void **state)
{
    static const struct site_name name = { .function = "void list<a>::add(int)",
                                           .short_name = "list<a>::add",
                                           .file = "/src/base/list.c",
                                           .line = 79,
                                           .module = "/usr/lib/libbase.so.1" };
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
        assert_int_equal(fold_of(&rules, &name),
                         cases[i].is_one ? FOLD_RULE : FOLD_NOT);
        assert_int_equal(glob_list_matches(&rules.hide, &name),
                         cases[i].is_one);
        assert_int_equal(fold_of(&rules, &nothing), FOLD_NOT);
    }
}

/* A common name is listed with its arguments. */
static void arguments_tell_functions_apart(void **state)
{
    const struct fold_rules rules = { 0 };
    const struct site_name gcc = { .function = "make_node(tree_code)",
                                   .short_name = "make_node" };
    const struct site_name own = { .function = "make_node(int)",
                                   .short_name = "make_node" };

    (void)state;
    assert_int_equal(fold_of(&rules, &gcc), FOLD_RULE);
    assert_int_equal(fold_of(&rules, &own), FOLD_NOT);
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
        cmocka_unit_test(arguments_tell_functions_apart),
        cmocka_unit_test(every_glob_of_the_list_is_found),
        cmocka_unit_test(what_ships_knows_allocators_and_containers),
        cmocka_unit_test(code_of_the_language_is_folded_wherever_it_is),
        cmocka_unit_test(a_user_hides_functions_files_lines_and_modules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
