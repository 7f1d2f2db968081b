/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_library.h - where libtally-record.so is, in words for LD_PRELOAD
 */
#ifndef TALLY_TOOL_LAUNCH_RECORDER_LIBRARY_H
#define TALLY_TOOL_LAUNCH_RECORDER_LIBRARY_H

#include <limits.h>

#include "tool/session/session_failure.h"

struct recorder_library {
    char path[PATH_MAX];   /* absolute, and LD_PRELOAD can name it */
    char folder[PATH_MAX]; /* private folder that holds a link, or "" */
};

/*
 * $TALLY_RECORDER, or ../lib/ of this command, or beside it. LD_PRELOAD cannot
 * name a path with a space or a colon: then a link is made in a private folder,
 * which recorder_library_remove() takes away.
 */
int recorder_library_find(struct recorder_library *library,
                          struct session_failure *failure);
void recorder_library_remove(const struct recorder_library *library);

#endif /* TALLY_TOOL_LAUNCH_RECORDER_LIBRARY_H */
