/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_source.h - what `tally top` watches: a live process, or a file
 */
#ifndef TALLY_TOOL_COMMANDS_TOP_SOURCE_H
#define TALLY_TOOL_COMMANDS_TOP_SOURCE_H

#include <stdbool.h>

#include "tool/model/profile/profile.h"
#include "tool/session/images/live_ledger.h"

struct top_source {
    const char *name; /* as the user gave it; NULL: found by itself */
    bool has_all;     /* with all other images of the recording */
    bool is_live;     /* a process, not a file */
    bool has_ended;   /* nothing will change any more */
    bool was_read;    /* there were accounts before */
    struct live_ledger ledger;
};

/*
 * `name` NULL: the newest recording of this user. Returns COMMAND_DONE, or
 * another status after a complaint.
 */
int top_source_open(struct top_source *source, const char *name, bool has_all);
void top_source_close(struct top_source *source);

/*
 * The accounts now, finished. NULL after a complaint, or silently when the
 * program has ended since they were read last: `has_ended` tells.
 */
struct profile *top_source_load(struct top_source *source);

#endif /* TALLY_TOOL_COMMANDS_TOP_SOURCE_H */
