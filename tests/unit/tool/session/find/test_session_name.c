/* SPDX-License-Identifier: Apache-2.0 */
/* test_session_name.c - the session that an environment names */
#include "tool/session/find/session_ledgers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void what_is_written_is_read(void **state)
{
    const struct session_name name = { 4194304, 3,
                                       UINT64_C(0x0123456789abcdef) };
    struct session_name read = { 0 };
    char value[SESSION_NAME_SIZE];

    (void)state;
    session_name_write(&name, value);
    assert_string_equal(value, "/proc/4194304/fd/3:0123456789abcdef");
    assert_true(session_name_read(value, &read));
    assert_int_equal(read.pid, name.pid);
    assert_int_equal(read.fd, name.fd);
    assert_int_equal(read.nonce, name.nonce);
}

/* A path could lead anywhere, and opening a device can have effects. */
static void no_path_but_a_descriptor_is_taken(void **state)
{
    static const char *const values[] = {
        "",
        "/proc/1/fd/3",
        "/proc/1/fd/3:",
        "/proc/1/fd/3:0123456789abcde",
        "/proc/1/fd/3:0123456789abcdef0",
        "/proc/1/fd/3:0x23456789abcdef",
        "/proc/1/fd/3:0123456789ABCDEF",
        "/proc/self/fd/3:0123456789abcdef",
        "/proc/1/map_files/3:0123456789abcdef",
        "/proc/../dev/watchdog:0123456789abcdef",
        "/proc/1/fd/../../../dev/tty:0123456789abcdef",
        "/proc/1/fd/3/:0123456789abcdef",
        "/proc//fd/3:0123456789abcdef",
        "/proc/1/fd/:0123456789abcdef",
        "/proc/-1/fd/3:0123456789abcdef",
        "/proc/1234567890/fd/3:0123456789abcdef",
        "proc/1/fd/3:0123456789abcdef",
    };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct session_name name = { 7, 8, 9 };

        if (session_name_read(values[i], &name))
            fail_msg("it was taken: %s", values[i]);
        assert_int_equal(name.pid, 7);
        assert_int_equal(name.nonce, 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(no_path_but_a_descriptor_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
