/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak_copy.h - what each site holds now, from the counters to LEDGER_SEGMENT_PEAKS
 *
 * A page of counters takes memory only once a thread has counted there. Reading
 * it would fill it, for each site and each shard, so pages that are not in
 * memory are left out; but one that was swapped out is not in memory either.
 */
#ifndef TALLY_LEDGER_PEAK_COPY_H
#define TALLY_LEDGER_PEAK_COPY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The sum of all bytes; a block with this reference and size is counted as if it
 * were not freed yet, reference 0: none. `is_everywhere`: read all pages. By one
 * thread at a time.
 */
uint64_t peak_copy(uint32_t reference, uint64_t size, bool is_everywhere);

/*
 * Turn the differences to what sites hold, all in one shard, into what they
 * held at the peak; returns the sum. peak_clear() sets all to 0.
 */
uint64_t peak_complete(uint32_t shard);
void peak_clear(void);

#endif /* TALLY_LEDGER_PEAK_COPY_H */
