/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_text.c - text that may be anything, as a string of JSON
 */
#include "tool/text/json_text.h"

#include "tool/text/utf8.h"

static void write_escape(FILE *out, unsigned char byte)
{
    if (byte == '"' || byte == '\\')
        fprintf(out, "\\%c", byte);
    else
        fprintf(out, "\\u%04x", byte);
}

/* Bytes of `text` that stand for themselves. */
static size_t plain_length(const char *text)
{
    size_t length = 0;

    while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
           text[length] != '\\')
        length++;
    return length;
}

/* One character that does not; returns what follows it. */
static const char *write_other(FILE *out, const char *text)
{
    unsigned char byte = (unsigned char)*text;
    size_t length = utf8_length(text);

    if (length == 0) {
        fputs("\\ufffd", out);
        return text + 1;
    }
    if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\')
        write_escape(out, byte);
    else
        fwrite(text, 1, length, out);
    return text + length;
}

/* Nobody else writes to `out` meanwhile. */
void json_text_write(FILE *out, const char *text)
{
    putc_unlocked('"', out);
    while (*text != '\0') {
        size_t plain = plain_length(text);

        fwrite_unlocked(text, 1, plain, out);
        text += plain;
        if (*text != '\0')
            text = write_other(out, text);
    }
    putc_unlocked('"', out);
}
