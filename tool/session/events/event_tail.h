/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_tail.h - the last events of a program with a black box, in its ledger
 *
 * They become a segment of a snapshot: struct ledger_events, and behind it the
 * stream that --events writes. The program goes on meanwhile, and waits for
 * nothing; what it writes over while we read is left out, and counted with what
 * was written over before.
 */
#pragma once

#include "tool/session/find/ledger_snapshot.h"

/* Add the last events of the snapshot's ledger. Without a black box, or memory
   for its events, nothing is added. */
void event_tail_add(struct ledger_snapshot *snapshot);
