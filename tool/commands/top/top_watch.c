/* SPDX-License-Identifier: Apache-2.0 */
/* top_watch.c - `tally top` as plain text; see top_parts.h */
#include "tool/commands/top/top_parts.h"

#include "tool/capture/capture.h"

static int watch_plainly(struct top *top)
{
    const struct top_options *options = top->options;

    for (uint64_t count = 1;; count++) {
        int status = top->source->refresh(top);

        if (status != COMMAND_DONE)
            return status;
        if (!top->has_failed) {
            if (count > 1)
                putchar('\n');
            top_sort(top);
            top_write(top, 0, (size_t)options->row_count, 0, stdout);
        }
        if (fflush(stdout) != 0)
            return COMMAND_USAGE; /* main() prints the reason */
        if (count == options->refreshes ||
            (options->refreshes == 0 && top->has_ended))
            return top->has_failed ? COMMAND_USAGE : COMMAND_DONE;
        if (wait_for(top->stop, -1, 0, (int)(options->interval * 1000)) ==
            WAIT_STOPPED)
            return COMMAND_DONE;
    }
}

/* Choose the requested column if the source has it. */
static void choose_sort(struct top *top)
{
    const struct top_source *source = top->source;

    top->sort = source->column_count;
    for (size_t i = 0; i < source->column_count; i++) {
        if (top->options->sort != NULL && source->columns[i].word != NULL &&
            strcmp(source->columns[i].word, top->options->sort) == 0)
            top->sort = i;
    }
    if (top->sort < source->column_count) {
        top->wants_resident = source->columns[top->sort].needs == TOP_RESIDENT;
        top->wants_mark = source->columns[top->sort].needs == TOP_MARK;
    }
}

int top_watch(struct top *top, const struct top_options *options,
              const struct top_source *source, void *context)
{
    int status;

    *top = (struct top){ .options = options,
                         .source = source,
                         .context = context,
                         .stop = top->stop };
    choose_sort(top);
    status = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) ? top_screen(top)
                                                           : watch_plainly(top);
    top_rows_end(&top->rows);
    free(top->filter);
    return status;
}
