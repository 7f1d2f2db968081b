/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_search.h - the session that a running process belongs to
 */
#ifndef TALLY_TOOL_SESSION_SESSION_SEARCH_H
#define TALLY_TOOL_SESSION_SESSION_SEARCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "format/ledger/session_layout.h"
#include "tool/session/session_failure.h"

/*
 * Open the session's file for reading and writing and check its header; the
 * descriptor, or -1. Looks where the process's environment says, then at the
 * files that the process maps or has open.
 */
int session_search(pid_t pid, struct session_header *header,
                   struct session_failure *failure);

/* Whether the process was started with a session in its environment. */
bool session_is_named_by(pid_t pid);

#endif /* TALLY_TOOL_SESSION_SESSION_SEARCH_H */
