/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - lists of the words that an option takes
 *
 *     static const struct {
 *         const char *name;
 *         enum order order;
 *     } rows[] = { { "live", ORDER_LIVE }, { "total", ORDER_TOTAL } };
 *     const struct word_list orders = WORDS(rows);
 *
 *     words_find(&orders, "total"); // 1
 *     words_print(list, &orders);   // "live or total"
 */
#pragma once

#include <stddef.h>

/* Texts, or structs that begin with one, in the order of help. */
struct word_list {
    const void *first;
    size_t stride, count;
};

#define WORDS(rows)                                         \
    {                                                       \
        rows, sizeof *(rows), sizeof(rows) / sizeof *(rows) \
    }

const char *words_at(const struct word_list *list, size_t index);

/* Return the number of a word, or -1. */
int words_find(const struct word_list *list, const char *word);

enum { WORDS_SIZE = 256 };

/* Print such as "caller, all or sampled". */
void words_print(char out[WORDS_SIZE], const struct word_list *list);
