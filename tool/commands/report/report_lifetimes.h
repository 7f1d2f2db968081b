/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_lifetimes.h - how long blocks lived, as samples tell
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_LIFETIMES_H
#define TALLY_TOOL_COMMANDS_REPORT_LIFETIMES_H

#include "tool/commands/report/report.h"
#include "tool/model/profile/lifetimes.h"
#include "tool/render/json.h"

/* A row for each stack, and what is true of the whole heap; -1 without memory. */
int report_write_lifetimes(const struct report *report);

/* The member "lifetimes"; NULL: nothing was sampled. */
void report_write_lifetimes_json(struct json *json,
                                 const struct profile *profile,
                                 const struct lifetimes *lifetimes);

#endif /* TALLY_TOOL_COMMANDS_REPORT_LIFETIMES_H */
