/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.h - tally record --stacks=sampled: accounts out of samples
 *
 * A client of sampling/countdown/countdown.h. Each byte that the program asks for is a sample
 * with the same probability. The ledger counts a block with a sample in it when
 * it is allocated, when it outlives the epoch of its thread, and when it is
 * freed (format/ledger/lifetimes_layout.h). Other blocks cost only the countdown.
 *
 *   S1  sums are in the ledger at once: nothing is lost when the process is killed
 *   S2  what a block adds to a sum it takes out again, to the byte
 *   S3  time is bytes: what all threads have allocated when they took their latest
 *       samples, and what the own one has since
 */
#ifndef TALLY_RECORDER_SAMPLES_H
#define TALLY_RECORDER_SAMPLES_H

#include <stdbool.h>

#include "ledger/space/session.h"

/* The ledger of this process is open, and a forked child has its parent's. */
void samples_begin(const struct session_claim *claim);

#endif /* TALLY_RECORDER_SAMPLES_H */
