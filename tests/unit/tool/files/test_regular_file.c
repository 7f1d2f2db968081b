/* SPDX-License-Identifier: Apache-2.0 */
/* test_regular_file.c - only stored files are opened, by any name */
#include "tool/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_refused(const char *path, int flags)
{
    errno = 0;
    assert_int_equal(regular_file_open(AT_FDCWD, path, flags), -1);
    assert_int_equal(errno, EMEDIUMTYPE);
    assert_string_equal(regular_file_error(), "not a regular file");
}

static void expect_read(const char *path, int flags, const char *text)
{
    char read[16] = "";
    int fd = regular_file_open(AT_FDCWD, path, flags);

    assert_true(fd >= 0);
    assert_int_equal(regular_file_read(fd, read, strlen(text), 0), 0);
    assert_string_equal(read, text);
    close(fd);
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void files_are_opened_also_by_links(void **state)
{
    int memory = memfd_create("test", 0);
    char path[64];

    (void)state;
    write_file("file", "stored");
    assert_int_equal(symlink("file", "link"), 0);
    expect_read("file", O_RDONLY, "stored");
    expect_read("file", O_RDONLY | O_NOFOLLOW, "stored");
    expect_read("link", O_RDONLY, "stored");
    expect_refused("link", O_RDONLY | O_NOFOLLOW);
    assert_int_equal(write(memory, "memory", 6), 6);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    expect_read(path, O_RDWR, "memory");
    close(memory);
    assert_int_equal(regular_file_open(AT_FDCWD, "none", O_RDONLY), -1);
    assert_int_equal(errno, ENOENT);
}

static void nothing_else_is(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    expect_refused("fifo", O_RDONLY);
    expect_refused("folder", O_RDONLY);
    expect_refused("/dev/null", O_RDONLY);
}

/* Regular files whose reading may block, or consume data. */
static void what_the_kernel_makes_is_not(void **state)
{
    static const char *const paths[] = { "/proc/kmsg", "/proc/version",
                                         "/proc/self/mem",
                                         "/sys/kernel/vmcoreinfo" };
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (access(paths[i], F_OK) == 0) /* a container hides some */
            expect_refused(paths[i], O_RDONLY);
    }
    assert_int_equal(symlink("/proc/version", "to_kernel"), 0);
    expect_refused("to_kernel", O_RDONLY);
    regular_file_only(true);
    assert_int_equal(open("/proc/version", O_RDONLY), -1);
    regular_file_only(false);
}

static int enter_folder(void **state)
{
    static char folder[] = "/tmp/test_regular_file.XXXXXX";

    *state = mkdtemp(folder);
    return *state == NULL ? -1 : chdir(folder);
}

static int leave_folder(void **state)
{
    static const char *const names[] = { "file", "link", "fifo", "to_kernel" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    rmdir("folder");
    return rmdir(*state);
}

/* The kernel would wait for the holder, for 45 seconds. */
static void a_lease_is_not_waited_for(void **state)
{
    char path[] = "/tmp/tally-lease-XXXXXX";
    int fd = mkstemp(path), held = open(path, O_RDONLY);

    (void)state;
    close(fd);
    signal(SIGIO, SIG_IGN);
    assert_int_equal(fcntl(held, F_SETLEASE, F_RDLCK), 0);
    assert_int_equal(regular_file_open(AT_FDCWD, path, O_RDWR), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(held);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lease_is_not_waited_for),
        cmocka_unit_test(files_are_opened_also_by_links),
        cmocka_unit_test(nothing_else_is),
        cmocka_unit_test(what_the_kernel_makes_is_not),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
