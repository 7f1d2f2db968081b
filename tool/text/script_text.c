/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_text.c - text that may be anything, as a string in a script
 */
#include "tool/text/script_text.h"

#include <string.h>

#include "tool/text/utf8.h"

static unsigned decode(const char *text, size_t length)
{
    unsigned character = (unsigned char)text[0];

    if (length > 1)
        character &= 0xffu >> (length + 1);
    for (size_t i = 1; i < length; i++)
        character = character << 6 | ((unsigned char)text[i] & 0x3f);
    return character;
}

/* UTF-16, as scripts count. */
static void write_escaped(FILE *out, unsigned character)
{
    if (character >= 0x10000) {
        character -= 0x10000;
        fprintf(out, "\\u%04x", 0xd800 | character >> 10);
        character = 0xdc00 | (character & 0x3ff);
    }
    fprintf(out, "\\u%04x", character);
}

void script_text_write(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        size_t length = utf8_length(text);
        unsigned character = length == 0 ? 0xfffd : decode(text, length);

        if (character >= ' ' && character < 0x7f &&
            strchr("<>&\"\\'", (int)character) == NULL)
            fputc((int)character, out);
        else
            write_escaped(out, character);
        text += length == 0 ? 1 : length;
    }
    fputc('"', out);
}
