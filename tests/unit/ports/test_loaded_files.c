/* SPDX-License-Identifier: Apache-2.0 */
#include "ports/posix/loaded_files.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int open_files(void **state)
{
    (void)state;
    loaded_files_open();
    return 0;
}

/* The table of call frame information lies in a readable segment. */
static void require_table(uintptr_t code)
{
    struct loaded_file file;
    uintptr_t start = 0, end = 0;

    assert_true(loaded_files_find(code, &file));
    assert_true(code >= file.start && code < file.end);
    assert_int_not_equal(file.eh_frame_header, 0);
    assert_true(
        loaded_files_segment(&file, file.eh_frame_header, &start, &end));
    assert_true(start <= file.eh_frame_header && file.eh_frame_header < end);
    assert_int_equal(*(const unsigned char *)file.eh_frame_header, 1);
}

static void the_executable_has_a_table(void **state)
{
    (void)state;
    require_table((uintptr_t)require_table);
}

static void a_library_has_a_table(void **state)
{
    (void)state;
    require_table((uintptr_t)_r_debug.r_brk); /* in the loader */
}

static void the_executable_has_no_name(void **state)
{
    struct loaded_file file;

    (void)state;
    assert_true(loaded_files_find((uintptr_t)require_table, &file));
    assert_string_equal(file.name, "");
}

static void a_stack_is_in_no_file(void **state)
{
    struct loaded_file file;

    (void)state;
    assert_false(loaded_files_find((uintptr_t)&file, &file));
}

static void what_is_in_no_segment_cannot_be_read(void **state)
{
    struct loaded_file file;
    uintptr_t start = 0, end = 0;

    (void)state;
    assert_true(loaded_files_find((uintptr_t)require_table, &file));
    assert_false(loaded_files_segment(&file, 0, &start, &end));
    assert_false(loaded_files_segment(&file, UINTPTR_MAX, &start, &end));
    assert_int_equal(start, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_executable_has_a_table),
        cmocka_unit_test(a_library_has_a_table),
        cmocka_unit_test(the_executable_has_no_name),
        cmocka_unit_test(a_stack_is_in_no_file),
        cmocka_unit_test(what_is_in_no_segment_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, open_files, NULL);
}
