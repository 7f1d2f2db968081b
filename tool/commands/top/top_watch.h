/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_watch.h - refresh after refresh of `tally top`, whatever it watches
 *
 * On a terminal a screen that is drawn anew at each refresh and at each key;
 * otherwise plain text, one refresh after the other.
 */
#ifndef TALLY_TOOL_COMMANDS_TOP_WATCH_H
#define TALLY_TOOL_COMMANDS_TOP_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tool/commands/options/options.h"

/* What `tally top` is asked for. */
struct top_options {
    struct source_options of;
    double interval; /* seconds */
    long refreshes;  /* 0: until the end */
    long row_count;  /* of plain text */
    char sort_key;
    bool has_all;
    struct allocinfo_filter filter; /* of rows: with `sum`, of numbers alone */
};

struct top_watch {
    const struct top_options *options;
    void *context; /* of the functions */

    /*
     * Read what is there now, and set the facts below. COMMAND_DONE, or a
     * status after a complaint.
     */
    int (*refresh)(struct top_watch *watch);

    /* Write rows from first_row on, at most `row_count`; -1 without memory. */
    int (*write)(struct top_watch *watch, size_t row_count, unsigned width,
                 FILE *out);

    /* A key that does not scroll; or NULL. */
    void (*obey)(struct top_watch *watch, int key);

    size_t head_lines; /* above the rows, the last of them the titles */
    size_t rows;       /* that there are */
    size_t first_row;  /* rows above it are scrolled away */
    bool has_ended;    /* nothing will change any more */
    bool has_failed;   /* it cannot be read any more */
};

/* Until the end, or the user's; the exit status. */
int top_watch(struct top_watch *watch);

/* Seconds of a clock that goes on. */
double top_now(void);

#endif /* TALLY_TOOL_COMMANDS_TOP_WATCH_H */
