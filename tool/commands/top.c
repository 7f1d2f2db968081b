/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top.c - `tally top`: watch the accounts of a running program
 *
 * On a terminal a screen that is drawn anew at each refresh and at each key;
 * otherwise plain text, one refresh after the other.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool/commands/command.h"
#include "tool/commands/complaint.h"
#include "tool/commands/top_options.h"
#include "tool/commands/top_regions.h"
#include "tool/commands/top_rows.h"
#include "tool/commands/top_source.h"
#include "tool/commands/top_view.h"
#include "tool/render/screen.h"

struct top {
    struct top_options options;
    struct top_source source;
    struct top_rows rows;
    struct profile *profile; /* of the last refresh */
    double loaded_at;
    size_t first_row;
    bool is_stale; /* the accounts are those of the last refresh but one */
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int out_of_memory(void)
{
    return complain("top", "out of memory", "free some");
}

/* Load the accounts anew. Returns COMMAND_DONE, or a status after a complaint,
   with the accounts of before kept. */
static int refresh_accounts(struct top *top)
{
    struct profile *profile = top_source_load(&top->source);
    double at = now();
    double seconds = top->profile == NULL ? 0 : at - top->loaded_at;

    top->is_stale =
        profile == NULL && top->profile != NULL && top->source.has_ended;
    if (top->is_stale)
        return COMMAND_DONE;
    if (profile == NULL)
        return COMMAND_USAGE;
    if (!top_rows_update(&top->rows, profile, seconds)) {
        profile_destroy(profile);
        return out_of_memory();
    }
    if (top->profile == NULL && top->rows.lacks_totals &&
        top->options.sort_key == 't') {
        profile_destroy(profile);
        return complain("-s total", "the source has no totals",
                        "use live, blocks, rate or function");
    }
    if (top->profile != NULL)
        profile_destroy(top->profile);
    top->profile = profile;
    top->loaded_at = at;
    return COMMAND_DONE;
}

static int write_view(struct top *top, size_t row_count, unsigned width,
                      FILE *out)
{
    struct top_view view = {
        .source = &top->source,
        .profile = top->profile,
        .rows = &top->rows,
        .sort_key = top->options.sort_key,
        .first_row = top->first_row,
        .row_count = row_count,
        .width = width,
    };

    top_rows_sort(&top->rows, top->options.sort_key);
    return top_view_write(&view, out);
}

static void sleep_seconds(double seconds)
{
    struct timespec time = {
        .tv_sec = (time_t)seconds,
        .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
    };

    while (nanosleep(&time, &time) < 0 && errno == EINTR)
        ;
}

/* A program ends; a file that was read and cannot be is something else. */
static bool is_unreadable(const struct top *top)
{
    return top->is_stale && !top->source.is_live;
}

static int watch_plainly(struct top *top)
{
    for (long count = 1;; count++) {
        int status = refresh_accounts(top);

        if (status != COMMAND_DONE)
            return status;
        if (!is_unreadable(top)) {
            if (count > 1)
                putchar('\n');
            if (write_view(top, top->options.row_count, 0, stdout) < 0)
                return out_of_memory();
        }
        if (fflush(stdout) != 0)
            return COMMAND_USAGE; /* main says why */
        if (count == top->options.refreshes ||
            (top->options.refreshes == 0 && top->source.has_ended))
            return is_unreadable(top) ? COMMAND_USAGE : COMMAND_DONE;
        sleep_seconds(top->options.interval);
    }
}

static size_t visible_rows(void)
{
    unsigned height = screen_height();

    return height > TOP_VIEW_HEAD_LINES ? height - TOP_VIEW_HEAD_LINES : 1;
}

static int draw(struct top *top)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    int result;

    if (memory == NULL)
        return out_of_memory();
    result = write_view(top, visible_rows(), screen_width(), memory);
    if (fclose(memory) != 0 || result < 0) {
        free(text);
        return out_of_memory();
    }
    screen_show(text, TOP_VIEW_HEAD_LINES - 1);
    free(text);
    return COMMAND_DONE;
}

static void scroll_to(struct top *top, size_t row)
{
    size_t last =
        top->rows.count > visible_rows() ? top->rows.count - visible_rows() : 0;

    top->first_row = row < last ? row : last;
}

static size_t back(size_t row, size_t distance)
{
    return row > distance ? row - distance : 0;
}

/* Returns false when the key means the end. */
static bool obey(struct top *top, int key)
{
    size_t row = top->first_row;

    if (key == 'q' || key == 'Q' || key == SCREEN_KEY_GONE)
        return false;
    if (key > 0 && key < 128 && strchr(TOP_SORT_KEYS, key) != NULL &&
        !(key == 't' && top->rows.lacks_totals))
        top->options.sort_key = (char)key;
    switch (key) {
    case SCREEN_KEY_UP:
        row = back(row, 1);
        break;
    case SCREEN_KEY_DOWN:
        row++;
        break;
    case SCREEN_KEY_PAGE_UP:
        row = back(row, visible_rows());
        break;
    case SCREEN_KEY_PAGE_DOWN:
        row += visible_rows();
        break;
    case SCREEN_KEY_FIRST:
        row = 0;
        break;
    case SCREEN_KEY_LAST:
        row = top->rows.count;
        break;
    }
    scroll_to(top, row);
    return true;
}

/* Obey keys until the next refresh is due. Returns false at the end. */
static bool wait_with_keys(struct top *top, int *status)
{
    double due = now() + top->options.interval;

    *status = COMMAND_DONE;
    while (*status == COMMAND_DONE) {
        double left = due - now();
        int key;

        if (left <= 0)
            return true;
        key = screen_wait_key((int)(left * 1000) + 1);
        if (!obey(top, key))
            return false;
        if (key != SCREEN_KEY_NONE)
            *status = draw(top);
    }
    return false;
}

static int watch_on_screen(struct top *top)
{
    int status = COMMAND_DONE;

    for (long count = 1;; count++) {
        /* What has ended stays on the screen as it was last. */
        if (count > 1 && !top->source.has_ended &&
            (status = refresh_accounts(top)) != COMMAND_DONE)
            return status;
        status = draw(top);
        if (status != COMMAND_DONE || count == top->options.refreshes ||
            !wait_with_keys(top, &status))
            return status;
    }
}

static int watch(struct top *top)
{
    bool has_screen = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
    int status;

    if (!has_screen)
        return watch_plainly(top);
    status = refresh_accounts(top); /* complains while it can be read */
    if (status != COMMAND_DONE)
        return status;
    if (screen_begin() < 0) {
        fputs("tally: top: this terminal cannot show a screen; set TERM, or "
              "pipe the output\n",
              stderr);
        return COMMAND_USAGE;
    }
    status = watch_on_screen(top);
    screen_end();
    return status;
}

int command_top(int argc, char **argv)
{
    struct top top = { 0 };
    int status = top_options_parse(&top.options, argc, argv);

    if (status != COMMAND_GO_ON)
        return status;
    if (argv[optind] != NULL && is_top_of_trace(argv[optind]))
        return top_regions(&top.options, argv[optind]);
    status = top_source_open(&top.source, argv[optind], top.options.has_all);
    if (status != COMMAND_DONE)
        return status;
    status = top_rows_begin(&top.rows, &top.options.filter, &top.options.search)
                 ? watch(&top)
                 : out_of_memory();
    if (top.profile != NULL)
        profile_destroy(top.profile);
    top_rows_end(&top.rows);
    top_source_close(&top.source);
    return status;
}
