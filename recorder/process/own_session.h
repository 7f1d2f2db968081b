/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_session.h - accounts that the program itself reads, without tally record
 *
 * Without `tally record` the recorder stays idle, unless libtally is in the
 * process: then mbed_stats_heap_get() and the tags ask the recorder for figures
 * of the whole heap. It opens a session in this process's own memory, as libtally
 * does where there is no recorder, and with the setting of the environment
 * (tally/mem_profiling.h). A child that is forked has a ledger of its own in it.
 */
#ifndef TALLY_RECORDER_OWN_SESSION_H
#define TALLY_RECORDER_OWN_SESSION_H

#include <stdbool.h>

#include "ledger/space/session.h"

/* When there is no session to join. False: no accounts are kept here. */
bool own_session_claim(struct session_claim *claim);

/*
 * A copy of libtally is in the process, and asks. Where that could not be seen
 * before, the accounts begin now; any thread, nothing happens the second time.
 */
void own_session_want(void);

#endif /* TALLY_RECORDER_OWN_SESSION_H */
