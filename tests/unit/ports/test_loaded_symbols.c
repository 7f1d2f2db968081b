/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_loaded_symbols.c - the same results as dlsym(), for all names
 *
 * This program is linked with the old form of hash table, and exports its
 * symbols.
 */
#include "ports/posix/loaded_files.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *find_behind(const char *name, const void *own)
{
    void *found = NULL;
    const struct loaded_symbol symbol = { name, &found };

    loaded_symbols_find_all(&symbol, 1, own, NULL);
    return found;
}

int of_the_executable(void);

int of_the_executable(void)
{
    return 1;
}

/* Thread-local variables lie in no file. */
static bool is_in_file(const void *address)
{
    Dl_info info;

    return address == NULL || dladdr(address, &info) != 0;
}

static unsigned compare_names(const char *path)
{
    char command[4200], line[4096], name[4096];
    unsigned compared = 0;
    FILE *names;

    snprintf(command, sizeof command, "nm -D --defined-only '%s'", path);
    names = popen(command, "r");
    assert_non_null(names);
    while (fgets(line, sizeof line, names) != NULL) {
        void *expected;

        if (sscanf(line, "%*x %*c %4095[^@\n]", name) != 1)
            continue;
        expected = dlsym(RTLD_DEFAULT, name);
        /* dlsym() finds no version but the default, @@. */
        if (!is_in_file(expected) ||
            (expected == NULL && strstr(line, "@@") == NULL))
            continue;
        if (loaded_symbols_find(name) != expected)
            fail_msg("%s of %s", name, path);
        compared++;
    }
    assert_int_equal(pclose(names), 0);
    return compared;
}

static int compare_file(struct dl_phdr_info *file, size_t size, void *context)
{
    unsigned *compared = context;

    (void)size;
    if (file->dlpi_name[0] == '/')
        *compared += compare_names(file->dlpi_name);
    return 0;
}

static void all_names_lead_where_dlsym_leads(void **state)
{
    unsigned compared = 0;

    (void)state;
    dl_iterate_phdr(compare_file, &compared);
    assert_true(compared > 2000);
}

static void a_name_that_is_not_there_leads_nowhere(void **state)
{
    (void)state;
    assert_null(loaded_symbols_find("no_such_name_anywhere"));
    assert_null(loaded_symbols_find(""));
    assert_null(dlerror());
}

static void the_old_hash_table_is_read(void **state)
{
    int (*function)(void) = of_the_executable;
    void *expected;

    (void)state;
    memcpy(&expected, &function, sizeof expected);
    assert_ptr_equal(loaded_symbols_find("of_the_executable"), expected);
    assert_null(loaded_symbols_find("of_the_executable_"));
    assert_null(find_behind("of_the_executable", _DYNAMIC));
}

static void what_is_behind_a_file_is_found(void **state)
{
    void *libc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    struct link_map *file = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

    (void)state;
    assert_non_null(file);
    assert_ptr_equal(find_behind("gnu_get_libc_version", _DYNAMIC), libc);
    assert_null(find_behind("gnu_get_libc_version", file->l_ld));
    assert_null(find_behind("gnu_get_libc_version", &libc));
    dlclose(file);
}

/* Each is from the first file that defines it; others stay unchanged. */
static void many_are_found_in_one_go(void **state)
{
    static char before;
    void *slots[LOADED_SYMBOLS_LIMIT];
    struct loaded_symbol symbols[LOADED_SYMBOLS_LIMIT];

    (void)state;
    for (int i = 0; i < LOADED_SYMBOLS_LIMIT; i++) {
        slots[i] = &before;
        symbols[i] =
            (struct loaded_symbol){ "no_such_name_anywhere", &slots[i] };
    }
    symbols[0].name = "malloc";
    symbols[3].name = "of_the_executable";
    symbols[LOADED_SYMBOLS_LIMIT - 1].name = "_dl_find_object";
    loaded_symbols_find_all(symbols, LOADED_SYMBOLS_LIMIT, NULL, NULL);
    for (int i = 0; i < LOADED_SYMBOLS_LIMIT; i++) {
        void *expected = dlsym(RTLD_DEFAULT, symbols[i].name);

        assert_ptr_equal(slots[i], expected == NULL ? &before : expected);
    }
    dlerror();
}

static bool is_libc(const char *path)
{
    return strstr(path, "/libc.so.6") != NULL;
}

static bool is_executable(const char *path)
{
    return path[0] == '\0';
}

static void only_wanted_files_are_looked_at(void **state)
{
    (void)state;
    assert_ptr_equal(loaded_symbols_among("gnu_get_libc_version", is_libc),
                     dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
    assert_null(loaded_symbols_among("gnu_get_libc_version", is_executable));
    assert_null(loaded_symbols_among("of_the_executable", is_libc));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_names_lead_where_dlsym_leads),
        cmocka_unit_test(a_name_that_is_not_there_leads_nowhere),
        cmocka_unit_test(the_old_hash_table_is_read),
        cmocka_unit_test(what_is_behind_a_file_is_found),
        cmocka_unit_test(many_are_found_in_one_go),
        cmocka_unit_test(only_wanted_files_are_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
