/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_screen.c - `tally top` on a terminal
 *
 * One view is visible at a time: the rows, or lines that a key opened over
 * them. A table has the action of each key by view. Everything is redrawn at
 * each refresh, key and change of the terminal's size.
 *
 * This file is long because keys, views and the terminal are one state.
 */
#include "tool/commands/top/top_parts.h"

#define NCURSES_NOMACROS /* "refresh" is also a member */
#include <curses.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <sys/mman.h>

#include "tool/capture/capture.h"

enum {
    REDRAW = 'L' & 0x1f, /* ^L */
    ESCAPE = 27,
    ESCAPE_MS = 25, /* wait for the rest of a key */
    GONE = -2,      /* no more keys; ERR: none now */
    TYPED_SIZE = 128,
};

enum view { ROWS, STACKS, PROCESSES, SORTS, KEYS, TYPING, VIEW_COUNT };

/* Sets of views, by bits. */
enum {
    IN_ROWS = 1 << ROWS,
    IN_LISTS = 1 << PROCESSES | 1 << SORTS, /* views with a chosen line */
    IN_LINES = 1 << STACKS | 1 << KEYS,     /* views of plain lines */
    IN_ALL = IN_ROWS | IN_LISTS | IN_LINES,
};

/* Distances that keys move. */
enum { A_LINE = 1, A_PAGE, ALL_LINES };

struct screen {
    struct top *top;
    enum view view;
    struct place {
        size_t first;  /* first visible line */
        size_t chosen; /* chosen row or line */
    } places[VIEW_COUNT];
    size_t count, page;     /* rows or lines in all, and on the screen */
    uint32_t key;           /* key of the chosen row */
    char *processes;        /* lines, once requested */
    char typed[TYPED_SIZE]; /* text being typed */
    char complaint[256];
    const char *told; /* message until the next key, or NULL */
    bool is_due;      /* refresh now */
    bool has_quit;
};

static SCREEN *terminal;
static int complaints = -1; /* receives standard error meanwhile */
static int standard_error;  /* the original standard error */

static void end_screen(void)
{
    memory_undo(NULL);
    endwin();
    delscreen(terminal);
    terminal = NULL;
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    close(complaints);
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
    set_escdelay(ESCAPE_MS);
    curs_set(0);
    timeout(0);
    complaints = memfd_create("tally-top", MFD_CLOEXEC);
    standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (complaints >= 0)
        dup2(complaints, STDERR_FILENO);
    memory_undo(end_screen);
    return 0;
}

/* Show the complaint that came meanwhile, without "tally: ". */
static void take_complaint(struct screen *screen)
{
    char *text = screen->complaint;
    ssize_t size = pread(complaints, text, sizeof screen->complaint - 1, 0);

    if (size <= 0 || ftruncate(complaints, 0) < 0)
        return;
    lseek(complaints, 0, SEEK_SET);
    text[size] = '\0';
    text[strcspn(text, "\n")] = '\0';
    screen->told = strncmp(text, "tally: ", 7) == 0 ? text + 7 : text;
}

static char *text_of(struct screen *screen,
                     void (*write)(struct screen *screen, FILE *out))
{
    char *text;
    size_t size;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    write(screen, out);
    if (fclose(out) != 0)
        exit_out_of_memory();
    return text;
}

static bool is_in(const struct screen *screen, unsigned views)
{
    return (views >> screen->view & 1) != 0;
}

/* Return the n-th column by which rows can be sorted now, or column_count. */
static size_t sort_at(const struct top *top, size_t number)
{
    size_t i = 0;

    for (; i < top->source->column_count; i++) {
        if (top->source->columns[i].word != NULL && top_has_column(top, i) &&
            number-- == 0)
            break;
    }
    return i;
}

/* Keys. */

static void press_move(struct screen *screen, int amount)
{
    struct place *place = &screen->places[screen->view];
    size_t at = is_in(screen, IN_LINES) ? place->first : place->chosen;
    size_t distance = abs(amount) == A_LINE   ? 1
                      : abs(amount) == A_PAGE ? screen->page
                                              : screen->count;

    if (amount < 0)
        place->chosen = at - (at < distance ? at : distance);
    else
        place->chosen = at + distance; /* drawing limits it */
    if (is_in(screen, IN_LINES))
        place->first = place->chosen;
}

static void press_view(struct screen *screen, int view)
{
    if (view == STACKS && screen->top->source->write_row == NULL) {
        screen->told = "a region has no stacks";
        return;
    }
    if (view != ROWS)
        screen->places[view] = (struct place){ 0 };
    screen->view = (enum view)view;
    screen->typed[0] = '\0';
}

