/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_label.c - what is written into a frame of a flame graph
 */
#include "tool/exporters/flame_label.h"

#include <stddef.h>
#include <string.h>

#include "tool/text/escape.h"
#include "tool/text/utf8.h"

static size_t count_characters(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; count++) {
        size_t length = utf8_length(text);

        text += length == 0 ? 1 : length;
    }
    return count;
}

void flame_label_write(FILE *out, const char *name, double width)
{
    double room = (width - 2 * FLAME_TEXT_PADDING) / FLAME_CHARACTER_WIDTH;
    size_t limit = room < 3 ? 0 : (size_t)room;
    size_t count = count_characters(name);

    if (count <= limit) {
        escape_write(out, ESCAPE_XML, name, limit);
    } else if (limit > 0 && strchr(name, '/') != NULL) {
        for (size_t i = count - (limit - 1); i > 0; i--) {
            size_t length = utf8_length(name);

            name += length == 0 ? 1 : length;
        }
        fputs("\xe2\x80\xa6", out);
        escape_write(out, ESCAPE_XML, name, limit - 1);
    } else if (limit > 0) {
        escape_write(out, ESCAPE_XML, name, limit - 1);
        fputs("\xe2\x80\xa6", out);
    }
}
