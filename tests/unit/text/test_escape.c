/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_escape.c - no text ends, steers or hides what it is in, in any format
 */
#include "tool/text/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tool/text/utf8.h"

enum { FORMATS = ESCAPE_SCRIPT + 1 };

static void check(enum escape_format format, const char *text,
                  const char *expected)
{
    char *written = NULL,
         *copied = escape_copy((enum escape_format)format, text);
    size_t size;
    FILE *out = open_memstream(&written, &size);

    escape_write(out, format, text, SIZE_MAX);
    fclose(out);
    assert_string_equal(written, expected);
    assert_string_equal(copied, expected);
    free(written);
    free(copied);
}

static void plain_text_stays(void **state)
{
    (void)state;
    for (int format = 0; format < FORMATS; format++) {
        check((enum escape_format)format, "", "");
        check((enum escape_format)format, "std::map~ [x](int)",
              "std::map~ [x](int)");
    }
    check(ESCAPE_TERMINAL, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
          "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void what_could_end_something_is_escaped(void **state)
{
    (void)state;
    check(ESCAPE_SCRIPT, "\"\\'", "\\u0022\\u005c\\u0027");
    check(ESCAPE_SCRIPT, "]]></script>&",
          "]]\\u003e\\u003c/script\\u003e\\u0026");
    check(ESCAPE_SCRIPT, "\n\x7f", "\\u000a\\u007f");
    check(ESCAPE_JSON, "a\"b\\c\n", "a\\\"b\\\\c\\u000a");
    check(ESCAPE_XML, "<a href='x\"&'>\n",
          "&lt;a href=&#39;x&quot;&amp;&#39;&gt;?");
    check(ESCAPE_FOLDED, "a;b\nc 1", "a,b?c 1");
    check(ESCAPE_HEAPTRACK, "f\n+ 0\n", "f?+ 0?");
    check(ESCAPE_PPROF, "f\n\xff", "f??");
    check(ESCAPE_ALLOCINFO, "func:f\n1 1 x", "func:f_1 1 x");
    check(ESCAPE_ASCII, "\xc3\xa4\t", "??");
}

/* ESC [ in one character, text turned round, what is no UTF-8. */
static void what_steers_or_turns_is_marked(void **state)
{
    (void)state;
    check(ESCAPE_TERMINAL, "\x1b[2J\xc2\x9b\xe2\x80\xae\xe2\x81\xa6.\x7f",
          "?[2J???.?");
    check(ESCAPE_TERMINAL, "\xc3(\xed\xa0\x80\x9b\xff", "?(?????");
    check(ESCAPE_JSON, "\xc2\x9b\xe2\x80\xae\xff", "\\u009b\\u202e\\ufffd");
    check(ESCAPE_XML, "\xef\xbf\xbf\xef\xbb\xbf", "??");
}

static void characters_are_utf_16(void **state)
{
    (void)state;
    check(ESCAPE_SCRIPT, "\xc3\xa4\xe2\x80\xa8\xf0\x9f\x98\x80",
          "\\u00e4\\u2028\\ud83d\\ude00");
    check(ESCAPE_SCRIPT, "\xef\xbf\xbf\xff", "\\uffff\\ufffd");
}

static void a_limit_is_of_characters(void **state)
{
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);

    (void)state;
    escape_write(out, ESCAPE_XML, "ab\xe2\x82\xac<d", 4);
    fputc('|', out);
    escape_write(out, ESCAPE_XML, "<<", 1);
    escape_write(out, ESCAPE_XML, "<", 0);
    fclose(out);
    assert_string_equal(written, "ab\xe2\x82\xac&lt;|&lt;");
    free(written);
}

/* Whatever three bytes begin as: one line of UTF-8 without a control. */
static void any_bytes_become_one_line_of_utf8(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes < 1u << 24; bytes += 251) {
        char text[4] = { (char)bytes, (char)(bytes >> 8), (char)(bytes >> 16) };

        for (int format = 0; format < FORMATS; format++) {
            char *copied = escape_copy((enum escape_format)format, text);

            for (const char *at = copied; *at != '\0';) {
                size_t length = utf8_length(at);

                assert_true(length > 0);
                assert_true((unsigned char)*at >= ' ' && *at != 0x7f);
                assert_false(length == 2 && *at == '\xc2' &&
                             (unsigned char)at[1] < 0xa0);
                at += length;
            }
            free(copied);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays),
        cmocka_unit_test(what_could_end_something_is_escaped),
        cmocka_unit_test(what_steers_or_turns_is_marked),
        cmocka_unit_test(characters_are_utf_16),
        cmocka_unit_test(a_limit_is_of_characters),
        cmocka_unit_test(any_bytes_become_one_line_of_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
