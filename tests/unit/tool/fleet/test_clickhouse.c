/* SPDX-License-Identifier: Apache-2.0 */
/* test_clickhouse.c - addresses of servers, and texts in queries */
#include "tool/fleet/fleet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void takes_an_address_apart(void **state)
{
    struct clickhouse server;

    (void)state;
    assert_null(clickhouse_open(
        &server, "clickhouse://m@e@one:8123,[::1]:9/fleet_1", NULL));
    assert_string_equal(server.scheme, "http");
    assert_string_equal(server.user, "m@e");
    assert_null(server.password);
    assert_int_equal(server.host_count, 2);
    assert_string_equal(server.hosts[0], "one:8123");
    assert_string_equal(server.hosts[1], "[::1]:9");
    assert_string_equal(server.database, "fleet_1");
    clickhouse_close(&server);

    assert_null(clickhouse_open(&server, "clickhouses://one:1", "word"));
    assert_string_equal(server.scheme, "https");
    assert_string_equal(server.user, "default");
    assert_string_equal(server.password, "word");
    assert_string_equal(server.database, "default");
    clickhouse_close(&server);
}

static void refuses_what_is_no_address(void **state)
{
    static const char *const addresses[] = {
        "",
        "http://one:1/x",
        "clickhouse://",
        "clickhouse://one/x",
        "clickhouse://me:secret@one:1/x",
        "clickhouse://one:/x",
        "clickhouse://:1/x",
        "clickhouse://one:1x/x",
        "clickhouse://one:1/x&query=DROP",
        "clickhouse://one:1/x/y",
        "clickhouse://one:1/x'",
        "clickhouse://one#:1/x",
        "clickhouse://o ne:1/x",
        "clickhouse://one:1,/x",
        "clickhouse://o?q@:1/x",
    };

    (void)state;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct clickhouse server;

        assert_non_null(clickhouse_open(&server, addresses[i], NULL));
        clickhouse_close(&server);
    }
}

static void quotes_what_a_user_wrote(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    clickhouse_quote(out, "a' OR 1 = 1 --\\\n\t");
    fclose(out);
    assert_string_equal(text, "'a\\' OR 1 = 1 --\\\\\\n\\t'");
    free(text);
    assert_true(clickhouse_is_name("tally_1"));
    assert_false(clickhouse_is_name(""));
    assert_false(clickhouse_is_name("a.b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_an_address_apart),
        cmocka_unit_test(refuses_what_is_no_address),
        cmocka_unit_test(quotes_what_a_user_wrote),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
