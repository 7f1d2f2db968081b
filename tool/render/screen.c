/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - the terminal through ncursesw; see screen.h */
#include "tool/render/screen.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/tables/memory.h"

enum { REDRAW = 'L' & 0x1f }; /* ^L, as everywhere */

static SCREEN *terminal;

static const struct {
    int code; /* curses' */
    enum screen_key key;
} keys[] = {
    { KEY_UP, SCREEN_KEY_UP },         { KEY_DOWN, SCREEN_KEY_DOWN },
    { KEY_PPAGE, SCREEN_KEY_PAGE_UP }, { KEY_NPAGE, SCREEN_KEY_PAGE_DOWN },
    { KEY_HOME, SCREEN_KEY_FIRST },    { KEY_END, SCREEN_KEY_LAST },
    { KEY_RESIZE, SCREEN_KEY_RESIZE },
};

int screen_begin(void)
{
    setlocale(LC_CTYPE, "");
    terminal = newterm(NULL, stdout, stdin);
    if (terminal == NULL)
        return -1;
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    memory_undo(screen_end);
    return 0;
}

void screen_end(void)
{
    memory_undo(NULL);
    endwin();
    delscreen(terminal);
    terminal = NULL;
}

unsigned screen_width(void)
{
    return (unsigned)getmaxx(stdscr);
}

unsigned screen_height(void)
{
    return (unsigned)getmaxy(stdscr);
}

void screen_show(const char *text, unsigned title)
{
    int height = getmaxy(stdscr);

    erase();
    for (int row = 0; row < height && *text != '\0'; row++) {
        size_t length = strcspn(text, "\n");

        attrset(row == (int)title ? A_REVERSE : A_NORMAL);
        /* Not beyond the right edge: that would go on in the next row. */
        move(row, 0);
        for (size_t i = 0; i < length && getcury(stdscr) == row &&
                           getcurx(stdscr) < getmaxx(stdscr) - 1;) {
            size_t end = i + 1;

            while (end < length && ((unsigned char)text[end] & 0xc0) == 0x80)
                end++;
            addnstr(text + i, (int)(end - i));
            i = end;
        }
        text += length;
        text += *text == '\n';
    }
    attrset(A_NORMAL);
    refresh();
}

/* Whether the other side of the terminal has gone away. */
static int is_gone(void)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

    return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLNVAL));
}

int screen_wait_key(int milliseconds)
{
    int code;

    timeout(milliseconds);
    code = getch();
    if (code == ERR)
        return is_gone() ? SCREEN_KEY_GONE : SCREEN_KEY_NONE;
    if (code == REDRAW)
        clearok(curscr, TRUE); /* by the next screen_show() */
    if (code > 0 && code < 128)
        return code;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].code == code)
            return (int)keys[i].key;
    }
    return SCREEN_KEY_OTHER;
}
