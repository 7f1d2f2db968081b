/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_note.h - a line that says that numbers are estimates
 *
 * For commands whose output has no place for intervals.
 */
#ifndef TALLY_TOOL_COMMANDS_SAMPLING_NOTE_H
#define TALLY_TOOL_COMMANDS_SAMPLING_NOTE_H

#include "tool/model/profile/profile.h"

/* On stderr, if the source is sampled. */
void sampling_note(const char *source, const struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_SAMPLING_NOTE_H */
