/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure_complaint.h - why a source does not tell what was asked for
 */
#ifndef TALLY_TOOL_COMMANDS_MEASURE_COMPLAINT_H
#define TALLY_TOOL_COMMANDS_MEASURE_COMPLAINT_H

#include "tool/model/profile/measure.h"

/*
 * `option` asked for a measure that is not known: prints one line, returns
 * COMMAND_USAGE. `others` says what to use where there are no totals.
 */
int complain_about_measure(const char *option, const struct profile *profile,
                           enum measure measure, const char *others);

#endif /* TALLY_TOOL_COMMANDS_MEASURE_COMPLAINT_H */
