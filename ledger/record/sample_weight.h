/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_weight.h - what a sampled block stands for:
 * format/ledger/lifetimes_layout.h
 */
#ifndef TALLY_LEDGER_SAMPLE_WEIGHT_H
#define TALLY_LEDGER_SAMPLE_WEIGHT_H

#include <stdint.h>

struct sample_weight {
    uint64_t blocks;
    uint64_t bytes;
    double blocks_variance;
    double bytes_variance;
};

/*
 * Of a block of `size` bytes, at least 1, when there is a sample in each
 * `interval` bytes. `random` decides what is rounded up.
 */
struct sample_weight sample_weigh(uint64_t interval, uint64_t size,
                                  uint64_t random);

#endif /* TALLY_LEDGER_SAMPLE_WEIGHT_H */
