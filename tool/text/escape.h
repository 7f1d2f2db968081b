/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h - write arbitrary text in each output format
 *
 * Names come from symbols, files, arguments, threads and traces, and may hold
 * any byte. Output is UTF-8, and no character of it controls a terminal, ends a
 * record or a string, or hides or reverses the text beside it. The table in
 * escape.c has each format's substitutes.
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
