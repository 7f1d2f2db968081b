/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak_accounts.h - what each site held at the peak, with several threads
 *
 * heap_total.h has the peak itself. What each site held is known only during
 * the peak, so the accounts of all sites are copied, to LEDGER_SEGMENT_PEAKS:
 *
 *   P1  when the heap is larger than at the last copy and has fallen by 0.1 %. As
 *       long as one thread alone has allocated, peak_notes.h has it to the byte.
 *       Each look adds up all totals, also what is not in the whole yet
 *   P2  what a copy found is its own sum, which is stored with it: readers print
 *       it beside the peak. While more than that is live, the live accounts are
 *       the peak's: a heap that grows is not copied
 *   P3  copying takes about as long as looking whether to copy, so one may be left
 *       out, but for one that finds 1 % more than the last; the next is then what
 *       exceeds the one left out by 0.1 %
 *   P4  one thread copies at a time. A thread that frees much meanwhile yields
 *       the CPU to it, for 100 ms at most and once for each copy; else a
 *       copying thread that waits for a CPU would copy what the others have
 *       left. The pages that are copied to exist since their sites do
 *   P5  what was freed in spite of that is missing: then the next copy is of what
 *       exceeds what was left, not the peak. No copy is of less than the last
 *
 * How far each thread may go before it looks here is in its ledger_total.
 */
#ifndef TALLY_LEDGER_PEAK_ACCOUNTS_H
#define TALLY_LEDGER_PEAK_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/ledger_layout.h"

/*
 * By the calling thread, which owns or shares `total`: settle it, after a free of a
 * block with this reference and size; reference and size 0: after an allocation.
 */
void peak_accounts_watch(struct ledger_total *total, uint32_t reference,
                         uint64_t size);

/* Claim LEDGER_SEGMENT_PEAKS, to write it. False: another thread has it. */
bool peak_accounts_claim(void);
void peak_accounts_release(void);

#endif /* TALLY_LEDGER_PEAK_ACCOUNTS_H */
