/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak_accounts.h - who held how much when the heap held most
 *
 * The most itself is exact (heap_total.h). Who held it is known only while it is
 * there, so the accounts of all sites are copied, to LEDGER_SEGMENT_PEAKS:
 *
 *   P1  when the heap is larger than at the last copy and begins to fall. With one
 *       thread that is the first free, whose block is counted as if it were there
 *       still, so that the copy is exact; with more, when it has fallen by 0.1 %
 *   P2  what a copy found is its own sum, which is stored with it: readers print
 *       it beside the peak. While more than that is live, what is live is who held
 *       the most: a heap that grows is not copied
 *   P3  copying takes about as long as looking whether to copy, so one may be left
 *       out, but for one that finds 5 % more than the last; the next is then what
 *       exceeds the one left out by 0.1 %
 *   P4  one thread copies at a time, and nobody waits for it
 *
 * How far each thread may go before it looks here is in its ledger_total.
 */
#ifndef TALLY_LEDGER_PEAK_ACCOUNTS_H
#define TALLY_LEDGER_PEAK_ACCOUNTS_H

#include <stdint.h>

#include "format/ledger_layout.h"

/*
 * The calling thread has just settled `total`, its own, after a free of a block
 * with this reference and size; reference 0: after an allocation.
 */
void peak_accounts_watch(struct ledger_total *total, uint32_t reference,
                         uint64_t size);

#endif /* TALLY_LEDGER_PEAK_ACCOUNTS_H */
