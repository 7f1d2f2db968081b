/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdlib.h>
#include <string.h>

char *text_copy(const char *text, size_t length)
{
    char *copy = malloc(length + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *text_join(const char *first, const char *between, const char *last)
{
    size_t size = strlen(first) + strlen(between) + strlen(last) + 1;
    char *text = malloc(size);

    if (text == NULL)
        return NULL;
    strcpy(text, first);
    strcat(text, between);
    strcat(text, last);
    return text;
}
