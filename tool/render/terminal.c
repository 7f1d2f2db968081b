/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - what may be written to where output goes
 */
#include "tool/render/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_IF_UNKNOWN = 80 };

static const char *const colors[] = {
    [TERMINAL_COLOR_AUTO] = "auto",
    [TERMINAL_COLOR_ALWAYS] = "always",
    [TERMINAL_COLOR_NEVER] = "never",
};

const struct word_list terminal_color_words = WORDS(colors);

bool terminal_has_color(enum terminal_color color, FILE *out)
{
    const char *refusal = secure_getenv("NO_COLOR");
    const char *kind = secure_getenv("TERM");

    if (color != TERMINAL_COLOR_AUTO)
        return color == TERMINAL_COLOR_ALWAYS;
    return isatty(fileno(out)) && (refusal == NULL || refusal[0] == '\0') &&
           kind != NULL && strcmp(kind, "dumb") != 0;
}

unsigned terminal_width(FILE *out)
{
    struct winsize size;

    if (!isatty(fileno(out)))
        return 0;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return WIDTH_IF_UNKNOWN;
    return size.ws_col;
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

unsigned terminal_columns(const char *text)
{
    unsigned columns = 0;

    for (; *text != '\0'; text++)
        columns += begins_character(*text);
    return columns;
}

const char *terminal_skip(const char *text, unsigned columns)
{
    while (*text != '\0' && (!begins_character(*text) || columns-- > 0))
        text++;
    return text;
}

void terminal_write_cut(FILE *out, const char *text, unsigned columns,
                        const char *mark, bool keeps_end)
{
    unsigned all = terminal_columns(text);
    unsigned shown = columns - terminal_columns(mark);

    if (all <= columns) {
        fputs(text, out);
    } else if (keeps_end) {
        fputs(mark, out);
        fputs(terminal_skip(text, all - shown), out);
    } else {
        fwrite(text, 1, (size_t)(terminal_skip(text, shown) - text), out);
        fputs(mark, out);
    }
}

unsigned terminal_text_width(FILE *out)
{
    unsigned width = terminal_width(out);

    return width < 80 ? 80 : width;
}
