/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_line.h - one line on the program's console, and the lengths of texts
 *
 *     struct console_line line = console_line("no memory for ");
 *     console_line_add(&line, name);
 *     console_line_say(&line);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tally/port.h"

/* What does not fit is left out. */
struct console_line {
    size_t size;
    char text[320];
};

/* "tally: " and the text. */
struct console_line console_line(const char *text);
void console_line_add(struct console_line *line, const char *text);
void console_line_add_number(struct console_line *line, uint32_t number);

/* To tally_port_console(), with a newline. */
void console_line_say(struct console_line *line);

/* All of it for a string constant: nothing is put together, nor takes stack. */
#define console_say(text) \
    tally_port_console("tally: " text "\n", sizeof("tally: " text "\n") - 1)

/* strlen, which firmware need not have. */
static inline size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0')
        length++;
    return length;
}

/* A library built for debugging tells of bad frees and damage, and aborts. */
#ifdef TALLY_DEBUG
enum { FAULT_IS_TOLD = 1 };
#else
enum { FAULT_IS_TOLD = 0 };
#endif

/* "KIND NAME: SENTENCE", and the end of the program. NULL: no name. */
void console_tell_fault(const char *kind, const char *name,
                        const char *sentence);
