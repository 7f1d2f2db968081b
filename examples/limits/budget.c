/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - a request handler with a budget of one megabyte
 *
 *     cc examples/limits/budget.c $(pkg-config --cflags --libs tally-record)
 *
 * Functions called by the handler know nothing of limits: their malloc fails,
 * as it may at any time. Code that must not fail halfway is masked.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tally/limits.h"

struct word {
    struct word *next;
    char text[40];
};

static unsigned served;

/* Ordinary code: return NULL if there is no memory. */
static struct word *add_word(struct word *words, unsigned number)
{
    struct word *word = malloc(sizeof *word);

    if (word == NULL)
        return NULL;
    snprintf(word->text, sizeof word->text, "word %u", number);
    word->next = words;
    return word;
}

static void forget(struct word *words)
{
    while (words != NULL) {
        struct word *next = words->next;

        free(words);
        words = next;
    }
}

static bool answer(unsigned size)
{
    struct word *words = NULL;
    bool is_whole = true;

    for (unsigned i = 0; i < size && is_whole; i++) {
        struct word *longer = add_word(words, i);

        is_whole = longer != NULL;
        words = is_whole ? longer : words;
    }
    forget(words);
    return is_whole;
}

/* Written even after the handler has used up its budget. */
static void write_log(unsigned size, const char *what)
{
    char *line;

    limits_mask_begin();
    line = malloc(100);
    if (line != NULL)
        snprintf(line, 100, "%u words: %s", size, what);
    fputs(line != NULL ? line : "?", stdout);
    free(line);
    served++;
    limits_mask_end();
}

static void handle(unsigned size)
{
    struct limit_scope scope;
    uint64_t bytes;

    if (limits_begin_allocation(&scope, 1 << 20, LIMIT_ENOMEM) != 0)
        return;
    write_log(size, answer(size) ? "" : "too large, ");
    limits_end(&scope, &bytes);
    printf("%llu bytes\n", (unsigned long long)bytes);
}

int main(void)
{
    static char buffer[BUFSIZ];

    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    handle(1000);
    handle(100000);
    return served == 2 ? 0 : 1;
}
