/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.h - what may be written to where output goes
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tool/text/text.h"

/*
 * If standard output is a terminal, keep what is written there until
 * terminal_release(), which shows it: what is longer than the screen through
 * $PAGER, or less. Functions here answer for that terminal. The latter
 * returns 0, or -1 with errno set.
 */
void terminal_hold(void);
int terminal_release(void);

/* Send standard output to a new file instead. Return 0, or -1 with errno. */
int terminal_redirect(const char *path);

/* `--color=auto|always|never` */
enum terminal_color {
    TERMINAL_COLOR_AUTO, /* on a terminal, unless NO_COLOR is set */
    TERMINAL_COLOR_ALWAYS,
    TERMINAL_COLOR_NEVER,
};

/* names of the choices */
extern const struct word_list terminal_color_words;

bool terminal_has_color(enum terminal_color color, FILE *out);

/* Columns of the terminal behind `out`; 0 when it is none: no limit. */
unsigned terminal_width(FILE *out);

/* Return the columns of a line that is cut: those of the terminal or $COLUMNS,
   at least 40; INT_MAX without either. */
int terminal_room(FILE *out);

/* Return the width of the terminal, at least 80. */
unsigned terminal_text_width(FILE *out);

/* Columns that a safe text takes. */
unsigned terminal_columns(const char *text);

/* Return the text after so many columns. */
const char *terminal_skip(const char *text, unsigned columns);

/* A safe text, cut to that many columns: its beginning, or its end, and `mark`
   for the rest of it. */
void terminal_write_cut(FILE *out, const char *text, unsigned columns,
                        const char *mark, bool keeps_end);
