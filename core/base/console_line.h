/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_line.h - one line on the program's console
 *
 *     struct console_line line = console_line("no memory for ");
 *     console_line_add(&line, name);
 *     console_line_say(&line);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tally/port.h"

/* Text beyond the capacity is dropped. */
struct console_line {
    size_t size;
    char text[320];
};

/* Begin a line with "tally: " and the text. */
struct console_line console_line(const char *text);
void console_line_add(struct console_line *line, const char *text);
void console_line_add_number(struct console_line *line, uint32_t number);

/* Print the line with a newline, by tally_port_console(). */
void console_line_say(struct console_line *line);

/* Print a string constant, without building a line on the stack. */
#define console_say(text) \
    tally_port_console("tally: " text "\n", sizeof("tally: " text "\n") - 1)

/* Like strlen(), which firmware may lack. */
static inline size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0')
        length++;
    return length;
}

/* Debug builds print invalid frees and damage, then abort. */
#ifdef TALLY_DEBUG
enum { FAULT_IS_TOLD = 1 };
#else
enum { FAULT_IS_TOLD = 0 };
#endif

/* Print "KIND NAME: SENTENCE" and end the program. `name` may be NULL. */
void console_tell_fault(const char *kind, const char *name,
                        const char *sentence);
