/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - see text.h */
#include "tool/text/text.h"

#include <string.h>

const char *words_at(const struct word_list *list, size_t index)
{
    return *(const char *const *)((const char *)list->first +
                                  index * list->stride);
}

int words_find(const struct word_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(words_at(list, i), word) == 0)
            return (int)i;
    }
    return -1;
}

void words_print(char out[WORDS_SIZE], const struct word_list *list)
{
    size_t length = 0;

    out[0] = '\0';
    for (size_t i = 0; i < list->count && length < WORDS_SIZE; i++)
        length += (size_t)snprintf(out + length, WORDS_SIZE - length, "%s%s",
                                   i == 0                 ? ""
                                   : i + 1 == list->count ? " or "
                                                          : ", ",
                                   words_at(list, i));
}