static void show_rows(struct screen *screen)
{
    screen->places[ROWS] = (struct place){ 0 };
    screen->view = ROWS;
}

static void press_choose(struct screen *screen, int unused)
{
    struct top *top = screen->top;
    size_t chosen = screen->places[screen->view].chosen;

    (void)unused;
    if (screen->view == SORTS) {
        top->sort = sort_at(top, chosen);
        top_sort(top);
    } else {
        top->source->take_process(top, chosen);
        top->facts &= ~(unsigned)TOP_MARK;
        top->is_other = screen->is_due = true;
    }
    show_rows(screen);
}

/* Apply another filter. */
static void filter_by(struct screen *screen, char *glob)
{
    free(screen->top->filter);
    screen->top->filter = glob;
    screen->top->is_other = screen->is_due = true;
    show_rows(screen);
}

static void press_back(struct screen *screen, int unused)
{
    (void)unused;
    if (screen->view == ROWS && screen->top->filter != NULL)
        filter_by(screen, NULL);
    screen->view = ROWS;
}

static void press_mark(struct screen *screen, int unused)
{
    (void)unused;
    screen->top->wants_mark = screen->is_due = true;
    screen->told = "growth is counted from now on";
}

static void press_resident(struct screen *screen, int unused)
{
    struct top *top = screen->top;

    (void)unused;
    top->wants_resident = !top->wants_resident;
    screen->is_due = true;
}

static void write_processes(struct screen *screen, FILE *out)
{
    screen->places[PROCESSES].chosen =
        screen->top->source->write_processes(screen->top, out);
}

static void press_processes(struct screen *screen, int unused)
{
    (void)unused;
    if (screen->top->source->write_processes == NULL) {
        screen->told = "a trace has no processes";
        return;
    }
    press_view(screen, PROCESSES);
    free(screen->processes);
    screen->processes = text_of(screen, write_processes);
}

static void press_redraw(struct screen *screen, int unused)
{
    (void)screen;
    (void)unused;
    clearok(curscr, TRUE); /* redraw all at the next refresh */
}

static void press_quit(struct screen *screen, int unused)
{
    (void)unused;
    screen->has_quit = true;
}

static const struct key {
    int codes[2];
    unsigned views;
    void (*press)(struct screen *screen, int argument);
    int argument;
    const char *name; /* as in help; NULL: not in help */
    const char *does;
} keys[] = {
    { { KEY_UP, 'k' }, IN_ALL, press_move, -A_LINE, "Up, k", "one line up" },
    { { KEY_DOWN, 'j' },
      IN_ALL,
      press_move,
      A_LINE,
      "Down, j",
      "one line down" },
    { { KEY_PPAGE }, IN_ALL, press_move, -A_PAGE, "Page Up", "one page up" },
    { { KEY_NPAGE }, IN_ALL, press_move, A_PAGE, "Page Down", "one page down" },
    { { KEY_HOME }, IN_ALL, press_move, -ALL_LINES, "Home", "the first line" },
    { { KEY_END }, IN_ALL, press_move, ALL_LINES, "End", "the last line" },
    { { '\n' }, IN_ROWS, press_view, STACKS, "Enter", "stacks of the row" },
    { { '\n' }, IN_LISTS, press_choose, 0, NULL, NULL },
    { { ESCAPE }, IN_ALL, press_back, 0, "Esc", "back, or clear the filter" },
    { { '/' }, IN_ROWS, press_view, TYPING, "/", "filter by any name" },
    { { 's' }, IN_ROWS, press_view, SORTS, "s", "sort by another column" },
    { { 's' }, 1 << SORTS, press_move, A_LINE, NULL, NULL },
    { { 'm' }, IN_ROWS, press_mark, 0, "m", "show growth from now on" },
    { { 'r' }, IN_ROWS, press_resident, 0, "r", "show resident memory" },
    { { 'p' }, IN_ROWS, press_processes, 0, "p", "choose another process" },
    { { '?' }, IN_ALL, press_view, KEYS, "?", "show this list" },
    { { REDRAW }, IN_ALL, press_redraw, 0, "^L", "redraw the screen" },
    { { 'q' }, IN_ALL, press_quit, 0, "q", "quit" },
};

void top_write_keys(FILE *out)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].name != NULL)
            fprintf(out, "  %-10s %s\n", keys[i].name, keys[i].does);
    }
}

/* Take a typed key. The text becomes a glob; without * and ? it may match
   anywhere. */
