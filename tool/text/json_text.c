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

void json_text_write(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        unsigned char byte = (unsigned char)*text;
        size_t length = utf8_length(text);

        if (length == 0) {
            fputs("\\ufffd", out);
            length = 1;
        } else if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\') {
            write_escape(out, byte);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length;
    }
    fputc('"', out);
}
