/* SPDX-License-Identifier: Apache-2.0 */
/* test_push_spool.c - profiles come out as they went in, in order, within
   limits */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/push/push.h"

static char path[] = "/tmp/test-push-spool-XXXXXX/spool";
static struct push_spool spool;

static int open_spool(void **state)
{
    (void)state;
    memcpy(strstr(path, "/spool") - 6, "XXXXXX", 6);
    *strstr(path, "/spool") = '\0';
    if (mkdtemp(path) == NULL)
        return -1;
    path[strlen(path)] = '/';
    return push_spool_open(&spool, path, 1000);
}

static int close_spool(void **state)
{
    struct push_profile profile;

    (void)state;
    while (push_spool_read(&spool, &profile))
        push_spool_remove(&spool);
    push_spool_close(&spool);
    if (rmdir(path) < 0)
        return -1;
    *strstr(path, "/spool") = '\0';
    if (rmdir(path) < 0)
        return -1;
    path[strlen(path)] = '/';
    return 0;
}

static int add(unsigned number, const char *bytes, size_t size)
{
    const struct push_profile profile = { .from_ns = number,
                                          .until_ns = number + 5,
                                          .id = "an-id",
                                          .name = "shop{pid=7}",
                                          .bytes = bytes,
                                          .size = size };
    char name[32];

    sprintf(name, "%024x.push", number);
    return push_spool_add(&spool, name, &profile);
}

static void gives_back_the_oldest(void **state)
{
    struct push_profile profile;

    (void)state;
    assert_int_equal(add(2, "a\0\n", 3), 0);
    assert_int_equal(add(10, "new", 3), 0);
    assert_int_equal(add(1, "old", 3), 0);
    assert_true(push_spool_read(&spool, &profile));
    assert_int_equal(profile.from_ns, 1);
    assert_int_equal(profile.until_ns, 6);
    assert_string_equal(profile.id, "an-id");
    assert_string_equal(profile.name, "shop{pid=7}");
    push_spool_remove(&spool);
    assert_true(push_spool_read(&spool, &profile));
    assert_int_equal(profile.size, 3);
    assert_memory_equal(profile.bytes, "a\0\n", 3);
    push_spool_remove(&spool);
    assert_true(push_spool_read(&spool, &profile));
    assert_memory_equal(profile.bytes, "new", 3);
    push_spool_remove(&spool);
    assert_false(push_spool_read(&spool, &profile));
    assert_int_equal(spool.dropped, 0);
}

static void a_later_one_of_that_name_takes_its_place(void **state)
{
    struct push_profile profile;

    (void)state;
    add(1, "some", 4);
    add(1, "more", 4);
    assert_true(push_spool_read(&spool, &profile));
    assert_memory_equal(profile.bytes, "more", 4);
    push_spool_remove(&spool);
    assert_false(push_spool_read(&spool, &profile));
}

static void drops_the_oldest(void **state)
{
    static const char bytes[400], large[2000];
    struct push_profile profile;

    (void)state;
    for (unsigned i = 1; i <= 5; i++)
        assert_int_equal(add(i, bytes, sizeof bytes), 0);
    assert_int_equal(spool.dropped, 3);
    assert_true(push_spool_read(&spool, &profile));
    assert_int_equal(profile.from_ns, 4);
    assert_int_equal(add(6, large, sizeof large), 0);
    assert_int_equal(spool.dropped, 6);
    assert_false(push_spool_read(&spool, &profile));
}

static void is_ours_alone(void **state)
{
    struct push_spool second;

    (void)state;
    assert_int_equal(push_spool_open(&second, path, 1000), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    push_spool_close(&spool);
    chmod(path, 0720);
    assert_int_equal(push_spool_open(&second, path, 1000), -1);
    assert_int_equal(errno, EPERM);
    close(second.folder);
    chmod(path, 0755);
    assert_int_equal(push_spool_open(&spool, path, 1000), 0);
}

static void accounts_of_what_has_ended_go(void **state)
{
    static const char ledger[] = "999999999.1234.tally";
    char live[32];

    (void)state;
    sprintf(live, "%ld-0123.tally", (long)getpid());
    close(openat(spool.folder, ledger, O_CREAT | O_WRONLY, 0600));
    close(openat(spool.folder, live, O_CREAT | O_WRONLY, 0600));
    close(
        openat(spool.folder, "999999999-0123.tally", O_CREAT | O_WRONLY, 0600));
    assert_int_equal(add(1, "one", 3), 0);
    assert_int_equal(faccessat(spool.folder, live, F_OK, 0), 0);
    assert_int_equal(faccessat(spool.folder, "999999999-0123.tally", F_OK, 0),
                     -1);
    unlinkat(spool.folder, live, 0);
    assert_int_equal(unlinkat(spool.folder, ledger, 0), 0);
}

static void what_it_cannot_drop_does_not_stop_it(void **state)
{
    static const char folder[] = "000000000000000000000000.push";
    static const char large[2000];
    struct push_profile profile;

    (void)state;
    assert_int_equal(mkdirat(spool.folder, folder, 0700), 0);
    assert_int_equal(add(1, "one", 3), 0);
    assert_true(push_spool_read(&spool, &profile));
    assert_int_equal(profile.from_ns, 1);
    assert_int_equal(add(2, large, sizeof large), 0);
    assert_false(push_spool_read(&spool, &profile));
    assert_int_equal(unlinkat(spool.folder, folder, AT_REMOVEDIR), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_the_oldest),
        cmocka_unit_test(a_later_one_of_that_name_takes_its_place),
        cmocka_unit_test(drops_the_oldest),
        cmocka_unit_test(is_ours_alone),
        cmocka_unit_test(accounts_of_what_has_ended_go),
        cmocka_unit_test(what_it_cannot_drop_does_not_stop_it),
    };

    return cmocka_run_group_tests(tests, open_spool, close_spool);
}
