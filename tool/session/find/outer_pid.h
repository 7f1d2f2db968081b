/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outer_pid.h - processes of another PID namespace, by the numbers they have
 * here
 *
 * A recorder in a container writes the numbers that it sees to its ledger. They
 * are replaced by our numbers before anything is done by number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Return true if the process is in another PID namespace than we are. */
bool outer_pid_is_needed(pid_t pid);

/* Replace the numbers in the ledger that begins at `offset` of the session's
   file. The ledger of an ended process keeps its own. */
void outer_pid_write(int session, uint64_t offset);
