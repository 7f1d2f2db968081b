/* SPDX-License-Identifier: Apache-2.0 */
/* tabbed.c - see text.h */
#include "tool/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Letters behind a backslash, and the bytes they stand for. */
static const char letters[] = "bfrnt0", bytes[] = "\b\f\r\n\t";

/* Decode the text up to `end` in place; return the rest behind it. */
static char *take_text(char *text, char end)
{
    char *out = text;
    const char *letter;

    for (; *text != '\0' && *text != end; text++) {
        if (*text == '\\' && text[1] != '\0') {
            letter = strchr(letters, *++text);
            *out++ = letter == NULL ? *text : bytes[letter - letters];
        } else {
            *out++ = *text;
        }
    }
    text += *text != '\0';
    *out = '\0';
    return text;
}

char *tabbed_text(char **row)
{
    char *text = *row;

    *row = take_text(text, '\t');
    return text;
}

bool tabbed_number(char **row, uint64_t *number)
{
    const char *text = tabbed_text(row);
    char *end;

    errno = 0;
    *number = text[0] == '-' ? (uint64_t)strtoll(text, &end, 10)
                             : strtoull(text, &end, 10);
    return (*text == '-' || (*text >= '0' && *text <= '9')) && *end == '\0' &&
           errno == 0;
}

char *tabbed_array(char **row)
{
    char *array = *row;
    size_t length = strcspn(array, "\t");

    *row += length + (array[length] != '\0');
    array[length] = '\0';
    return array + (*array == '[');
}

char *tabbed_item(char **array)
{
    char *item = *array;
    size_t length;

    if (*item == '\'') {
        *array = take_text(++item, '\'');
        *array += **array == ',' || **array == ']';
        return item;
    }
    length = strcspn(item, ",]");
    if (length == 0)
        return NULL;
    *array += length + (item[length] != '\0');
    item[length] = '\0';
    return item;
}

void tabbed_write(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *byte = strchr(bytes, *text);

        if (byte != NULL)
            fprintf(out, "\\%c", letters[byte - bytes]);
        else if (*text == '\\' || *text == '\'')
            fprintf(out, "\\%c", *text);
        else
            putc(*text, out);
    }
}
