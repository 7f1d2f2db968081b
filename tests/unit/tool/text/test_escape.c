/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_escape.c - escaped text cannot end, control or hide its context, in any
 * format
 */
#include "tool/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FORMATS = ESCAPE_CSV + 1 }; /* each makes one line */

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
        if (format < ESCAPE_MARKDOWN)
            check((enum escape_format)format, "std::map~ [x](int)",
                  "std::map~ [x](int)");
    }
    check(ESCAPE_TERMINAL, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
          "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void what_could_end_something_is_escaped(void **state)
{
    (void)state;
    check(ESCAPE_JSON, "a\"b\\c\n", "a\\\"b\\\\c\\u000a");
    check(ESCAPE_XML, "<a href='x\"&'>\n",
          "&#60;a href=&#39;x&#34;&#38;&#39;&#62;?");
    check(ESCAPE_FOLDED, "a;b\nc 1", "a,b?c 1");
    check(ESCAPE_HEAPTRACK, "f\n+ 0\n", "f?+ 0?");
    check(ESCAPE_PPROF, "f\n\xff", "f??");
    check(ESCAPE_ALLOCINFO, "func:f\n1 1 x", "func:f_1 1 x");
    check(ESCAPE_ASCII, "\xc3\xa4\t", "??");
    check(ESCAPE_MARKDOWN, "a|b\n`c` @me #1 <b> [x](y) __z__ $w$",
          "a&#124;b?&#96;c&#96; &#64;me &#35;1 &#60;b&#62; "
          "&#91;x&#93;(y) &#95;&#95;z&#95;&#95; &#36;w&#36;");
    check(ESCAPE_GITHUB, "50 %\n::error::x", "50 %25?::error::x");
    check(ESCAPE_GITHUB_PROPERTY, "a:b,c%\r", "a%3Ab%2Cc%25?");
    check(ESCAPE_LABEL, "a\"b\\\n", "a\\\"b\\\\?");
    check(ESCAPE_CSV, "a\"b,\n\x1b", "a\"\"b,??");
    check(ESCAPE_TABBED, "a\tb\\n\x1b\n\xff\r", "a\tb\\n?\n??");
}

static void a_text_is_replaced_where_it_lies(void **state)
{
    char text[] = "a\tb\x1b\nc\n";

    (void)state;
    escape_here(ESCAPE_TABBED, text);
    assert_string_equal(text, "a\tb?\nc\n");
    escape_here(ESCAPE_FOLDED, text);
    assert_string_equal(text, "a?b??c?");
}

/* A spreadsheet would evaluate such cells. */
static void cells_of_csv_are_no_formulas(void **state)
{
    static const char *const cells[][2] = {
        { "", "\"\"" },          { "a=b", "\"a=b\"" },
        { "=1+1", "\"'=1+1\"" }, { "+1", "\"'+1\"" },
        { "-1", "\"'-1\"" },     { "@a", "\"'@a\"" },
        { "\t=1", "\"?=1\"" },   { "\"=1", "\"\"\"=1\"" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        char *written = NULL;
        size_t size;
        FILE *out = open_memstream(&written, &size);

        escape_csv(out, cells[i][0]);
        fclose(out);
        assert_string_equal(written, cells[i][1]);
        free(written);
    }
}

/* ESC [ in one character, reversed text, invalid UTF-8. */
static void what_steers_or_turns_is_marked(void **state)
{
    (void)state;
    check(ESCAPE_TERMINAL, "\x1b[2J\xc2\x9b\xe2\x80\xae\xe2\x81\xa6.\x7f",
          "?[2J???.?");
    check(ESCAPE_TERMINAL, "\xc3(\xed\xa0\x80\x9b\xff", "?(?????");
    check(ESCAPE_JSON, "\xc2\x9b\xe2\x80\xae\xff", "\\u009b\\u202e\\ufffd");
    check(ESCAPE_XML, "\xef\xbf\xbf\xef\xbb\xbf", "??");
}

static bool is_one_of(uint32_t character, const uint32_t (*ranges)[2])
{
    for (; (*ranges)[1] != 0; ranges++) {
        if (character >= (*ranges)[0] && character <= (*ranges)[1])
            return true;
    }
    return (character & 0xfffe) == 0xfffe;
}

static void put_utf8(char *out, uint32_t character)
{
    if (character < 0x80) {
        *out++ = (char)character;
    } else if (character < 0x800) {
        *out++ = (char)(0xc0 | character >> 6);
        *out++ = (char)(0x80 | (character & 0x3f));
    } else {
        if (character < 0x10000) {
            *out++ = (char)(0xe0 | character >> 12);
        } else {
            *out++ = (char)(0xf0 | character >> 18);
            *out++ = (char)(0x80 | (character >> 12 & 0x3f));
        }
        *out++ = (char)(0x80 | (character >> 6 & 0x3f));
        *out++ = (char)(0x80 | (character & 0x3f));
    }
    *out = '\0';
}

/* Classes of Unicode: Cc, Cf, Zl, Zp, Default_Ignorable_Code_Point, no
   characters. */
static void what_is_not_seen_is_marked_and_all_else_stays(void **state)
{
    static const uint32_t hidden[][2] = {
        { 0x1, 0x1f },
        { 0x7f, 0x9f },
        { 0xad, 0xad },
        { 0x34f, 0x34f },
        { 0x600, 0x605 },
        { 0x61c, 0x61c },
        { 0x6dd, 0x6dd },
        { 0x70f, 0x70f },
        { 0x890, 0x891 },
        { 0x8e2, 0x8e2 },
        { 0x115f, 0x1160 },
        { 0x17b4, 0x17b5 },
        { 0x180b, 0x180f },
        { 0x200b, 0x200f },
        { 0x2028, 0x202e },
        { 0x2060, 0x206f },
        { 0x3164, 0x3164 },
        { 0xfdd0, 0xfdef },
        { 0xfe00, 0xfe0f },
        { 0xfeff, 0xfeff },
        { 0xffa0, 0xffa0 },
        { 0xfff0, 0xfffb },
        { 0x110bd, 0x110bd },
        { 0x110cd, 0x110cd },
        { 0x13430, 0x1343f },
        { 0x1bca0, 0x1bca3 },
        { 0x1d173, 0x1d17a },
        { 0xe0000, 0xe0fff },
        { 0, 0 },
    };
    char text[8], out[ESCAPE_ROOM];

    (void)state;
    for (uint32_t character = 1; character <= 0x10ffff; character++) {
        const char *at = text;
        size_t length;

        if (character >= 0xd800 && character <= 0xdfff)
            continue; /* UTF-16 surrogates, invalid in UTF-8 */
        put_utf8(text, character);
        length = escape_next(ESCAPE_TERMINAL, &at, out);
        assert_int_equal(*at, '\0');
        out[length] = '\0';
        if (strcmp(out, is_one_of(character, hidden) ? "?" : text) != 0)
            fail_msg("U+%04X became \"%s\"", character, out);
    }
    check(ESCAPE_HEAPTRACK, "ma\xe2\x80\x8bin\xc2\xad\xf3\xa0\x81\x81",
          "ma?in??");
    check(ESCAPE_JSON, "\xe2\x80\x8b\xf3\xa0\x81\x81", "\\u200b\\udb40\\udc41");
}

static void characters_are_utf_16(void **state)
{
    (void)state;
    check(ESCAPE_JSON, "\xc3\xa4\xe2\x80\xa8\xf0\x9f\x98\x80",
          "\xc3\xa4\\u2028\xf0\x9f\x98\x80");
    check(ESCAPE_JSON, "\xef\xbf\xbf\xff", "\\uffff\\ufffd");
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
    assert_string_equal(written, "ab\xe2\x82\xac&#60;|&#60;");
    free(written);
}

/* Any three bytes at the start become one line of UTF-8 without a control. */
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

/* The Unicode Standard, table 3-7: valid second bytes by first byte. */
static size_t length_by_table(const unsigned char *bytes)
{
    static const struct {
        unsigned char first, last, least, most;
        size_t length;
    } rows[] = {
        { 0x01, 0x7f, 0x00, 0xff, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
        { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
        { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
        { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (bytes[0] < rows[i].first || bytes[0] > rows[i].last)
            continue;
        if (bytes[1] < rows[i].least || bytes[1] > rows[i].most)
            return 0;
        for (size_t j = 2; j < rows[i].length; j++) {
            if (bytes[j] < 0x80 || bytes[j] > 0xbf)
                return 0;
        }
        return rows[i].length;
    }
    return 0;
}

static void characters_are_those_of_the_standard(void **state)
{
    static const unsigned char ends[] = { 0x00, 0x41, 0x7f, 0x80,
                                          0xbf, 0xc0, 0xff };
    enum { ENDS = sizeof ends };

    (void)state;
    for (unsigned pair = 0; pair < 65536; pair++) {
        for (unsigned end = 0; end < ENDS * ENDS; end++) {
            const unsigned char bytes[] = { (unsigned char)(pair >> 8),
                                            (unsigned char)pair,
                                            ends[end / ENDS], ends[end % ENDS],
                                            0 };

            if (utf8_length((const char *)bytes) != length_by_table(bytes))
                fail_msg("%02x %02x %02x %02x", bytes[0], bytes[1], bytes[2],
                         bytes[3]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays),
        cmocka_unit_test(what_could_end_something_is_escaped),
        cmocka_unit_test(a_text_is_replaced_where_it_lies),
        cmocka_unit_test(cells_of_csv_are_no_formulas),
        cmocka_unit_test(what_steers_or_turns_is_marked),
        cmocka_unit_test(what_is_not_seen_is_marked_and_all_else_stays),
        cmocka_unit_test(characters_are_utf_16),
        cmocka_unit_test(a_limit_is_of_characters),
        cmocka_unit_test(any_bytes_become_one_line_of_utf8),
        cmocka_unit_test(characters_are_those_of_the_standard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
