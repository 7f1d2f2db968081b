/* SPDX-License-Identifier: Apache-2.0 */
/* test_debian_package.c - files of packages on every Debian system */
#include "tool/symbols/lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/fakes/skip.h"

static void assert_package(const char *path, const char *expected)
{
    char name[DEBIAN_PACKAGE_SIZE];

    assert_true(debian_package_find(path, name));
    assert_string_equal(name, expected);
}

static void a_file_is_found_by_either_name(void **state)
{
    (void)state;
    if (access("/var/lib/dpkg/info/coreutils.list", R_OK) != 0)
        SKIP("dpkg has no list of coreutils; run it on Debian");
    assert_package("/usr/bin/ls", "coreutils-dbgsym");
    assert_package("/bin/ls", "coreutils-dbgsym");
    assert_package("/bin/env", "coreutils-dbgsym");
    assert_package("/usr/bin/env", "coreutils-dbgsym");
}

static void other_files_are_of_no_package(void **state)
{
    char name[DEBIAN_PACKAGE_SIZE];

    (void)state;
    assert_false(debian_package_find("/nowhere/at/all", name));
    assert_false(debian_package_find("/usr/bin/l", name));
    assert_false(debian_package_find("usr/bin/ls", name));
    assert_false(debian_package_find("", name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_found_by_either_name),
        cmocka_unit_test(other_files_are_of_no_package),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
