/* SPDX-License-Identifier: Apache-2.0 */
/* test_perf_map.c - names of generated code, from files that are not trusted */
#include "tool/model/sources/sources.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test-perf-map-XXXXXX";
static char path[64];

/* Return a profile with a place at the address, of a process that ran from
   second 1000 to second 2000. */
static struct profile *profile_at(uint64_t address)
{
    struct profile *profile = profile_create();

    profile_add_image(profile,
                      &(struct profile_image){ .pid = 7,
                                               .start_ns = 1000000000000,
                                               .end_ns = 2000000000000,
                                               .program = "node",
                                               .command_line = "node" });
    profile_begin_stacks(profile);
    stacks_add_place(&profile->stacks,
                     &(struct profile_place){ .address = address,
                                              .module = PROFILE_NO_MODULE });
    return profile;
}

/* Write the map, changed at that second. */
static void write_map(const char *text, time_t second)
{
    const struct timespec times[] = { { second, 0 }, { second, 0 } };
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void assert_name(uint64_t address, uid_t owner, const char *name)
{
    struct profile *profile = profile_at(address);
    const struct given_place *place;

    perf_map_load(profile, path, owner);
    place = given_names_find(&profile->given, PROFILE_NO_MODULE, address);
    if (name == NULL) {
        assert_null(place);
    } else {
        assert_non_null(place);
        assert_string_equal(place->chain[0].function, name);
    }
    profile_destroy(profile);
}

static void the_last_line_of_an_address_names_its_calls(void **state)
{
    (void)state;
    write_map("1000 20 JS:*old one\nnot a line\n2000 10\n1000 20 JS:*new one\n"
              "1020 8 next\nffffffffffffffff 2 last\n",
              1500);
    assert_name(0x1001, geteuid(), "JS:*new one");
    assert_name(0x1020, geteuid(), "JS:*new one"); /* returns to the next */
    assert_name(0x1021, geteuid(), "next");
    assert_name(0x1000, geteuid(), NULL);
    assert_name(0x1029, geteuid(), NULL);
    assert_name(0x2001, geteuid(), NULL);
}

static void a_map_of_another_run_user_or_kind_is_ignored(void **state)
{
    char other[80];

    (void)state;
    write_map("1000 20 f\n", 900);
    assert_name(0x1001, geteuid(), NULL);
    write_map("1000 20 f\n", 2100);
    assert_name(0x1001, geteuid(), NULL);
    write_map("1000 20 f\n", 2001);
    assert_name(0x1001, geteuid(), "f");
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 4242, 0), 0);
        assert_name(0x1001, 0, NULL);
        assert_name(0x1001, 4242, "f");
    }
    snprintf(other, sizeof other, "%s.other", path);
    assert_int_equal(rename(path, other), 0);
    assert_name(0x1001, geteuid(), NULL);
    assert_int_equal(symlink(other, path), 0);
    assert_name(0x1001, geteuid(), NULL);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_name(0x1001, geteuid(), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_line_of_an_address_names_its_calls),
        cmocka_unit_test(a_map_of_another_run_user_or_kind_is_ignored),
    };
    int failed;

    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/perf-7.map", folder);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
