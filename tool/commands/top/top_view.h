/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_view.h - one refresh of `tally top`, as lines of text
 */
#ifndef TALLY_TOOL_COMMANDS_TOP_VIEW_H
#define TALLY_TOOL_COMMANDS_TOP_VIEW_H

#include <stddef.h>
#include <stdio.h>

#include "tool/commands/top/top_rows.h"
#include "tool/commands/top/top_source.h"
#include "tool/model/profile/profile.h"

struct top_view {
    const struct top_source *source;
    const struct profile *profile;
    struct top_rows *rows;
    char sort_key;
    size_t first_row; /* rows above it are scrolled away */
    size_t row_count; /* rows to show at most */
    unsigned width;   /* columns; 0 no limit */
};

/* Lines above the rows, the last of them the titles of the columns. */
enum { TOP_VIEW_HEAD_LINES = 5 };

/* Write head and rows; returns -1 without memory. */
int top_view_write(const struct top_view *view, FILE *out);

#endif /* TALLY_TOOL_COMMANDS_TOP_VIEW_H */
