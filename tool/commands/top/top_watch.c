/* SPDX-License-Identifier: Apache-2.0 */
/* top_watch.c - refresh after refresh of `tally top`; see top_watch.h */
#include "tool/commands/top/top_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tool/commands/options/complaint.h"
#include "tool/render/screen.h"
#include "tool/tables/memory.h"

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
            if (watch->write(watch, (size_t)options->row_count, 0, stdout) < 0)
                return complain_of_memory("top");
        }
        if (fflush(stdout) != 0)
            return COMMAND_USAGE; /* main says why */
        if (count == options->refreshes ||
            (options->refreshes == 0 && watch->has_ended))
            return watch->has_failed ? COMMAND_USAGE : COMMAND_DONE;
        sleep_seconds(options->interval);
    }
}

static size_t visible_rows(const struct top_watch *watch)
{
    unsigned height = screen_height();

    return height > watch->head_lines ? height - watch->head_lines : 1;
}

static int draw(struct top_watch *watch)
{
    char *text = NULL;
    size_t size;
    FILE *memory = memory_got(open_memstream(&text, &size));

    if (watch->write(watch, visible_rows(watch), screen_width(), memory) < 0 ||
        fclose(memory) != 0)
        memory_end();
    screen_show(text, (unsigned)watch->head_lines - 1);
    free(text);
    return COMMAND_DONE;
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

    if (key == 'q' || key == 'Q' || key == SCREEN_KEY_GONE)
        return false;
    if (watch->obey != NULL)
        watch->obey(watch, key);
    switch (key) {
    case SCREEN_KEY_UP:
        row = back(row, 1);
        break;
    case SCREEN_KEY_DOWN:
        row++;
        break;
    case SCREEN_KEY_PAGE_UP:
        row = back(row, page);
        break;
    case SCREEN_KEY_PAGE_DOWN:
        row += page;
        break;
    case SCREEN_KEY_FIRST:
        row = 0;
        break;
    case SCREEN_KEY_LAST:
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
static bool wait_with_keys(struct top_watch *watch, int *status)
{
    double due = top_now() + watch->options->interval;

    *status = COMMAND_DONE;
    while (*status == COMMAND_DONE) {
        double left = due - top_now();
        int key;

        if (left <= 0)
            return true;
        key = screen_wait_key((int)(left * 1000) + 1);
        if (!obey(watch, key))
            return false;
        if (key != SCREEN_KEY_NONE)
            *status = draw(watch);
    }
    return false;
}

static int watch_on_screen(struct top_watch *watch)
{
    int status = COMMAND_DONE;

    for (long count = 1;; count++) {
        /* What has ended stays on the screen as it was last. */
        if (count > 1 && !watch->has_ended &&
            (status = watch->refresh(watch)) != COMMAND_DONE)
            return status;
        status = draw(watch);
        if (status != COMMAND_DONE || count == watch->options->refreshes ||
            !wait_with_keys(watch, &status))
            return status;
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
    if (screen_begin() < 0)
        return complain("top", "this terminal cannot show a screen",
                        "set TERM, or pipe the output");
    status = watch_on_screen(watch);
    screen_end();
    return status;
}
