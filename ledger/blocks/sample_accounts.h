/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_accounts.h - blocks and bytes that a sample stands for, and the peak
 * that samples estimate: format/ledger/segments_layout.h
 *
 * The maximum of an estimate over time is too high: it includes the largest of
 * all errors. So samples are split at random into two halves, each an estimate
 * of its own with samples twice as far apart. The time of one half's maximum is
 * independent of the other's errors, so the other's value at that time is on
 * average the live bytes of that instant: the peak or less. `peak_bytes` is the
 * mean of both. The maximum of all samples is kept beside it, as a bound.
 *
 * Threads that add at the same time may each miss the other's sample or two.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ledger/space/ledger_writer.h"

/* Weigh a block of `size` bytes, at least 1, with one sample in each `interval`
   bytes. `random` decides about rounding. */
struct sample_weight sample_weigh(uint64_t interval, uint64_t size,
                                  uint64_t random);

struct ledger_header;

/* a sampled block's part in the halves: a large block is in both */
struct sample_halves {
    int64_t bytes; /* bytes that it stands for in a half */
    bool is_in[2];
};

/* Split a block of `size` bytes with `hits` samples; interval 1: into both. */
struct sample_halves sample_peak_split(uint64_t interval, uint64_t size,
                                       uint64_t hits, const uint64_t random[2]);

/* Begin or end the life of a sampled block that stands for so many bytes. */
void sample_peak_add(struct ledger_header *header,
                     const struct sample_halves *halves, uint64_t bytes);
void sample_peak_subtract(struct ledger_header *header,
                          const struct sample_halves *halves, uint64_t bytes);
