/* SPDX-License-Identifier: Apache-2.0 */
/* test_smaps.c - entries as printed by Linux 6.1 and others, and damaged
   ones */
#include "tool/session/find/process_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct smaps_entry entries[8];

/* Return the number of entries in `text`; store the first 8 in `entries`. */
static size_t read_text(const char *text)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    struct smaps smaps = { .file = file };
    struct smaps_entry entry;
    size_t count = 0;

    assert_non_null(file);
    while (smaps_next(&smaps, &entry)) {
        if (count < sizeof entries / sizeof entries[0])
            entries[count] = entry;
        count++;
    }
    smaps_end(&smaps);
    return count;
}

static void an_entry_has_place_access_and_amount(void **state)
{
    (void)state;
    assert_int_equal(
        read_text("5641d1cb9000-5641d1cba000 r--p 00001000 fe:00 10957680"
                  "                   /tmp/a b\n"
                  "Size:                  4 kB\n"
                  "Rss:                   4 kB\n"
                  "Pss:                   1 kB\n"
                  "VmFlags: rd mr mw me \n"
                  "7ffc9a9d1000-7ffc9a9f2000 rw-p 00000000 00:00 0"
                  "                          [stack]\n"
                  "Rss:                 132 kB\n"
                  "VmFlags: rd wr mr mw me gd ac \n"),
        2);
    assert_int_equal(entries[0].start, 0x5641d1cb9000);
    assert_int_equal(entries[0].end, 0x5641d1cba000);
    assert_string_equal(entries[0].access, "r--p");
    assert_int_equal(entries[0].offset, 0x1000);
    assert_int_equal(entries[0].inode, 10957680);
    assert_string_equal(entries[0].path, "/tmp/a b");
    assert_int_equal(entries[0].resident, 4096);
    assert_int_equal(entries[0].flags, 0);
    assert_string_equal(entries[1].path, "[stack]");
    assert_int_equal(entries[1].resident, 132 * 1024);
}

static void flags_are_told_by_name(void **state)
{
    (void)state;
    assert_int_equal(read_text("1000-3000 rw-p 00000000 00:00 0 \n"
                               "VmFlags: rd wr nr dd nh \n"
                               "3000-4000 ---p 00000000 00:00 0 \n"
                               "VmFlags: mr nh sd\n"),
                     2);
    assert_int_equal(entries[0].flags,
                     SMAPS_NO_RESERVE | SMAPS_NOT_DUMPED | SMAPS_NO_HUGE_PAGES);
    assert_string_equal(entries[0].path, "");
    assert_int_equal(entries[1].flags, SMAPS_NO_HUGE_PAGES);
}

static void maps_have_entries_alone(void **state)
{
    (void)state;
    assert_int_equal(
        read_text("1000-3000 rw-s 00200000 00:01 77  /memfd:tally (deleted)\n"
                  "3000-4000 ---p 00000000 00:00 0 \n"
                  "5000-9000 r-xp 00003000 fe:00 8  /usr/bin/cat\n"),
        3);
    assert_int_equal(entries[0].offset, 0x200000);
    assert_int_equal(entries[0].inode, 77);
    assert_string_equal(entries[0].path, "/memfd:tally (deleted)");
    assert_int_equal(entries[1].end, 0x4000);
    assert_string_equal(entries[2].path, "/usr/bin/cat");
    assert_int_equal(entries[2].resident, 0);
}

static void no_entry_has_more_than_its_size(void **state)
{
    (void)state;
    assert_int_equal(read_text("1000-3000 rw-p 0 0:0 0\nRss: 12 kB\n"), 1);
    assert_int_equal(entries[0].resident, 0);
}

static void of_a_long_path_the_end_is_kept(void **state)
{
    char text[2000] = "1000-2000 r--p 0 0:0 7 /";

    (void)state;
    memset(text + strlen(text), 'x', 1000);
    strcat(text, "/end\n");
    assert_int_equal(read_text(text), 1);
    assert_int_equal(strlen(entries[0].path), SMAPS_PATH_CAPACITY - 1);
    assert_string_equal(entries[0].path + SMAPS_PATH_CAPACITY - 5, "/end");
}

static void what_is_no_entry_is_passed_over(void **state)
{
    (void)state;
    assert_int_equal(read_text("Rss: 4 kB\n"), 0);
    assert_int_equal(read_text("garbage\n\n3000-1000 rw-p 0 0:0 0\n"), 0);
    assert_int_equal(read_text("1000-2000 rw-p 0 0:0 0\nNew: thing\n\n"
                               "3000-4000 rw-p 0 0:0 0"),
                     2);
}

static void a_mapping_that_grows_is_one(void **state)
{
    (void)state;
    assert_int_equal(read_text("1000-3000 rw-p 0 0:0 0 [heap]\nRss: 8 kB\n"
                               "1000-4000 rw-p 0 0:0 0 [heap]\nRss: 12 kB\n"
                               "1000-5000 rw-p 0 0:0 0 [heap]\nRss: 16 kB\n"
                               "5000-6000 r--p 0 0:0 0\nRss: 4 kB\n"),
                     2);
    assert_int_equal(entries[0].end, 0x5000);
    assert_int_equal(entries[0].resident, 16 * 1024);
    assert_int_equal(entries[1].start, 0x5000);
    assert_int_equal(entries[1].resident, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_has_place_access_and_amount),
        cmocka_unit_test(flags_are_told_by_name),
        cmocka_unit_test(maps_have_entries_alone),
        cmocka_unit_test(no_entry_has_more_than_its_size),
        cmocka_unit_test(of_a_long_path_the_end_is_kept),
        cmocka_unit_test(what_is_no_entry_is_passed_over),
        cmocka_unit_test(a_mapping_that_grows_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
