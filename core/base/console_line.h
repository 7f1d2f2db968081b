/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_line.h - one line on the program's console
 *
 *     struct console_line line = console_line("no memory for ");
 *     console_line_add(&line, name);
 *     console_line_say(&line);
 */
#ifndef TALLY_CORE_CONSOLE_LINE_H
#define TALLY_CORE_CONSOLE_LINE_H

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

#endif /* TALLY_CORE_CONSOLE_LINE_H */
