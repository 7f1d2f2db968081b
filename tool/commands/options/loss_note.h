/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss_note.h - a line that says that accounts lack something
 *
 * For commands whose output has no place for it, or whose viewers do not show it.
 */
#ifndef TALLY_TOOL_COMMANDS_LOSS_NOTE_H
#define TALLY_TOOL_COMMANDS_LOSS_NOTE_H

#include "tool/model/profile/profile.h"

/* On stderr, if a ledger lost events, or its program's were not all seen. */
void loss_note(const char *source, const struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_LOSS_NOTE_H */
