/* SPDX-License-Identifier: Apache-2.0 */
/* test_stack_tables.c - texts, frames and callers are written once each */
#include "tool/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void what_is_known_is_not_written_again(void **state)
{
    const struct site_name root = { .function = "main",
                                    .file = "a.c",
                                    .line = 7 };
    const struct site_name leaf = {
        .function = "serve", .file = "a.c", .line = 9, .module = "libs.so"
    };
    const struct site_name nameless = { .module = "libs.so" };
    const uint64_t address = 0x1139;
    struct stack_tables tables = { 0 };
    uint32_t below;
    char *text = NULL;
    size_t size = 0;
    struct json json = { .out = open_memstream(&text, &size) };

    (void)state;
    below = stack_tables_add(&tables, STACK_TABLES_NONE, &root, &address);
    assert_int_equal(below, 0);
    assert_int_equal(stack_tables_add(&tables, below, &leaf, NULL), 1);
    assert_int_equal(stack_tables_add(&tables, below, &nameless, &address), 2);
    assert_int_equal(stack_tables_add(&tables, below, &leaf, NULL), 1);
    assert_int_equal(stack_tables_add(&tables, 2, &leaf, NULL), 3);

    json_begin(&json, NULL, JSON_OBJECT);
    stack_tables_write(&tables, &json);
    json_end(&json);
    fclose(json.out);
    assert_string_equal(
        text, "{\n"
              "  \"stack_table\": {\n"
              "    \"frame\": [0,1,2,1],\n"
              "    \"callers\": [null,0,0,2]\n"
              "  },\n"
              "  \"frame_table\": [\n"
              "    {\"function\":0,\"file\":1,\"line\":7,\"module\":null,"
              "\"address\":\"0x1139\"},\n"
              "    {\"function\":2,\"file\":1,\"line\":9,\"module\":3,"
              "\"address\":null},\n"
              "    {\"function\":null,\"file\":null,\"line\":null,\"module\":3,"
              "\"address\":\"0x1139\"}\n"
              "  ],\n"
              "  \"strings\": [\n"
              "    \"main\",\n"
              "    \"a.c\",\n"
              "    \"serve\",\n"
              "    \"libs.so\"\n"
              "  ]\n"
              "}\n");
    free(text);
    stack_tables_free(&tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_not_written_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
