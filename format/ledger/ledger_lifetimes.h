/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_lifetimes.h - what samples tell of a site, checked
 *
 * The part of the reader that gives sums over samples; see ledger_reader.h. They
 * are in ledgers with LEDGER_FLAG_SAMPLED alone, whose other accounts of the heap
 * are estimates as well.
 */
#ifndef TALLY_FORMAT_LEDGER_LIFETIMES_H
#define TALLY_FORMAT_LEDGER_LIFETIMES_H

#include "format/ledger/ledger_reader.h"
#include "format/ledger/lifetimes_layout.h"

/* Bytes from one sample to the next, on average; 0: all is exact. */
uint64_t ledger_reader_sample_interval(const struct ledger_reader *reader);

/*
 * What is known of a site: 1, or 0 nothing, or an error. Variances are bits of a
 * number that is finite and not below 0.
 */
int ledger_reader_lifetimes(struct ledger_reader *reader, uint32_t site,
                            struct ledger_lifetimes *lifetimes);

#endif /* TALLY_FORMAT_LEDGER_LIFETIMES_H */
