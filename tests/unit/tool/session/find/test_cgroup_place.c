/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cgroup_place.c - valid files of /proc, of both versions, and invalid
 * ones
 */
#include "tool/session/find/process_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct cgroup_place place;

static bool find(const char *cgroup, const char *mounts)
{
    FILE *first = fmemopen((void *)(uintptr_t)cgroup, strlen(cgroup), "r");
    FILE *second = fmemopen((void *)(uintptr_t)mounts, strlen(mounts), "r");
    bool is_found = cgroup_place_find(first, second, &place);

    fclose(first);
    fclose(second);
    return is_found;
}

#define V1_MOUNT                                                        \
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw\n"        \
    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"       \
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup " \
    "cgroup rw,memory\n"
#define V2_MOUNT                                                        \
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 " \
    "rw,nsdelegate,memory_recursiveprot\n"

static void the_first_version_is_found(void **state)
{
    (void)state;
    assert_true(find("9:name=systemd:/x\n4:cpu,memory:/a/b\n0::/c\n",
                     V2_MOUNT V1_MOUNT));
    assert_string_equal(place.folder, "/sys/fs/cgroup/memory/a/b");
    assert_int_equal(place.top, strlen("/sys/fs/cgroup/memory"));
    assert_false(place.is_second);
}

static void the_second_version_is_found(void **state)
{
    (void)state;
    assert_true(find("0::/system.slice/redis.service\n", V1_MOUNT V2_MOUNT));
    assert_string_equal(place.folder,
                        "/sys/fs/cgroup/system.slice/redis.service");
    assert_true(place.is_second);
}

/* A container may see its own group as the outermost, or only a part of the
   path. */
static void a_namespace_leads_to_what_is_mounted(void **state)
{
    (void)state;
    assert_true(find("0::/\n", V2_MOUNT));
    assert_string_equal(place.folder, "/sys/fs/cgroup");
    assert_true(find("0::/../other\n", V2_MOUNT));
    assert_string_equal(place.folder, "/sys/fs/cgroup");
    assert_true(find("4:memory:/docker/12/in\n",
                     "9 8 0:7 /docker/12 /cg ro - cgroup none rw,memory\n"));
    assert_string_equal(place.folder, "/cg/in");
    assert_true(find("4:memory:/docker/123\n",
                     "9 8 0:7 /docker/12 /cg ro - cgroup none rw,memory\n"));
    assert_string_equal(place.folder, "/cg");
}

static void spaces_are_undone(void **state)
{
    (void)state;
    assert_true(
        find("0::/a b\n", "9 8 0:7 / /my\\040groups rw - cgroup2 none rw\n"));
    assert_string_equal(place.folder, "/my groups/a b");
}

static void what_is_no_such_text_is_refused(void **state)
{
    static char lengthy[3 * PATH_MAX];

    (void)state;
    memset(lengthy, 'x', sizeof lengthy - 1);
    memcpy(lengthy, "0::/", 4);
    assert_false(find("\n", V2_MOUNT));
    assert_false(find("memory\n:memory\n4:memory:x\n", V1_MOUNT));
    assert_false(find("4:memoryx:/a\n", V1_MOUNT));
    assert_false(find(lengthy, V2_MOUNT));
    assert_false(find("0::/a\n", V1_MOUNT));
    assert_false(find("0::/a\n", "1 2 3 / \n - cgroup2\n - \n x - cgroup2 a\n"
                                 "9 8 0:7 / relative rw - cgroup2 none rw\n"));
}

static void numbers_are_found_by_their_names(void **state)
{
    const char *events = "low 0\nhigh 2\nmax 17\noom 1\noom_kill 3\n";

    (void)state;
    assert_int_equal(cgroup_number(events, "max ", 9), 17);
    assert_int_equal(cgroup_number(events, "oom ", 9), 1);
    assert_int_equal(cgroup_number(events, "none ", 9), 9);
    assert_int_equal(cgroup_number("268435456\n", "", 9), 268435456);
    assert_int_equal(cgroup_number("max\n", "", 9), 9);
    assert_int_equal(cgroup_number("", "", 9), 9);
    assert_int_equal(cgroup_number("99999999999999999999999\n", "", 9), 9);
    assert_int_equal(
        cgroup_number("some avg10=12.31 avg60=0\n", "some avg10=", 9), 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_version_is_found),
        cmocka_unit_test(the_second_version_is_found),
        cmocka_unit_test(a_namespace_leads_to_what_is_mounted),
        cmocka_unit_test(spaces_are_undone),
        cmocka_unit_test(what_is_no_such_text_is_refused),
        cmocka_unit_test(numbers_are_found_by_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
