/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_value.c - see unknown_value.h */
#include "tool/commands/options/unknown_value.h"

#include <stdio.h>

#include "tool/commands/options/complaint.h"

/* As much of a value as says which it is. */
enum { SHOWN_LIMIT = 200 };

void known_words_list(char list[KNOWN_WORDS_SIZE], known_word_fn *word_at)
{
    size_t length = 0;

    list[0] = '\0';
    for (size_t i = 0; word_at(i) != NULL && length < KNOWN_WORDS_SIZE; i++) {
        const char *before = i == 0                   ? ""
                             : word_at(i + 1) == NULL ? " or "
                                                      : ", ";

        length += (size_t)snprintf(list + length, KNOWN_WORDS_SIZE - length,
                                   "%s%s", before, word_at(i));
    }
}

int complain_about_value(const char *option, const char *value,
                         const char *known)
{
    char what[SHOWN_LIMIT + 64], advice[KNOWN_WORDS_SIZE + 8];

    snprintf(what, sizeof what, "%.40s=%.*s", option, SHOWN_LIMIT, value);
    snprintf(advice, sizeof advice, "use %s", known);
    return complain(what, "unknown value", advice);
}

int complain_about_word(const char *option, const char *word,
                        known_word_fn *word_at)
{
    char known[KNOWN_WORDS_SIZE];

    known_words_list(known, word_at);
    return complain_about_value(option, word, known);
}
