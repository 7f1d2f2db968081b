/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cpu_capacity.c - quotas of control groups, in folders that imitate them
 */
#include "tool/session/session.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/tally-cpu-capacity-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int make_root(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    make_folder("a");
    make_folder("a/b");
    make_folder("v1");
    return 0;
}

static int remove_root(void **state)
{
    static const char *const names[] = {
        "a/b/cpu.max",
        "a/cpu.max",
        "v1/cpu.cfs_quota_us",
        "v1/cpu.cfs_period_us",
        "a/b",
        "a",
        "v1",
        "",
    };
    char path[256];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        assert_int_equal(remove(path), 0);
    }
    return 0;
}

static void the_least_quota_up_to_the_root_counts(void **state)
{
    (void)state;
    write_file("a/cpu.max", "max 100000\n");
    write_file("a/b/cpu.max", "250000 100000\n");
    assert_int_equal(cpu_capacity_of_group(root, "/a/b", 8000), 2500);
    assert_int_equal(cpu_capacity_of_group(root, "/a/b", 2000), 2000);
    assert_int_equal(cpu_capacity_of_group(root, "/a", 8000), 8000);
    write_file("a/cpu.max", "50000 100000\n");
    assert_int_equal(cpu_capacity_of_group(root, "/a/b", 8000), 500);
    assert_int_equal(cpu_capacity_of_group(root, "/a/b/gone", 8000), 500);
    assert_int_equal(cpu_capacity_of_group(root, "/", 8000), 8000);
    assert_int_equal(cpu_capacity_of_group(root, "", 8000), 8000);
}

static void version_1_has_two_files(void **state)
{
    (void)state;
    write_file("v1/cpu.cfs_quota_us", "-1\n");
    write_file("v1/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cpu_capacity_of_group(root, "/v1", 4000), 4000);
    write_file("v1/cpu.cfs_quota_us", "20000\n");
    assert_int_equal(cpu_capacity_of_group(root, "/v1", 4000), 200);
}

static void nonsense_is_no_quota(void **state)
{
    static const char *const texts[] = { "",       "x y\n",     "5\n",
                                         "1 0\n",  "0 0\n",     "-5 100\n",
                                         "5 -1\n", "0 100000\n" };

    (void)state;
    write_file("a/cpu.max", "max 100000\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file("a/b/cpu.max", texts[i]);
        assert_int_equal(cpu_capacity_of_group(root, "/a/b", 3000), 3000);
    }
    write_file("a/b/cpu.max", "1 100000\n");
    assert_int_equal(cpu_capacity_of_group(root, "/a/b", 3000), 1);
}

static void affinity_counts(void **state)
{
    cpu_set_t before, one;
    int cpu = sched_getcpu();

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_in_range(cpu_capacity(getpid()), 1, CPU_COUNT(&before) * 1000);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_in_range(cpu_capacity(getpid()), 1, 1000);
    sched_setaffinity(0, sizeof before, &before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_quota_up_to_the_root_counts),
        cmocka_unit_test(version_1_has_two_files),
        cmocka_unit_test(nonsense_is_no_quota),
        cmocka_unit_test(affinity_counts),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
