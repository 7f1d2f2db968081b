/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.c - text that may be anything, in a document of XML
 */
#include "tool/text/xml.h"

#include <stdbool.h>
#include <string.h>

#include "tool/text/utf8.h"

/* U+FFFE and U+FFFF are characters, but not of XML. */
static bool is_xml(const char *text, size_t length)
{
    unsigned char byte = (unsigned char)text[0];

    if (length == 1)
        return byte >= ' ' && byte != 0x7f;
    return length != 3 || memcmp(text, "\xef\xbf", 2) != 0 ||
           (unsigned char)text[2] < 0xbe;
}

void xml_write(FILE *out, const char *text, size_t limit)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = { { '&', "&amp;" },
                     { '<', "&lt;" },
                     { '>', "&gt;" },
                     { '"', "&quot;" },
                     { '\'', "&#39;" } };

    for (; *text != '\0' && limit > 0; limit--) {
        size_t length = utf8_length(text);
        const char *entity = NULL;

        for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
            if (entities[i].character == *text)
                entity = entities[i].entity;
        }
        if (length == 0 || !is_xml(text, length))
            entity = "?";
        if (entity != NULL)
            fputs(entity, out);
        else
            fwrite(text, 1, length, out);
        text += length == 0 ? 1 : length;
    }
}
