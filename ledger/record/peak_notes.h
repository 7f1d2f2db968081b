/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak_notes.h - what has changed since the peak, as long as one thread allocates
 *
 * While notes are kept, LEDGER_SEGMENT_PEAKS holds the difference between what each
 * site held at the peak and what it holds now. So nothing is copied at a peak, and
 * every peak is exact, however many follow each other:
 *
 *   N1  notes begin with the first free below a peak. Then every call is due, since
 *       the total's `room` is far below nothing; the short ways do no more than ever
 *   N2  when the heap passes the peak, the sites noted are set to no difference. The
 *       next free begins anew; where none comes soon, the short ways are short again
 *   N3  after so many notes that adding up all sites costs little beside them, that
 *       is done once, and notes end until there is a higher peak
 *   N4  a second thread that begins to allocate ends them so, whatever the first is
 *       doing: that may make a mistake by the block that it has in hand
 */
#ifndef TALLY_LEDGER_PEAK_NOTES_H
#define TALLY_LEDGER_PEAK_NOTES_H

#include <stdbool.h>

#include "core/accounts/reference.h"
#include "format/ledger/ledger_layout.h"
#include "ledger/export.h"
#include "ledger/record/process.h"
#include "ledger/shards/shard_add.h"

enum {
    PEAK_NOTES_CAPACITY = 32768,
    PEAK_NOTES_KNOWN = 2048,
    PEAK_NOTES_ADDRESS = 48, /* bits */
};

_Static_assert((UINT64_C(1) << REFERENCE_ID_BITS) / PEAK_NOTES_KNOWN <=
                   UINT64_C(1) << (64 - PEAK_NOTES_ADDRESS),
               "");

struct peak_notes {
    struct ledger_peak *changed[PEAK_NOTES_CAPACITY];
    /*
     * By reference: its peak, and above that the bits of the reference that do not
     * say where it is, so that a signal handler finds all or nothing.
     */
    uint64_t known[PEAK_NOTES_KNOWN];
};

extern HIDDEN struct peak_notes peak_notes;

/* Its peak; NULL: not known. */
static inline struct ledger_peak *peak_notes_known(uint32_t reference)
{
    uint64_t known = peak_notes.known[reference % PEAK_NOTES_KNOWN] ^
                     (uint64_t)(reference / PEAK_NOTES_KNOWN)
                         << PEAK_NOTES_ADDRESS;

    return known >> PEAK_NOTES_ADDRESS == 0 ? (void *)(uintptr_t)known : NULL;
}

/* One block, and so many bytes: less than at the peak after a free, else more. */
static inline void peak_notes_write(struct ledger_peak *peak,
                                    enum shard_side side, uint64_t size)
{
    int64_t number = shard_count_word(&process.peak.noted);

    peak_notes.changed[(uint64_t)number % PEAK_NOTES_CAPACITY] = peak;
    shard_add_word((int64_t *)&peak->blocks,
                   side == SHARD_FREE ? 1 : -UINT64_C(1));
    shard_add_word((int64_t *)&peak->bytes,
                   side == SHARD_FREE ? size : 0 - size);
}

/* The total whose changes are noted; NULL: none, or there were notes enough. */
static inline struct ledger_total *peak_notes_kept(void)
{
    return LIKELY(process.peak.noted < process.peak.note_limit)
               ? process.peak.noting
               : NULL;
}

static inline bool peak_notes_are_passed(const struct ledger_total *total)
{
    return total->room < process.peak.top_room;
}

/* While notes are kept: an allocation above the peak, and the first free then. */
void peak_notes_pass(struct ledger_total *total);
void peak_notes_fall(const struct ledger_total *total, struct reference freed);

/* peak_notes_settle(), quickly; false: this call needs more. */
static inline __attribute__((always_inline)) bool
peak_notes_add(enum shard_side side, struct reference block)
{
    struct ledger_total *total = peak_notes_kept();
    struct ledger_peak *peak;

    if (UNLIKELY(total == NULL))
        return false;
    if (side == SHARD_ALLOC && peak_notes_are_passed(total)) {
        peak_notes_pass(total);
        return true;
    }
    if (side == SHARD_FREE && process.peak.passes != 0) {
        peak_notes_fall(total, block);
        return true;
    }
    peak = peak_notes_known(block.id);
    if (UNLIKELY(peak == NULL))
        return false;
    peak_notes_write(peak, side, block.size);
    return true;
}

/*
 * By the owner of `total`, which is due after one block more or less. False: there are
 * more threads, peak_accounts.h; then the total is to be settled.
 */
bool peak_notes_settle(struct ledger_total *total, enum shard_side side,
                       struct reference block);

/* Before the first block of a thread that owns `total`; NULL: that owns none. */
void peak_notes_share(const struct ledger_total *total);

#endif /* TALLY_LEDGER_PEAK_NOTES_H */