static void type(struct screen *screen, int key)
{
    char *typed = screen->typed;
    size_t length = strlen(typed);
    const char *rest = strpbrk(typed, "*?") == NULL ? "*" : "";

    if (key == '\n') {
        filter_by(screen, length == 0
                              ? NULL
                              : memory_print("%s%s%s", rest, typed, rest));
    } else if (key == ESCAPE) {
        screen->view = ROWS;
    } else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
        while (length > 0 && (typed[--length] & 0xc0) == 0x80)
            ;
        typed[length] = '\0';
    } else if (key >= ' ' && key < 256 && length + 1 < TYPED_SIZE) {
        typed[length] = (char)key;
        typed[length + 1] = '\0';
    }
}

static void obey(struct screen *screen, int key)
{
    screen->told = NULL;
    if (key == '\r' || key == KEY_ENTER)
        key = '\n';
    if (screen->view == TYPING) {
        type(screen, key);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (is_in(screen, keys[i].views) && key != 0 &&
            (key == keys[i].codes[0] || key == keys[i].codes[1])) {
            keys[i].press(screen, keys[i].argument);
            return;
        }
    }
}

/* Drawing. */

/* Return the bytes of the text's first line within `width` columns. */
static size_t measure_line(const char *text, int width)
{
    size_t size = 0;

    while (text[size] != '\0' && text[size] != '\n' &&
           ((text[size] & 0xc0) == 0x80 || width-- > 0))
        size++;
    return size;
}

/* Return the start of the next line; of a wrapped line, the next part. */
static const char *skip_line(const char *text, bool is_wrapped)
{
    text +=
        is_wrapped ? measure_line(text, getmaxx(stdscr)) : strcspn(text, "\n");
    return text + (*text == '\n');
}

static size_t count_lines(const char *text, bool is_wrapped)
{
    size_t count = 0;

    for (; *text != '\0'; count++)
        text = skip_line(text, is_wrapped);
    return count;
}

/* Write lines from `first` on. Long lines are wrapped, or truncated at a space,
   so that no number is truncated. */
static void put_lines(const char *text, bool is_wrapped, size_t first, int row,
                      size_t limit)
{
    for (size_t i = 0; *text != '\0' && i < first + limit; i++) {
        size_t size = measure_line(text, getmaxx(stdscr)), kept = size;

        if (!is_wrapped && text[size] != '\0' && text[size] != '\n') {
            kept = measure_line(text, getmaxx(stdscr) - 4);
            while (kept > 0 && text[kept] != ' ')
                kept--;
        }
        if (i >= first) {
            mvaddnstr(row++, 0, text, (int)kept);
            addstr(kept < size ? " ..." : "");
        }
        text = skip_line(text, is_wrapped);
    }
}

/* Write the foot: the text being typed, a message, or all names of a row. */
static void write_foot(struct screen *screen, FILE *out)
{
    const struct top *top = screen->top;
    size_t chosen = screen->places[ROWS].chosen;

    const char *text = screen->view == TYPING ? screen->typed : screen->told;

    fputs(screen->view == TYPING ? "/" : "", out);
    if (text != NULL)
        escape_write(out, ESCAPE_TERMINAL, text, SIZE_MAX);
    else if (is_in(screen, IN_LISTS))
        fputs("Enter: choose, Esc: back", out);
    else if (screen->view != KEYS && chosen < top->rows.count)
        top_write_name(top, &top->rows.rows[chosen], out);
}

/* Write the title and the visible lines or rows. */
static void write_view(struct screen *screen, FILE *out)
{
    const struct top *top = screen->top;
    const struct place *place = &screen->places[ROWS];

    if (screen->view == STACKS) {
        fputs("Stacks of a row, innermost call first\n", out);
        if (place->chosen < top->rows.count)
            top->source->write_row(top, top->rows.rows[place->chosen].number,
                                   out);
    } else if (screen->view == PROCESSES) {
        fprintf(out, "Processes of the recording\n%s", screen->processes);
    } else if (screen->view == SORTS) {
        fputs("Sort by\n", out);
        for (size_t i = 0; sort_at(top, i) < top->source->column_count; i++)
            fprintf(out, "%s\n", top->source->columns[sort_at(top, i)].word);
    } else if (screen->view == KEYS) {
        fputs("Keys\n", out);
        top_write_keys(out);
    } else {
        top_write(top, place->first, screen->page, (unsigned)getmaxx(stdscr),
                  out);
    }
}

/* Scroll so that the chosen line is visible. */
static void settle(struct screen *screen, struct place *place)
{
    size_t count = screen->count, page = screen->page;

    if (place->chosen >= count)
        place->chosen = count == 0 ? 0 : count - 1;
    if (place->first > place->chosen)
        place->first = place->chosen;
    if (place->chosen - place->first >= page)
        place->first = place->chosen - page + 1;
    if (place->first + page > count)
        place->first = count > page ? count - page : 0;
}

