/* SPDX-License-Identifier: Apache-2.0 */
/* test_loader_program.c - programs run by a loader or emulator, by its
   arguments */
#include "format/program_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LOADER "/lib64/ld-linux-x86-64.so.2"

static void assert_runs(const char *expected, const char *path,
                        char *const arguments[])
{
    assert_string_equal(loader_program(path, arguments), expected);
}

#define ASSERT_RUNS(expected, path, ...) \
    assert_runs(expected, path, (char *const[]){ "any", __VA_ARGS__ })

static void what_is_no_loader_is_the_program(void **state)
{
    (void)state;
    ASSERT_RUNS("/bin/ls", "/bin/ls", "./other", NULL);
    ASSERT_RUNS("", "", "./other", NULL);
    ASSERT_RUNS("/ld-linux/ls", "/ld-linux/ls", "./other", NULL);
    ASSERT_RUNS("ld.so.old", "ld.so.old", "./other", NULL);
    ASSERT_RUNS("/usr/bin/ld", "/usr/bin/ld", "./other", NULL);
}

static void the_loader_runs_its_argument(void **state)
{
    (void)state;
    ASSERT_RUNS("./other", LOADER, "./other", "--argv0", NULL);
    ASSERT_RUNS("./other", "/usr/bin/ld.so", "./other", NULL);
    ASSERT_RUNS("./other", "ld-2.31.so", "./other", NULL);
}

static void options_and_their_values_are_none(void **state)
{
    (void)state;
    ASSERT_RUNS("./other", LOADER, "--inhibit-cache", "--argv0", "a name",
                "--library-path", "--list", "./other", "./last", NULL);
    ASSERT_RUNS("./other", LOADER, "--preload", "", "./other", NULL);
    ASSERT_RUNS("-", LOADER, "--argv0", "./other", "--audit", "x", "-", NULL);
}

static void it_may_run_nothing(void **state)
{
    (void)state;
    ASSERT_RUNS(LOADER, LOADER, NULL);
    ASSERT_RUNS(LOADER, LOADER, "--help", NULL);
    ASSERT_RUNS(LOADER, LOADER, "--argv0", NULL);
    assert_runs(LOADER, LOADER, NULL);
    assert_runs(LOADER, LOADER, (char *const[]){ NULL });
}

static void assert_emulates(const char *expected, const char *path,
                            char *const arguments[])
{
    const char *program = emulated_program(path, arguments);

    if (expected == NULL)
        assert_null(program);
    else
        assert_string_equal(program, expected);
}

#define ASSERT_EMULATES(expected, path, ...) \
    assert_emulates(expected, path, (char *const[]){ "any", __VA_ARGS__ })

static void an_emulator_runs_its_argument(void **state)
{
    (void)state;
    ASSERT_EMULATES("./other", "/usr/bin/qemu-aarch64", "./other", "-L", NULL);
    ASSERT_EMULATES("./other", "qemu-arm-static", "-L", "./folder", "-strace",
                    "--cpu", "max", "-E", "A=1", "./other", "./last", NULL);
    ASSERT_EMULATES("./other", "qemu-ppc", "-0", "-name", "--", "./other",
                    NULL);
    ASSERT_EMULATES(NULL, "qemu-aarch64", NULL);
    ASSERT_EMULATES(NULL, "qemu-aarch64", "-h", NULL);
    ASSERT_EMULATES(NULL, "qemu-aarch64", "-L", NULL);
    assert_emulates(NULL, "qemu-aarch64", (char *const[]){ NULL });
    assert_emulates(NULL, "qemu-aarch64", NULL);
}

static void what_is_no_emulator_runs_nothing(void **state)
{
    (void)state;
    ASSERT_EMULATES(NULL, "/bin/ls", "./other", NULL);
    ASSERT_EMULATES(NULL, "/qemu-arm/ls", "./other", NULL);
    ASSERT_EMULATES(NULL, "qemu-system-arm", "-kernel", "./other", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_loader_is_the_program),
        cmocka_unit_test(the_loader_runs_its_argument),
        cmocka_unit_test(options_and_their_values_are_none),
        cmocka_unit_test(it_may_run_nothing),
        cmocka_unit_test(an_emulator_runs_its_argument),
        cmocka_unit_test(what_is_no_emulator_runs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
