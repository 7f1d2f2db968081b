/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - two sources compared, and not yet written
 *
 * diff.c parses, loads and compares; diff_text.c and diff_json.c write.
 */
#ifndef TALLY_TOOL_COMMANDS_DIFF_H
#define TALLY_TOOL_COMMANDS_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/comparison.h"
#include "tool/render/terminal.h"

struct diff {
    const char *before_name; /* as the user named them */
    const char *after_name;
    const struct comparison *comparison; /* sorted */
    bool is_lossy; /* a ledger lost events or was read while it changed */
    size_t row_limit;
    bool has_bound; /* --fail-over */
    double bound;   /* in percent */
    bool is_exceeded;
    enum terminal_color color;
};

/* Both write to stdout; -1 without memory. */
int diff_write_text(const struct diff *diff);
int diff_write_json(const struct diff *diff);

#endif /* TALLY_TOOL_COMMANDS_DIFF_H */
