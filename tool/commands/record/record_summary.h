/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_summary.h - the last words of `tally record`, on stderr
 */
#ifndef TALLY_TOOL_COMMANDS_RECORD_SUMMARY_H
#define TALLY_TOOL_COMMANDS_RECORD_SUMMARY_H

#include <stdbool.h>

#include "tool/session/events/event_drain.h"
#include "tool/session/images/image_writer.h"

/* Of a trace, if there is one, and of ledgers. With `is_quiet`, only what was
   lost. */
void record_summary_print(const struct image_writer *writer,
                          const struct event_drain *drain, bool is_quiet);

#endif /* TALLY_TOOL_COMMANDS_RECORD_SUMMARY_H */
