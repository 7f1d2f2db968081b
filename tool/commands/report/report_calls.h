/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_calls.h - what a report says of a trace of calls besides its sites
 *
 * report_text.c and report_json.c have the places for it.
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_CALLS_H
#define TALLY_TOOL_COMMANDS_REPORT_CALLS_H

#include "tool/commands/report/report.h"
#include "tool/render/json.h"

/* The first line. */
void report_calls_print_head(const struct report *report);

/* Behind the totals: the peak, the line over time, who was refused, regions. */
int report_calls_print(const struct report *report);

/* Whether something of the trace is missing, and lines that say what. */
bool report_calls_has_losses(const struct report *report);
void report_calls_print_losses(const struct report *report);

/* Members of "lost", and of the report. */
void report_calls_write_lost(struct json *json, const struct report *report);
void report_calls_write_json(struct json *json, const struct report *report);

/*
 * Add what was live over time to regions that can be drawn. 0, or -1 without
 * memory.
 */
int report_calls_add_region(struct regions *regions,
                            const struct call_accounts *calls);

#endif /* TALLY_TOOL_COMMANDS_REPORT_CALLS_H */
