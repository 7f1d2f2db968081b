/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_script_text.c - no text ends the string that it is in
 */
#include "tool/text/script_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *text, const char *expected)
{
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);

    script_text_write(out, text);
    fclose(out);
    assert_string_equal(written, expected);
    free(written);
}

static void plain_text_stays(void **state)
{
    (void)state;
    check("", "\"\"");
    check("std::map~ [x]", "\"std::map~ [x]\"");
}

static void what_could_end_something_is_escaped(void **state)
{
    (void)state;
    check("\"\\'", "\"\\u0022\\u005c\\u0027\"");
    check("]]></script>&", "\"]]\\u003e\\u003c/script\\u003e\\u0026\"");
    check("\n\x7f", "\"\\u000a\\u007f\"");
}

static void characters_are_utf_16(void **state)
{
    (void)state;
    check("\xc3\xa4\xe2\x80\xa8\xf0\x9f\x98\x80",
          "\"\\u00e4\\u2028\\ud83d\\ude00\"");
    check("\xef\xbf\xbf\xff", "\"\\uffff\\ufffd\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays),
        cmocka_unit_test(what_could_end_something_is_escaped),
        cmocka_unit_test(characters_are_utf_16),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
