/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_json.c - documents, byte by byte
 */
#include "tool/render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct document {
    struct json json;
    char *text;
    size_t size;
};

static struct document *open_document(void)
{
    struct document *document = calloc(1, sizeof *document);

    document->json.out = open_memstream(&document->text, &document->size);
    return document;
}

static void close_as(struct document *document, const char *expected)
{
    fclose(document->json.out);
    assert_string_equal(document->text, expected);
    free(document->text);
    free(document);
}

static void members_and_elements_are_separated(void **state)
{
    struct document *document = open_document();
    struct json *json = &document->json;

    (void)state;
    json_begin(json, NULL, JSON_OBJECT);
    json_signed(json, "a", INT64_MIN);
    json_begin(json, "b", JSON_ARRAY);
    json_unsigned(json, NULL, UINT64_MAX);
    json_null(json, NULL);
    json_bool(json, NULL, true);
    json_end(json);
    json_begin(json, "c", JSON_ARRAY);
    json_end(json);
    json_string(json, "d", "x");
    json_end(json);
    close_as(document, "{\n"
                       "  \"a\": -9223372036854775808,\n"
                       "  \"b\": [\n"
                       "    18446744073709551615,\n"
                       "    null,\n"
                       "    true\n"
                       "  ],\n"
                       "  \"c\": [],\n"
                       "  \"d\": \"x\"\n"
                       "}\n");
}

static void an_object_may_be_one_line(void **state)
{
    struct document *document = open_document();
    struct json *json = &document->json;

    (void)state;
    json_begin(json, NULL, JSON_ARRAY);
    json_begin(json, NULL, JSON_LINE_OBJECT);
    json_unsigned(json, "a", 1);
    json_begin(json, "b", JSON_ARRAY);
    json_null(json, NULL);
    json_end(json);
    json_begin(json, "c", JSON_LINE_ARRAY);
    json_end(json);
    json_end(json);
    json_begin(json, NULL, JSON_LINE_ARRAY);
    json_unsigned(json, NULL, 2);
    json_unsigned(json, NULL, 3);
    json_end(json);
    json_unsigned(json, NULL, 4);
    json_end(json);
    close_as(document, "[\n"
                       "  {\"a\":1,\"b\":[null],\"c\":[]},\n"
                       "  [2,3],\n"
                       "  4\n"
                       "]\n");
}

static void assert_string(const char *value, const char *expected)
{
    struct document *document = open_document();

    json_string(&document->json, NULL, value);
    close_as(document, expected);
}

static void strings_are_escaped(void **state)
{
    (void)state;
    assert_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    assert_string("\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\"");
    assert_string("", "\"\"");
}

static void utf8_passes_and_other_bytes_are_replaced(void **state)
{
    (void)state;
    assert_string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
    assert_string("a\xff", "\"a\\ufffd\"");
    assert_string("\xc0\xaf", "\"\\ufffd\\ufffd\"");            /* overlong */
    assert_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
    assert_string("\xf4\x90\x80\x80",
                  "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* beyond the last */
    assert_string("\xe2\x82", "\"\\ufffd\\ufffd\"");   /* cut short */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_elements_are_separated),
        cmocka_unit_test(an_object_may_be_one_line),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(utf8_passes_and_other_bytes_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
