/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - words, globs, numbers and escapes */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/*
 * Lists of the words that an option takes
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

/* Advice about a missing right */

/* Return `advice`, such as "use sudo", or what may help root. */
static inline const char *advice_as_root(const char *advice)
{
    return geteuid() != 0 ? advice
                          : "run tally as root outside of this container, with "
                            "all capabilities";
}

/*
 * Match names against * and ?
 */

/* Return true if the whole text matches the glob. Time: the product of both
   lengths. */
bool glob_matches(const char *glob, const char *text);

/*
 * Suggest names for a misspelt one
 *
 *     char near[NEAR_SIZE];
 *
 *     near_names(near, &orders, "tolat"); // "total"
 *     near_note(near, &orders, "tolat");  // " (did you mean total?)"
 *
 * Candidates are any list of words: of commands, of an option's values, or of
 * functions, as an array of texts.
 */

enum { NEAR_SIZE = WORDS_SIZE + 24 };

/*
 * Write the names that differ from `name` in the fewest letters, at most three,
 * as "a, b or c"; "" if none is near. A substituted, missing, extra or
 * transposed letter counts as one; case is ignored. About a third of the
 * letters may differ. A name that begins with `name` is near, too. Return
 * `out`.
 */
const char *near_names(char out[WORDS_SIZE], const struct word_list *list,
                       const char *name);

/* Write the near names as a note behind a message, or "". */
const char *near_note(char out[NEAR_SIZE], const struct word_list *list,
                      const char *name);

/*
 * Print and parse numbers for people
 */

enum { NUMBER_SIZE = 40 }; /* enough for any number below, with its NUL */

/* Print such as "-1,234,567"; return `out`. */
char *number_signed(char out[NUMBER_SIZE], int64_t value);
char *number_unsigned(char out[NUMBER_SIZE], uint64_t value);

/* Print into a buffer that lasts as long as the enclosing block. */
#define NUMBER(value)        number_unsigned((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_SIGNED(value) number_signed((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_BYTES(value)  number_bytes((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_GROWTH(value) number_growth((char[NUMBER_SIZE]){ 0 }, value)
#define ADDRESS(value)       number_address((char[NUMBER_SIZE]){ 0 }, value)

/* Return the plural "s", or "" for a count of 1. */
const char *number_plural(uint64_t count);

/* Write `sentence` with the alternative of each [ONE|MANY] that fits `count`;
   return `out`. */
char *number_sentence(char *out, size_t size, const char *sentence,
                      uint64_t count);

/* Print such as "0x4d2". */
char *number_address(char out[NUMBER_SIZE], uint64_t address);

/* Print a difference with its sign: "+1,234". */
char *number_growth(char out[NUMBER_SIZE], int64_t value);

/* Print bytes: "1.2 MiB", "-3.4 GiB", "999 B". */
char *number_bytes(char out[NUMBER_SIZE], int64_t bytes);

/*
 * Parse a value of a command line: digits, an optional fraction, and a unit in
 * either case, behind a space or not. Return false if the text is no such
 * number or exceeds 64 bits.
 */

/* Parse bytes: B, K, M, G, T, also as KB and KiB; all are powers of 1024. */
bool parse_bytes(const char *text, uint64_t *bytes);
#define PARSE_BYTES_EXAMPLES "4096, 64K, 1.5M or 2GiB"

/* Parse a time into nanoseconds: ns, us, ms, s, m or min, h, d; seconds without
   a unit. 146 years or more are refused. */
bool parse_duration(const char *text, uint64_t *ns);
#define PARSE_DURATION_EXAMPLES "500ms, 10s, 1.5m or 2h"

/* Parse digits alone, for a number up to `most`. */
bool parse_count(const char *text, uint64_t most, uint64_t *count);

/*
 * Read and write ClickHouse's TabSeparated rows
 *
 * A backslash escapes the bytes that would end a text; an array is in brackets,
 * its texts in quotes. Rows are decoded in place and are not trusted.
 *
 *     char *row = line; // ends with 0
 *
 *     name = tabbed_text(&row);
 *     if (!tabbed_number(&row, &value))
 *         refuse();
 *     for (char *items = tabbed_array(&row); (item = tabbed_item(&items));)
 *         use(item);
 */

/* Return the next field, "" behind the last. */
char *tabbed_text(char **row);

/* Read a number of 64 bits, signed or not. */
bool tabbed_number(char **row, uint64_t *number);

/* Return the start of the next array, for tabbed_item(). */
char *tabbed_array(char **row);

/* Return the next text or number of the array; NULL at its end. */
char *tabbed_item(char **array);

/* Write an escaped text, which is valid between quotes and in SQL, too. */
void tabbed_write(FILE *out, const char *text);

/*
 * Write arbitrary text in each output format
 *
 * Names come from symbols, files, arguments, threads and traces, and may hold
 * any byte. Output is UTF-8, and no character of it controls a terminal, ends a
 * record or a string, or hides or reverses the text beside it. The table in
 * escape.c has each format's substitutes.
 */

enum escape_format {
    ESCAPE_TERMINAL,  /* lines for people, also to standard error */
    ESCAPE_ASCII,     /* lines of printable ASCII */
    ESCAPE_ALLOCINFO, /* a row of allocinfo */
    ESCAPE_FOLDED,    /* one frame of a line */
    ESCAPE_HEAPTRACK, /* in a line, or a string of known length */
    ESCAPE_PPROF,
    ESCAPE_XML,      /* text or attribute, of SVG too */
    ESCAPE_JSON,     /* between quotes; of speedscope and TEF too */
    ESCAPE_MARKDOWN, /* plain text in a cell of a table: no mark, link, name or
                        number of GitHub's */
    ESCAPE_GITHUB,   /* the message of a workflow command */
    ESCAPE_GITHUB_PROPERTY, /* its properties */
    ESCAPE_LABEL,           /* the value of a label of OpenMetrics */
    ESCAPE_CSV,             /* a cell between quotes; see escape_csv() */
    ESCAPE_TABBED,          /* rows of text.h, with their tabs and ends */
};

/* Bytes for the output of one character: two units of UTF-16. */
enum { ESCAPE_ROOM = 16 };

/*
 * Write the escaped form of the first character of the nonempty `text` to
 * `out`, move `text` behind the character, and return the length.
 */
size_t escape_next(enum escape_format format, const char **text, char *out);

/* Write at most `limit` characters of the text. */
void escape_write(FILE *out, enum escape_format format, const char *text,
                  size_t limit);

/* Write the text as a string of JSON, with its quotes. */
void escape_json(FILE *out, const char *text);

/* Write a cell of CSV, with its quotes. A text that a spreadsheet would take
   for a formula gets an apostrophe in front. */
void escape_csv(FILE *out, const char *text);

/* Return the escaped text, for free(); NULL without memory. */
char *escape_copy(enum escape_format format, const char *text);

/* Escape in place, for formats whose output is never longer than the text.
   */
void escape_here(enum escape_format format, char *text);

/*
 * Return the length of the valid UTF-8 character that the NUL-terminated `text`
 * begins with, or 0.
 */
size_t utf8_length(const char *text);