static void draw_view(struct screen *screen, size_t room)
{
    bool is_rows = screen->view == ROWS || screen->view == TYPING;
    bool is_wrapped = is_in(screen, IN_LINES);
    struct place *place = &screen->places[is_rows ? ROWS : screen->view];
    size_t head = is_rows ? screen->top->source->head_lines : 1;
    OWNED char *text = NULL;

    screen->page = room > head ? room - head : 1;
    screen->count = screen->top->rows.count;
    if (is_rows)
        settle(screen, place);
    text = text_of(screen, write_view);
    if (!is_rows) {
        screen->count = count_lines(text, is_wrapped) - 1;
        settle(screen, place);
    }
    put_lines(text, is_wrapped, 0, 0, head);
    mvchgat((int)head - 1, 0, -1, A_BOLD | A_UNDERLINE, 0, NULL);
    put_lines(text, is_wrapped, head + (is_rows ? 0 : place->first), (int)head,
              screen->page);
    if (!is_wrapped && screen->count > 0)
        mvchgat((int)(head + place->chosen - place->first), 0, -1, A_REVERSE, 0,
                NULL);
}

static void draw(struct screen *screen)
{
    const struct top_rows *rows = &screen->top->rows;
    size_t height = (size_t)getmaxy(stdscr), foot_lines;
    OWNED char *foot = text_of(screen, write_foot);

    foot_lines = count_lines(foot, true);
    if (foot_lines > height / 3)
        foot_lines = height / 3;
    erase();
    draw_view(screen, height - foot_lines);
    put_lines(foot, true, 0, (int)(height - foot_lines), foot_lines);
    refresh();
    if (screen->places[ROWS].chosen < rows->count)
        screen->key = rows->rows[screen->places[ROWS].chosen].key;
}

/* Sort the rows. The choice of the first row stays with the first, unless its
   stacks are shown; the choice of another row follows that row. */
static void sort_rows(struct screen *screen)
{
    const struct top_rows *rows = &screen->top->rows;
    size_t *chosen = &screen->places[ROWS].chosen;

    top_sort(screen->top);
    if (*chosen == 0 && screen->view != STACKS)
        return;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].key == screen->key)
            *chosen = i;
    }
}

/* Waiting. */

/* Return the next key, ERR on timeout, or GONE if the terminal closed or a
   signal came. */
static int wait_key(const struct screen *screen, int milliseconds)
{
    struct pollfd polled[] = {
        { .fd = STDIN_FILENO, .events = POLLIN },
        { .fd = screen->top->stop, .events = POLLIN },
    };
    int key = getch(), count;

    if (key != ERR)
        return key;
    count = poll(polled, 2, milliseconds);
    if (count == 0)
        return ERR;
    if (count > 0 && polled[1].revents != 0)
        return GONE;
    key = getch(); /* also KEY_RESIZE, by a signal */
    if (key == ERR && count > 0 &&
        (polled[0].revents & (POLLHUP | POLLNVAL)) != 0)
        return GONE;
    return key != ERR ? key : KEY_RESIZE;
}

static int read_now(struct screen *screen)
{
    int status = screen->top->source->refresh(screen->top);

    screen->is_due = false;
    take_complaint(screen);
    if (status == COMMAND_DONE)
        sort_rows(screen);
    return status;
}

static int watch(struct screen *screen)
{
    const struct top_options *options = screen->top->options;

    for (uint64_t count = 1;; count++) {
        double due = top_now() + options->interval, left;
        int status = COMMAND_DONE;

        draw(screen);
        if (count == options->refreshes)
            return COMMAND_DONE;
        while ((left = due - top_now()) > 0) {
            int key = wait_key(screen, (int)(left * 1000) + 1);

            if (key == ERR)
                continue;
            if (key != GONE)
                obey(screen, key);
            if (key == GONE || screen->has_quit)
                return COMMAND_DONE;
            if (screen->is_due)
                status = read_now(screen);
            if (status != COMMAND_DONE)
                return status;
            draw(screen);
        }
        /* Keep the last screen of a source that has ended. */
        if (!screen->top->has_ended)
            status = read_now(screen);
        if (status != COMMAND_DONE)
            return status;
    }
}

int top_screen(struct top *top)
{
    struct screen screen = { .top = top };
    int status;

    if (top->stop < 0)
        top->stop = wait_open();
    status = top->source->refresh(top); /* with complaints, for the last time */
    if (status != COMMAND_DONE)
        return status;
    top_sort(top);
    if (begin_screen() < 0)
        return complain("top", "this terminal cannot show a screen",
                        "set TERM, or pipe the output");
    status = watch(&screen);
    end_screen();
    free(screen.processes);
    return status <= COMMAND_DONE ? status : tell_line("%s", screen.told);
}
