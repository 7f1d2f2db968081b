/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_line.h - the line that shows what arrives, on a terminal only
 */
#ifndef TALLY_TOOL_COMMANDS_CAPTURE_LINE_H
#define TALLY_TOOL_COMMANDS_CAPTURE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/regions.h"
#include "tool/model/trace_stream.h"

enum { CAPTURE_LINE_MS = 200 }; /* between two of them */

struct capture_line {
    bool is_shown; /* standard error is a terminal */
    uint64_t next_ms;
};

void capture_line_open(struct capture_line *line);

/* Write it anew, if it is time. `last` is the newest event, or NULL. */
void capture_line_update(struct capture_line *line,
                         const struct trace_counts *counts,
                         const struct regions *regions,
                         const struct zpl_event *last);

/* Before anything else is written: leave an empty line. */
void capture_line_close(struct capture_line *line);

#endif /* TALLY_TOOL_COMMANDS_CAPTURE_LINE_H */
