/* SPDX-License-Identifier: Apache-2.0 */
/* top_watch.c - refresh after refresh of `tally top`; see top_parts.h */
#include "tool/commands/top/top_parts.h"

#define NCURSES_NOMACROS /* "refresh" is a member, too */
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool/commands/options/complaint.h"
#include "tool/tables/memory.h"

enum {
    REDRAW = 'L' & 0x1f, /* ^L, as everywhere */
    GONE = -2,           /* no key any more; ERR is none for now */
};

static SCREEN *terminal;

static void sleep_seconds(double seconds)
{
    struct timespec time = {
        .tv_sec = (time_t)seconds,
        .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
    };

    while (nanosleep(&time, &time) < 0 && errno == EINTR)
        ;
}

static int watch_plainly(struct top_watch *watch)
{
    const struct top_options *options = watch->options;

    for (long count = 1;; count++) {
        int status = watch->refresh(watch);

        if (status != COMMAND_DONE)
            return status;
        if (!watch->has_failed) {
            if (count > 1)
                putchar('\n');
            watch->write(watch, (size_t)options->row_count, 0, stdout);
        }
        if (fflush(stdout) != 0)
            return COMMAND_USAGE; /* main says why */
        if (count == options->refreshes ||
            (options->refreshes == 0 && watch->has_ended))
            return watch->has_failed ? COMMAND_USAGE : COMMAND_DONE;
        sleep_seconds(options->interval);
    }
}

static void end_screen(void)
{
    memory_undo(NULL);
    endwin();
    delscreen(terminal);
    terminal = NULL;
}

static int begin_screen(void)
{
    setlocale(LC_CTYPE, "");
    terminal = newterm(NULL, stdout, stdin);
    if (terminal == NULL)
        return -1;
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    memory_undo(end_screen);
    return 0;
}

/* The text's lines from the top; line `title` (from 0) stands out. */
static void show(const char *text, int title)
{
    erase();
    for (int row = 0; row < getmaxy(stdscr) && *text != '\0'; row++) {
        size_t length = strcspn(text, "\n");

        attrset(row == title ? A_REVERSE : A_NORMAL);
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

/* The next key, or ERR after that time, or GONE with the terminal. */
static int wait_key(int milliseconds)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    int key;

    timeout(milliseconds);
    key = getch();
    if (key == REDRAW)
        clearok(curscr, TRUE); /* by the next show() */
    if (key == ERR && poll(&input, 1, 0) > 0 &&
        (input.revents & (POLLHUP | POLLNVAL)) != 0)
        return GONE;
    return key;
}

static size_t visible_rows(const struct top_watch *watch)
{
    size_t height = (size_t)getmaxy(stdscr);

    return height > watch->head_lines ? height - watch->head_lines : 1;
}

static void draw(struct top_watch *watch)
{
    char *text = NULL;
    size_t size;
    FILE *memory = memory_got(open_memstream(&text, &size));

    watch->write(watch, visible_rows(watch), (unsigned)getmaxx(stdscr), memory);
    if (fclose(memory) != 0)
        memory_end();
    show(text, (int)watch->head_lines - 1);
    free(text);
}

static size_t back(size_t row, size_t distance)
{
    return row > distance ? row - distance : 0;
}

/* Returns false when the key means the end. */
static bool obey(struct top_watch *watch, int key)
{
    size_t row = watch->first_row, page = visible_rows(watch);
    size_t last = back(watch->rows, page);

    if (key == 'q' || key == 'Q' || key == GONE)
        return false;
    if (watch->obey != NULL)
        watch->obey(watch, key);
    switch (key) {
    case KEY_UP:
        row = back(row, 1);
        break;
    case KEY_DOWN:
        row++;
        break;
    case KEY_PPAGE:
        row = back(row, page);
        break;
    case KEY_NPAGE:
        row += page;
        break;
    case KEY_HOME:
        row = 0;
        break;
    case KEY_END:
        row = last;
        break;
    }
    watch->first_row = row < last ? row : last;
    return true;
}

double top_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Obey keys until the next refresh is due. Returns false at the end. */
static bool wait_with_keys(struct top_watch *watch)
{
    double due = top_now() + watch->options->interval;

    for (;;) {
        double left = due - top_now();
        int key;

        if (left <= 0)
            return true;
        key = wait_key((int)(left * 1000) + 1);
        if (!obey(watch, key))
            return false;
        if (key != ERR)
            draw(watch);
    }
}

static int watch_on_screen(struct top_watch *watch)
{
    for (long count = 1;; count++) {
        /* What has ended stays on the screen as it was last. */
        if (count > 1 && !watch->has_ended) {
            int status = watch->refresh(watch);

            if (status != COMMAND_DONE)
                return status;
        }
        draw(watch);
        if (count == watch->options->refreshes || !wait_with_keys(watch))
            return COMMAND_DONE;
    }
}

int top_watch(struct top_watch *watch)
{
    int status;

    if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
        return watch_plainly(watch);
    status = watch->refresh(watch); /* complains while it can be read */
    if (status != COMMAND_DONE)
        return status;
    if (begin_screen() < 0)
        return complain("top", "this terminal cannot show a screen",
                        "set TERM, or pipe the output");
    status = watch_on_screen(watch);
    end_screen();
    return status;
}
