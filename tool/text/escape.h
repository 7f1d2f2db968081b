/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h - text that may be anything, in whatever is written
 *
 * Names come from symbols, files, arguments, threads and traces, and may hold
 * any byte. In what is written no character steers a terminal, ends a record or
 * a string, or hides or turns round what stands beside it, and all of it is
 * UTF-8. The table in escape.c says what each format has in place of a
 * character.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

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
    ESCAPE_TABBED,          /* rows of tabbed.h, with their tabs and ends */
};

/* Room for what one character becomes: two of UTF-16. */
enum { ESCAPE_ROOM = 16 };

/*
 * Put what stands for the first character of `text`, which is not empty, to
 * `out`; its length. `text` is moved behind the character.
 */
size_t escape_next(enum escape_format format, const char **text, char *out);

/* At most `limit` characters of it. */
void escape_write(FILE *out, enum escape_format format, const char *text,
                  size_t limit);

/* All of it, between quotes. */
void escape_quoted(FILE *out, enum escape_format format, const char *text);

/* A cell of CSV, between quotes. One that a spreadsheet would take for a
   formula has an apostrophe before it. */
void escape_csv(FILE *out, const char *text);

/* For the caller to free; NULL without memory. */
char *escape_copy(enum escape_format format, const char *text);

/* In place; not for formats in which a text may become longer. */
void escape_here(enum escape_format format, char *text);

/*
 * Bytes of the valid UTF-8 character that NUL-terminated `text` begins with; 0:
 * it begins with none.
 */
size_t utf8_length(const char *text);
