/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - what may be written to where output goes
 */
#include "tool/render/render.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { WIDTH_IF_UNKNOWN = 80, NARROWEST = 40, ROWS_IF_UNKNOWN = 24 };

/* The terminal that standard output was, while it is held; else -1. */
static int held_terminal = -1;

static int descriptor_of(FILE *out)
{
    return out == stdout && held_terminal >= 0 ? held_terminal : fileno(out);
}

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
    return isatty(descriptor_of(out)) &&
           (refusal == NULL || refusal[0] == '\0') && kind != NULL &&
           strcmp(kind, "dumb") != 0;
}

unsigned terminal_width(FILE *out)
{
    struct winsize size;

    if (!isatty(descriptor_of(out)))
        return 0;
    if (ioctl(descriptor_of(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return WIDTH_IF_UNKNOWN;
    return size.ws_col;
}

int terminal_room(FILE *out)
{
    unsigned width = terminal_width(out);
    const char *columns = secure_getenv("COLUMNS");
    uint64_t number;

    if (width == 0 && columns != NULL &&
        parse_count(columns, SHRT_MAX, &number))
        width = (unsigned)number;
    if (width == 0)
        return INT_MAX;
    return width < NARROWEST ? NARROWEST : (int)width;
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

void terminal_hold(void)
{
    int terminal =
        isatty(STDOUT_FILENO) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    int held = terminal < 0 ? -1 : memfd_create("tally-output", MFD_CLOEXEC);

    if (held >= 0 && dup2(held, STDOUT_FILENO) >= 0)
        held_terminal = terminal;
    else if (terminal >= 0)
        close(terminal);
    if (held >= 0)
        close(held);
}

int terminal_redirect(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (file < 0 || dup2(file, STDOUT_FILENO) < 0)
        return -1;
    close(file);
    held_terminal = -1;
    return 0;
}

static bool fits_screen(const char *text, size_t size)
{
    unsigned width = terminal_width(stdout), rows = 0, column = 0;
    struct winsize screen = { 0 };

    ioctl(held_terminal, TIOCGWINSZ, &screen);
    for (size_t i = 0; i < size; i++) {
        bool is_end = text[i] == '\n';

        if (is_end || (begins_character(text[i]) && ++column > width)) {
            rows++;
            column = !is_end;
        }
    }
    return rows <= (screen.ws_row == 0 ? ROWS_IF_UNKNOWN : screen.ws_row);
}

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

/* False: it could not be started. A pager may go on after Ctrl-C. */
static bool run_pager(const char *pager)
{
    int status = 0;
    pid_t child;

    if (*pager == '\0' || strcmp(pager, "cat") == 0)
        return false;
    signal(SIGINT, note_interrupt);
    lseek(STDOUT_FILENO, 0, SEEK_SET);
    child = fork();
    if (child == 0) {
        dup2(STDOUT_FILENO, STDIN_FILENO);
        dup2(held_terminal, STDOUT_FILENO);
        setenv("LESS", "FRX", 0);
        execlp(pager, pager, (char *)NULL);
        if (strchr(pager, ' ') != NULL)
            execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, SIG_DFL);
    if (is_interrupted)
        raise(SIGINT);
    return child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) >= 126);
}

int terminal_release(void)
{
    off_t size = held_terminal < 0 ? 0 : lseek(STDOUT_FILENO, 0, SEEK_END);
    const char *pager = secure_getenv("PAGER"), *text;
    ssize_t written = 0;

    if (size <= 0)
        return 0;
    text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, STDOUT_FILENO, 0);
    if (text == MAP_FAILED)
        return -1;
    if (!fits_screen(text, (size_t)size) &&
        run_pager(pager == NULL ? "less" : pager))
        return 0;
    for (; size > 0 && written >= 0; text += written, size -= written)
        written = write(held_terminal, text, (size_t)size);
    return written < 0 ? -1 : 0;
}
