/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unknown_value.h - the one line about a value that an option does not take
 *
 *     tally: --stacks=every: unknown value; use caller, all or sampled
 */
#ifndef TALLY_TOOL_COMMANDS_UNKNOWN_VALUE_H
#define TALLY_TOOL_COMMANDS_UNKNOWN_VALUE_H

#include <stddef.h>

/* One of the words that are taken, in the order of help; NULL behind the last. */
typedef const char *known_word_fn(size_t index);

enum { KNOWN_WORDS_SIZE = 256 };

/* "caller, all or sampled" */
void known_words_list(char list[KNOWN_WORDS_SIZE], known_word_fn *word_at);

/* Each prints its line on stderr and returns COMMAND_USAGE. */
int complain_about_value(const char *option, const char *value,
                         const char *known);
int complain_about_word(const char *option, const char *word,
                        known_word_fn *word_at);

#endif /* TALLY_TOOL_COMMANDS_UNKNOWN_VALUE_H */
