/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_file.c - ledgers on disk: whole, sparse, under a free name */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/segments_layout.h"
#include "tool/session/images/images.h"

enum { PAGES = 5 };

static unsigned char bytes[PAGES * LEDGER_PAGE];
static const struct ledger_snapshot snapshot = {
    .bytes = bytes,
    .size = sizeof bytes,
    .fd = -1,
};
static char folder[] = "/tmp/tally-ledger-file-XXXXXX";

static int enter(void **state)
{
    (void)state;
    memset(bytes + LEDGER_PAGE, 7, 2 * LEDGER_PAGE); /* of five the middle */
    return mkdtemp(folder) == NULL ? -1 : chdir(folder);
}

static int leave(void **state)
{
    (void)state;
    return system("rm -rf \"$PWD\"");
}

static void expect_content(const char *path)
{
    unsigned char found[sizeof bytes + 1];
    int fd = open(path, O_RDONLY);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, found, sizeof found), sizeof bytes);
    assert_memory_equal(found, bytes, sizeof bytes);
    close(fd);
}

static size_t count_files(void)
{
    DIR *here = opendir(".");
    size_t count = 0;

    while (readdir(here) != NULL)
        count++;
    closedir(here);
    return count - 2;
}

static void it_has_holes_where_there_is_nothing(void **state)
{
    char written[PATH_MAX];
    struct stat status;

    (void)state;
    assert_int_equal(ledger_file_write(&snapshot, "a", 0, written), 0);
    assert_string_equal(written, "a");
    expect_content("a");
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_size, sizeof bytes);
    assert_true(status.st_blocks * 512 <= 2 * LEDGER_PAGE);
}

static void nothing_is_overwritten(void **state)
{
    char written[PATH_MAX];

    (void)state;
    assert_int_equal(ledger_file_write(&snapshot, "b", 0, written), 0);
    assert_int_equal(ledger_file_write(&snapshot, "b", 0, written), 0);
    assert_string_equal(written, "b.1");
    assert_int_equal(mkdir("b.3", 0700), 0);
    assert_int_equal(ledger_file_write(&snapshot, "b", 2, written), 0);
    assert_string_equal(written, "b.2");
    assert_int_equal(ledger_file_write(&snapshot, "b", 2, written), 0);
    assert_string_equal(written, "b.4");
    expect_content("b.4");
}

static void what_fails_leaves_nothing(void **state)
{
    char written[PATH_MAX], path[PATH_MAX];
    size_t before = count_files();

    (void)state;
    assert_int_equal(ledger_file_write(&snapshot, "no/c", 0, written), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(ledger_file_write(&snapshot, "", 0, written), -1);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(ledger_file_write(&snapshot, path, 0, written), -1);
    assert_int_equal(errno, ENAMETOOLONG);
    assert_int_equal(count_files(), before);
}

static void it_is_named_after_the_program(void **state)
{
    char path[PATH_MAX];

    (void)state;
    ledger_file_name("", "/usr/bin/server", 42, path);
    assert_string_equal(path, "server.42.tally");
    ledger_file_choose(path);
    assert_string_equal(path, "server.42.tally");
    assert_int_equal(mkdir("server.42.tally.d", 0700), 0);
    ledger_file_choose(path);
    assert_string_equal(path, "server.42.tally.1");
    ledger_file_name("logs/", "server", 42, path);
    assert_string_equal(path, "logs/server.42.tally");
}

static void a_folder_is_what_is_before_the_name(void **state)
{
    char found[PATH_MAX];

    (void)state;
    ledger_file_folder("x", found);
    assert_string_equal(found, ".");
    ledger_file_folder("/x", found);
    assert_string_equal(found, "/");
    ledger_file_folder("a/b/x", found);
    assert_string_equal(found, "a/b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_holes_where_there_is_nothing),
        cmocka_unit_test(nothing_is_overwritten),
        cmocka_unit_test(what_fails_leaves_nothing),
        cmocka_unit_test(it_is_named_after_the_program),
        cmocka_unit_test(a_folder_is_what_is_before_the_name),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
