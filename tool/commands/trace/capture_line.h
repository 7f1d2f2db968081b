/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_line.h - the line that shows what arrives, on a terminal only
 */
#ifndef TALLY_TOOL_COMMANDS_CAPTURE_LINE_H
#define TALLY_TOOL_COMMANDS_CAPTURE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/calls/call_accounts.h"
#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace_stream.h"

enum {
    CAPTURE_LINE_MS = 200, /* between two of them */
    CAPTURE_CALLS_SIZE = 160,
};

/* What has come so far. */
struct capture_sight {
    const struct trace_counts *counts;
    const struct regions *regions;
    const struct zpl_event *last; /* the newest of a region, or NULL */
    const struct call_accounts *calls;
};

struct capture_line {
    bool is_shown; /* standard error is a terminal */
    uint64_t next_ms;
};

void capture_line_open(struct capture_line *line);

/* Write it anew, if it is time. */
void capture_line_update(struct capture_line *line,
                         const struct capture_sight *sight);

/* "live 1,024 bytes in 3 blocks, peak 2,048"; returns `out`. */
const char *capture_calls(char out[CAPTURE_CALLS_SIZE],
                          const struct call_accounts *calls);

/* Before anything else is written: leave an empty line. */
void capture_line_close(struct capture_line *line);

#endif /* TALLY_TOOL_COMMANDS_CAPTURE_LINE_H */
