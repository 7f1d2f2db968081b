/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_memory_limits.c - control groups of both versions, in files like the
 * kernel's
 *
 * The group of version 2 is a systemd service with its slice.
 */
#include "tool/session/find/process_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tool/session/session.h"

#define MiB (UINT64_C(1) << 20)

static char root[] = "/tmp/tally-groups-XXXXXX";
static struct memory_limits limits;
static struct memory_nearness near;

static void write_to(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make(const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    assert_non_null(mkdtemp(root));
    limits = (struct memory_limits){ .pid = getpid() };
    return 0;
}

static int remove_root(void **state)
{
    char command[PATH_MAX];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void find(const char *group, const char *kind, const char *options)
{
    char cgroup[PATH_MAX], mounts[PATH_MAX];
    FILE *first, *second;

    snprintf(cgroup, sizeof cgroup, "%s\n", group);
    snprintf(mounts, sizeof mounts, "9 8 0:7 / %s rw - %s none %s\n", root,
             kind, options);
    first = fmemopen(cgroup, strlen(cgroup), "r");
    second = fmemopen(mounts, strlen(mounts), "r");
    memory_limits_find(&limits, first, second);
    fclose(first);
    fclose(second);
}

static void look(void)
{
    limits.looked_ns = clock_ns(CLOCK_MONOTONIC); /* already found */
    limits.counted_ns = 0;
    memory_limits_look(&limits, getpid(), &near);
}

static void make_second(void)
{
    make("s");
    make("s/a");
    write_to("s/a/memory.max", "268435456\n");
    write_to("s/a/memory.high", "max\n");
    write_to("s/a/memory.current", "251658240\n");
    write_to("s/a/memory.stat",
             "anon 230686720\nfile 20971520\nactive_file 4194304\n"
             "inactive_file 16777216\n");
    write_to("s/a/memory.events", "low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\n");
    write_to("s/a/memory.pressure",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
             "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
    write_to("s/memory.max", "max\n");
    write_to("s/memory.current", "1073741824\n");
    find("0::/s/a", "cgroup2", "rw");
}

static void files_that_nothing_uses_are_no_memory(void **state)
{
    (void)state;
    make_second();
    assert_int_equal(limits.count, 1);
    look();
    assert_int_equal(near.limit, 256 * MiB);
    assert_int_equal(near.per_mille, 875); /* 240 MiB less 16 */
    assert_false(near.is_hit);
}

static void a_limit_that_is_met_is_told_once(void **state)
{
    (void)state;
    make_second();
    write_to("s/a/memory.events", "low 0\nhigh 0\nmax 4\noom 0\noom_kill 0\n");
    look();
    assert_true(near.is_hit);
    look();
    assert_false(near.is_hit);
    write_to("s/a/memory.pressure",
             "some avg10=31.20 avg60=9 avg300=1 total=9");
    look();
    assert_true(near.is_hit);
}

static void of_all_limits_the_nearest_counts(void **state)
{
    (void)state;
    make_second();
    write_to("s/memory.max", "1090519040\n"); /* of its slice */
    find("0::/s/a", "cgroup2", "rw");
    assert_int_equal(limits.count, 2);
    look();
    assert_int_equal(near.limit, 1040 * MiB);
    assert_int_equal(near.per_mille, 984);
    write_to("s/a/memory.high", "233832448\n"); /* the throttling limit */
    find("0::/s/a", "cgroup2", "rw");
    look();
    assert_int_equal(near.limit, 223 * MiB);
    assert_int_equal(near.per_mille, 1000);
}

static void the_first_version_is_read(void **state)
{
    (void)state;
    make("g");
    write_to("g/memory.limit_in_bytes", "1048576000\n");
    write_to("g/memory.usage_in_bytes", "943718400\n");
    write_to("g/memory.failcnt", "0\n");
    write_to("g/memory.stat", "inactive_file 7\ntotal_inactive_file 1048576\n");
    write_to("memory.limit_in_bytes", "9223372036854771712\n");
    find("4:memory:/g", "cgroup", "rw,memory");
    assert_int_equal(limits.count, 1);
    look();
    assert_int_equal(near.per_mille, 899);
    assert_false(near.is_guarded);
    write_to("g/memory.failcnt", "12\n");
    look();
    assert_true(near.is_hit);
}

/* Far from a limit that the kernel reports, nothing needs checking. */
static void the_kernel_tells_when_a_share_is_passed(void **state)
{
    char path[PATH_MAX];
    int wake, usage;
    long share;
    FILE *file;
    uint64_t times = 1;

    (void)state;
    make("g");
    write_to("g/memory.limit_in_bytes", "1048576000\n");
    write_to("g/memory.usage_in_bytes", "1048576\n");
    write_to("g/cgroup.event_control", "");
    find("4:memory:/g", "cgroup", "rw,memory");
    look();
    assert_int_equal(near.per_mille, 1);
    assert_true(near.is_guarded);
    snprintf(path, sizeof path, "%s/g/cgroup.event_control", root);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d %d %ld", &wake, &usage, &share), 3);
    fclose(file);
    assert_int_equal(wake, limits.groups[0].wake);
    assert_int_equal(usage, limits.groups[0].files[MEMORY_GROUP_USAGE]);
    assert_int_equal(share, 786432000);
    write_to("g/memory.usage_in_bytes", "734003199\n");
    look();
    assert_true(near.is_guarded);
    /* It may have notified, though it shows less. */
    write_to("g/memory.usage_in_bytes", "734003200\n");
    look();
    assert_false(near.is_guarded);
    write_to("g/memory.usage_in_bytes", "786432000\n");
    look();
    assert_false(near.is_guarded);
    assert_int_equal(write(wake, &times, sizeof times), sizeof times);
    assert_false(memory_limits_wait(&limits, -1, 60000));
    assert_int_equal(read(wake, &times, sizeof times), -1); /* already
                                                               consumed */
    find("4:memory:/none", "cgroup", "rw,memory");
    assert_int_equal(limits.count, 0);
}

static void other_news_end_the_wait(void **state)
{
    int pipe_ends[2];

    (void)state;
    assert_int_equal(pipe(pipe_ends), 0);
    assert_false(memory_limits_wait(&limits, pipe_ends[0], 0));
    close(pipe_ends[1]);
    assert_true(memory_limits_wait(&limits, pipe_ends[0], -1));
    close(pipe_ends[0]);
}

static void address_space_is_a_limit_too(void **state)
{
    struct rlimit limit = { 0 }, before;

    (void)state;
    getrlimit(RLIMIT_AS, &before);
    look();
    assert_int_equal(near.limit,
                     before.rlim_cur == RLIM_INFINITY ? 0 : before.rlim_cur);
    limit = (struct rlimit){ UINT64_C(1) << 46, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    look();
    setrlimit(RLIMIT_AS, &before);
    assert_int_equal(near.limit, UINT64_C(1) << 46);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
        TEST(files_that_nothing_uses_are_no_memory),
        TEST(a_limit_that_is_met_is_told_once),
        TEST(of_all_limits_the_nearest_counts),
        TEST(the_first_version_is_read),
        TEST(the_kernel_tells_when_a_share_is_passed),
        TEST(other_news_end_the_wait),
        TEST(address_space_is_a_limit_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
