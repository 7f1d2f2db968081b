/* SPDX-License-Identifier: Apache-2.0 */
/* test_load.c - into which file of a program the recorder is written */
#include "tool/attach/attach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int make(void)
{
    int fd = memfd_create("copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    assert_true(fd >= 0);
    return fd;
}

static void an_empty_memfd_of_the_user_is_fresh(void **state)
{
    int fd = make();

    (void)state;
    assert_true(load_is_fresh(fd, getuid()));
    assert_int_equal(write(fd, "x", 1), 1);
    assert_false(load_is_fresh(fd, getuid()));
    close(fd);
    fd = make();
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
    assert_false(load_is_fresh(fd, getuid()));
    close(fd);
}

static void a_memfd_of_another_user_is_not(void **state)
{
    int fd = make();

    (void)state;
    assert_false(load_is_fresh(fd, getuid() + 1));
    if (geteuid() == 0) {
        assert_int_equal(fchown(fd, 65534, 65534), 0);
        assert_false(load_is_fresh(fd, 0));
        assert_true(load_is_fresh(fd, 65534));
    }
    close(fd);
}

static void a_file_on_disk_is_not(void **state)
{
    FILE *file = tmpfile();

    (void)state;
    assert_non_null(file);
    assert_false(load_is_fresh(fileno(file), getuid()));
    assert_false(load_is_fresh(-1, getuid()));
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_memfd_of_the_user_is_fresh),
        cmocka_unit_test(a_memfd_of_another_user_is_not),
        cmocka_unit_test(a_file_on_disk_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
