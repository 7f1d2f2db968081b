/* SPDX-License-Identifier: Apache-2.0 */
/* escape.c - see text.h */
#include "tool/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 6 /* bytes for one byte of input */ };

static const struct rule {
    char mark;         /* for a forbidden character; 0: \uXXXX */
    bool is_ascii;     /* forbid all but ASCII */
    const char *coded; /* characters written as `form`, or NULL */
    const char *form;  /* format of printf(), for the character */
} rules[] = {
    [ESCAPE_TERMINAL] = { .mark = '?' },
    [ESCAPE_ASCII] = { .mark = '?', .is_ascii = true },
    [ESCAPE_ALLOCINFO] = { .mark = '_' },
    [ESCAPE_FOLDED] = { '?', .coded = ";", .form = "," },
    [ESCAPE_HEAPTRACK] = { .mark = '?' },
    [ESCAPE_PPROF] = { .mark = '?' },
    [ESCAPE_XML] = { '?', .coded = "&<>\"'", .form = "&#%d;" },
    [ESCAPE_JSON] = { .coded = "\"\\", .form = "\\%c" },
    [ESCAPE_MARKDOWN] = { '?', .coded = "&<>|`*_[]\\~@#!$", .form = "&#%d;" },
    [ESCAPE_GITHUB] = { '?', .coded = "%", .form = "%%%02X" },
    [ESCAPE_GITHUB_PROPERTY] = { '?', .coded = "%:,", .form = "%%%02X" },
    [ESCAPE_LABEL] = { '?', .coded = "\"\\", .form = "\\%c" },
    [ESCAPE_CSV] = { '?', .coded = "\"", .form = "\"\"" },
    [ESCAPE_TABBED] = { '?', .coded = "\t\n", .form = "%c" },
};

/*
 * Sorted ranges: controls (Cc), formats (Cf), separators of lines and
 * paragraphs (Zl, Zp), invisible characters (Default_Ignorable_Code_Point) and
 * noncharacters.
 */
static const struct {
    uint32_t first, last;
} odd[] = {
    { 0x00, 0x1f },       { 0x7f, 0x9f },       { 0xad, 0xad },
    { 0x34f, 0x34f },     { 0x600, 0x605 },     { 0x61c, 0x61c },
    { 0x6dd, 0x6dd },     { 0x70f, 0x70f },     { 0x890, 0x891 },
    { 0x8e2, 0x8e2 },     { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },
    { 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },
    { 0x2060, 0x206f },   { 0x3164, 0x3164 },   { 0xfdd0, 0xfdef },
    { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
    { 0xfff0, 0xfffb },   { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
    { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
    { 0xe0000, 0xe0fff },
};

/* Decode a sequence whose first byte tells its length. */
static uint32_t decode(const char *text, size_t length)
{
    uint32_t character = (unsigned char)text[0];

    if (length > 1)
        character &= 0xffu >> (length + 1);
    for (size_t i = 1; i < length; i++)
        character = character << 6 | ((unsigned char)text[i] & 0x3f);
    return character;
}

/* Return the length of a valid character, 0 for overlong forms and surrogates.
   */
size_t utf8_length(const char *text)
{
    static const uint32_t least[] = { 0, 1, 0x80, 0x800, 0x10000 };
    unsigned char first = (unsigned char)text[0];
    size_t length = first < 0x80    ? 1
                    : first < 0xc0  ? 0
                    : first <= 0xf4 ? 2u + (first >= 0xe0) + (first >= 0xf0)
                                    : 0;
    uint32_t character;

    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0; /* also at the end of the text */
    }
    if (length == 0)
        return 0;
    character = decode(text, length);
    return character < least[length] || character > 0x10ffff ||
                   (character & ~0x7ffu) == 0xd800
               ? 0
               : length;
}

static bool is_odd(const struct rule *rule, uint32_t character)
{
    if ((rule->is_ascii && character >= 0x7f) || (character & 0xfffe) == 0xfffe)
        return true;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        if (character >= odd[i].first && character <= odd[i].last)
            return true;
    }
    return false;
}

/* Write \uXXXX, as UTF-16. */
static size_t put_code(char *out, uint32_t character)
{
    int length = 0;

    if (character >= 0x10000) {
        character -= 0x10000;
        length = sprintf(out, "\\u%04x", 0xd800 | character >> 10);
        character = 0xdc00 | (character & 0x3ff);
    }
    return (size_t)(length + sprintf(out + length, "\\u%04x", character));
}

size_t escape_next(enum escape_format format, const char **text, char *out)
{
    const struct rule *rule = &rules[format];
    const char *at = *text;
    size_t length = utf8_length(at);
    uint32_t character = length == 0 ? 0xfffd : decode(at, length);

    *text += length == 0 ? 1 : length;
    if (rule->coded != NULL && strchr(rule->coded, *at) != NULL)
        return (size_t)sprintf(out, rule->form, *at);
    if (length != 0 && !is_odd(rule, character)) {
        memmove(out, at, length);
        return length;
    }
    if (rule->mark == '\0')
        return put_code(out, character);
    *out = rule->mark;
    return 1;
}

/* Return the number of leading ASCII bytes that are written as they are: most
   names have no others. */
static size_t plain_length(const struct rule *rule, const char *text,
                           size_t limit)
{
    uint64_t coded[2] = { 0 };
    size_t length = 0;

    for (const char *c = rule->coded; c != NULL && *c != '\0'; c++)
        coded[*c >> 6] |= UINT64_C(1) << (*c & 63);
    while (length < limit && text[length] >= ' ' && text[length] < 0x7f &&
           (coded[text[length] >> 6] >> (text[length] & 63) & 1) == 0)
        length++;
    return length;
}

/* Unlocked: no other thread may write to `out` meanwhile. */
void escape_write(FILE *out, enum escape_format format, const char *text,
                  size_t limit)
{
    char room[ESCAPE_ROOM];

    while (*text != '\0' && limit > 0) {
        size_t plain = plain_length(&rules[format], text, limit);

        fwrite_unlocked(text, 1, plain, out);
        text += plain;
        limit -= plain;
        if (*text != '\0' && limit > 0) {
            fwrite_unlocked(room, 1, escape_next(format, &text, room), out);
            limit--;
        }
    }
}

void escape_json(FILE *out, const char *text)
{
    putc_unlocked('"', out);
    escape_write(out, ESCAPE_JSON, text, SIZE_MAX);
    putc_unlocked('"', out);
}

void escape_csv(FILE *out, const char *text)
{
    bool is_formula = *text != '\0' && strchr("=+-@", *text) != NULL;

    fputs(is_formula ? "\"'" : "\"", out);
    escape_write(out, ESCAPE_CSV, text, SIZE_MAX);
    putc_unlocked('"', out);
}

static void copy(enum escape_format format, const char *text, char *out)
{
    char room[ESCAPE_ROOM]; /* `out` may be where `text` is */

    while (*text != '\0') {
        size_t size = escape_next(format, &text, room);

        memcpy(out, room, size);
        out += size;
    }
    *out = '\0';
}

char *escape_copy(enum escape_format format, const char *text)
{
    char *out = malloc(LONGEST * strlen(text) + ESCAPE_ROOM);

    if (out != NULL)
        copy(format, text, out);
    return out;
}

void escape_here(enum escape_format format, char *text)
{
    copy(format, text, text);
}
