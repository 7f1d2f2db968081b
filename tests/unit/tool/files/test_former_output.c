/* SPDX-License-Identifier: Apache-2.0 */
/* test_former_output.c - earlier output that is removed, and files that stay */
#include "tool/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void make(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);

    assert_true(fd >= 0);
    close(fd);
}

static void expect_stays(const char *path, const char *read, int why)
{
    assert_int_equal(former_output_remove(path, read), -1);
    assert_int_equal(errno, why);
    assert_int_equal(access(path, F_OK), 0);
}

static void expect_goes(const char *path)
{
    assert_int_equal(former_output_remove(path, NULL), 0);
    assert_int_equal(access(path, F_OK), -1);
}

static void files_go(void **state)
{
    (void)state;
    make("a.tally");
    expect_stays("a.tally", "a.tally", EBUSY);
    assert_int_equal(link("a.tally", "same"), 0);
    expect_stays("a.tally", "same", EBUSY);
    expect_goes("a.tally");
    expect_goes("a.tally"); /* it does not exist */
    expect_goes("same");
}

static void links_and_devices_stay(void **state)
{
    (void)state;
    make("target");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    expect_stays("link", NULL, EMEDIUMTYPE);
    expect_stays("fifo", NULL, EMEDIUMTYPE);
    expect_stays("/dev/null", NULL, EMEDIUMTYPE);
    unlink("link");
    unlink("fifo");
    expect_goes("target");
}

static void folders_of_ours_go(void **state)
{
    (void)state;
    mkdir("trace", 0700);
    make("trace/stream");
    make("trace/metadata");
    expect_goes("trace");
    mkdir("x.tally.d", 0700);
    make("x.tally.d/12-0");
    mkdir("x.tally.d/13-1", 0700);
    make("x.tally.d/13-1/stream");
    expect_goes("x.tally.d");
    mkdir("empty", 0700);
    expect_goes("empty");
}

/* Nothing in them is removed, not even Tally's own files. */
static void other_folders_stay(void **state)
{
    (void)state;
    mkdir("mine", 0700);
    make("mine/stream");
    make("mine/thesis");
    mkdir("below", 0700);
    mkdir("below/1-0", 0700);
    make("below/1-0/notes");
    make("below/2-0");
    expect_stays("mine", NULL, ENOTEMPTY);
    expect_stays("mine/stream", "mine/stream", EBUSY);
    expect_stays("below", NULL, ENOTEMPTY);
    assert_int_equal(access("below/2-0", F_OK), 0);
    unlink("mine/thesis");
    unlink("below/1-0/notes");
    assert_int_equal(symlink("/", "mine/metadata"), 0);
    expect_stays("mine", NULL, EMEDIUMTYPE);
    unlink("mine/metadata");
    expect_goes("mine");
    expect_goes("below");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_go),
        cmocka_unit_test(links_and_devices_stay),
        cmocka_unit_test(folders_of_ours_go),
        cmocka_unit_test(other_folders_stay),
    };
    char folder[] = "/tmp/tally-test-XXXXXX";
    int failed;

    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) == 0 ? failed : 1;
}
