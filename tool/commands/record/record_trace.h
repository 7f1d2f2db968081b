/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_trace.h - `tally record --trace` and `--events`: each call of an
 * allocation function, as it happens
 */
#ifndef TALLY_TOOL_COMMANDS_RECORD_TRACE_H
#define TALLY_TOOL_COMMANDS_RECORD_TRACE_H

#include <stdbool.h>

#include "tool/session/events/event_drain.h"

/* All zero: no trace is wanted. */
struct record_trace {
    const char *text;   /* --trace=FILE */
    const char *folder; /* --events=FOLDER; NULL: named after the ledger */
    bool has_events;    /* --events */
    struct event_drain drain;
};

bool record_trace_is_wanted(const struct record_trace *trace);

/* Whether the options go together: COMMAND_GO_ON, or COMMAND_USAGE after a line. */
int record_trace_check(const struct record_trace *trace);

/* The clock for session_settings.events_clock. */
uint32_t record_trace_clock(const struct record_trace *trace);

/* Before the program runs: where the trace goes, as far as it has a name. */
int record_trace_prepare(struct record_trace *trace,
                         struct session_failure *failure);

/* It has not run: there is no trace. */
void record_trace_cancel(struct record_trace *trace);

/* It runs, and its ledger will be `ledger`. What fails is said at the end. */
void record_trace_begin(struct record_trace *trace,
                        struct session_file *session, pid_t program,
                        const char *program_path, const char *ledger);

/* It has ended. */
void record_trace_finish(struct record_trace *trace);

/* The trace's last words; with `is_quiet` only what was lost. */
void record_trace_print(const struct record_trace *trace, bool is_quiet);

#endif /* TALLY_TOOL_COMMANDS_RECORD_TRACE_H */
