/* SPDX-License-Identifier: Apache-2.0 */
/* console_line.c - one line on the program's console */
#include "core/base/console_line.h"

#include "format/text_out.h"

void console_line_add(struct console_line *line, const char *text)
{
    /* the last byte is reserved for the newline */
    while (*text != '\0' && line->size < sizeof line->text - 1)
        line->text[line->size++] = *text++;
}

struct console_line console_line(const char *text)
{
    struct console_line line = { 0 };

    console_line_add(&line, "tally: ");
    console_line_add(&line, text);
    return line;
}

void console_line_add_number(struct console_line *line, uint32_t number)
{
    char digits[TEXT_DIGITS + 1];

    *text_put_digits(digits, number, 10) = '\0';
    console_line_add(line, digits);
}

void console_line_say(struct console_line *line)
{
    line->text[line->size++] = '\n';
    tally_port_console(line->text, line->size);
}

void console_tell_fault(const char *kind, const char *name,
                        const char *sentence)
{
    struct console_line line = console_line(kind);

    console_line_add(&line, " ");
    console_line_add(&line, name == NULL ? "without a name" : name);
    console_line_add(&line, ": ");
    console_line_add(&line, sentence);
    console_line_say(&line);
    tally_port_abort();
}
