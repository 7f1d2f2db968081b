/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_accounts.h - what a sampled block stands for, and the most that lived
 * at once, as samples tell: format/ledger/lifetimes_layout.h
 *
 * The most that an estimate ever shows is too much: of all its errors the one
 * that adds most is in it. So samples are of two halves, by chance, and each
 * half is an estimate of its own, of samples twice as far apart. When one half
 * was at its highest is independent of the other's errors, so what the other
 * one shows then is on average what lived at that instant, which is the peak or
 * less. `peak_bytes` is the mean of both. What all samples show at most is kept
 * beside it, as a bound.
 *
 * Threads that add at the same time may each miss what the other adds: by a
 * sample or two.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ledger/space/ledger_writer.h"

/*
 * Of a block of `size` bytes, at least 1, when there is a sample in each
 * `interval` bytes. `random` decides what is rounded up.
 */
struct sample_weight sample_weigh(uint64_t interval, uint64_t size,
                                  uint64_t random);

struct ledger_header;

/* A sampled block in the halves: a large one is in both. */
struct sample_halves {
    int64_t bytes; /* that it stands for where it is */
    bool is_in[2];
};

/* Of a block of `size` bytes with so many samples; interval 1: in both. */
struct sample_halves sample_peak_split(uint64_t interval, uint64_t size,
                                       uint64_t hits, const uint64_t random[2]);

/* A sampled block that stands for so many bytes begins or ceases to live. */
void sample_peak_add(struct ledger_header *header,
                     const struct sample_halves *halves, uint64_t bytes);
void sample_peak_subtract(struct ledger_header *header,
                          const struct sample_halves *halves, uint64_t bytes);
