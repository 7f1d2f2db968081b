/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_estimates.h - numbers of a report, with their intervals if it is sampled
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_ESTIMATES_H
#define TALLY_TOOL_COMMANDS_REPORT_ESTIMATES_H

#include "tool/commands/report/report.h"
#include "tool/render/estimate_text.h"
#include "tool/render/json.h"

/*
 * The number of a measure, or its estimate. `is_estimate` tells rows that are
 * exact from others; of a ledger that was not sampled all are.
 */
char *report_measure_text(char out[ESTIMATE_TEXT_SIZE],
                          const struct profile *profile, bool is_estimate,
                          const struct profile_amounts *amounts,
                          enum measure measure);

/* The interval of what was freed, which is no measure. */
struct interval report_interval_of_frees(const struct profile *profile,
                                         const struct profile_amounts *amounts);

/* " (3 samples)", or "" of a row that has more than a few, or is exact. */
enum { FEW_SAMPLES_SIZE = 16 };
const char *report_few_samples(char out[FEW_SAMPLES_SIZE],
                               const struct profile *profile,
                               const struct lifetimes *lifetimes);

void report_write_interval(struct json *json, const char *key,
                           struct interval interval);

/* How it was sampled: a line, and a member "sampling" of totals. */
void report_print_sampling(const struct profile *profile);
void report_write_sampling_json(struct json *json,
                                const struct profile *profile);

/* Members "intervals" of the totals and of a row; nothing where all is exact. */
void report_write_total_intervals(struct json *json,
                                  const struct profile *profile);
void report_write_intervals(struct json *json, const struct profile *profile,
                            bool is_estimate,
                            const struct profile_amounts *amounts,
                            const struct lifetimes *lifetimes);

#endif /* TALLY_TOOL_COMMANDS_REPORT_ESTIMATES_H */
