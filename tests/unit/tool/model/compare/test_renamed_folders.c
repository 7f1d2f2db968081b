/* SPDX-License-Identifier: Apache-2.0 */
/* test_renamed_folders.c - which files are the same in another folder */
#include "tool/model/compare/renamed_folders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct allocinfo_row row(const char *file, const char *function)
{
    return (struct allocinfo_row){ .file = { file, strlen(file) },
                                   .function = { function, strlen(function) },
                                   .module = { "", 0 } };
}

static void the_only_one_of_its_name_has_moved(void **state)
{
    struct allocinfo_row before[] = {
        row("one/a.c", "f"),  row("one/a.c", "f"),  row("one/a.c", "g"),
        row("same/b.c", "f"), row("x/u.c", "init"), row("y/u.c", "init"),
    };
    const struct allocinfo_row after[] = {
        row("two/a.c", "f"),
        row("same/b.c", "f"),
        row("two/a.c", "h"),
        row("z/u.c", "init"),
    };
    static const char *const expected[] = { "two/a.c",  "two/a.c", "one/a.c",
                                            "same/b.c", "x/u.c",   "y/u.c" };

    (void)state;
    renamed_folders_match(before, 6, after, 4);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(before[i].file.bytes, expected[i]);
}

static void one_of_two_has_moved(void **state)
{
    struct allocinfo_row before[] = { row("a/u.c", "init"),
                                      row("b/u.c", "init") };
    const struct allocinfo_row after[] = { row("a/u.c", "init"),
                                           row("c/u.c", "init") };

    (void)state;
    renamed_folders_match(before, 2, after, 2);
    assert_string_equal(before[0].file.bytes, "a/u.c");
    assert_string_equal(before[1].file.bytes, "c/u.c");
    renamed_folders_match(before, 0, after, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_only_one_of_its_name_has_moved),
        cmocka_unit_test(one_of_two_has_moved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
