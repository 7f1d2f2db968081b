/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak.h - what each site held at the peak of heap and maps together
 *
 * heap_total.h has the peak itself. What each site held is known only during
 * the peak. It is kept in LEDGER_SEGMENT_PEAKS, in one of two ways:
 *
 * Copies, where several threads allocate. All accounts are copied when the heap
 * is larger than at the last copy and has fallen by 0.1 %. Each look adds up
 * all totals, also what is not in the whole yet. What a copy found is its own
 * sum, which is stored with it: readers print it beside the peak. While more
 * than that is live, the live accounts are the peak's: a heap that grows is not
 * copied.
 *
 *   P1  no copy is of less than the last. What was freed while copying is
 *       missing: then the next copy is of what exceeds what was left, not the
 *       peak
 *   P2  one thread copies at a time
 *
 * Copying takes about as long as looking whether to copy, so one may be left
 * out, but for one that finds 1 % more than the last; the next is then what
 * exceeds the one left out by 0.1 %. A thread that frees much while another
 * copies yields the CPU to it, for 100 ms at most and once for each copy; else
 * a copying thread that waits for a CPU would copy what the others have left.
 * The pages that are copied to exist since their sites do. How far each thread
 * may go before it looks here is in its ledger_total.
 *
 * Notes, as long as one thread alone has allocated. The segment holds the
 * difference between what each site held at the peak and what it holds now. So
 * nothing is copied at a peak, and every peak is exact, however many follow
 * each other:
 *
 *   1.  notes begin with the first free below a peak. Then every call is due,
 *       since the total's `room` is far below nothing; the short ways do no
 *       more than ever
 *   N2  the sites noted since the peak are at hand: at most PEAK_NOTES_CAPACITY
 *
 * When the heap passes the peak, the sites noted are set to no difference. The
 * next free begins anew; where none comes soon, the short ways are short again.
 * After so many notes that adding up all sites costs little beside them, that
 * is done once, and notes end until there is a higher peak. A second thread
 * that begins to allocate ends them so, whatever the first is doing: that may
 * make a mistake by the block that it has in hand.
 *
 * Of the heap alone only its peak is known, and not who held it. While notes
 * are kept, a call is looked at when it passes that, or the peak of both:
 * `top_room` is where the nearer one is passed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/reference.h"
#include "format/ledger/sites_layout.h"
#include "ledger/export.h"
#include "ledger/shards/shard_add.h"
#include "ledger/space/process.h"

/* What a site holds more, or less. */
struct peak_change {
    uint32_t reference;
    int64_t blocks, bytes;
};

/*
 * By the calling thread, which owns or shares `total`: add it to the whole,
 * after a free of a block with this reference and size; reference and size 0:
 * after an allocation.
 */
void peak_accounts_watch(struct ledger_total *total, uint32_t reference,
                         uint64_t size);

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
     * By reference: its peak, and above that the bits of the reference that do
     * not say where it is, so that a signal handler finds all or nothing.
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

/* What it holds more, or less, than before. */
static inline void peak_notes_write(struct ledger_peak *peak, int64_t blocks,
                                    int64_t bytes)
{
    int64_t number = shard_count_word(&process.peak.noted);

    peak_notes.changed[(uint64_t)number % PEAK_NOTES_CAPACITY] = peak;
    shard_add_word((int64_t *)&peak->blocks, 0 - (uint64_t)blocks);
    shard_add_word((int64_t *)&peak->bytes, 0 - (uint64_t)bytes);
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

/* While notes are kept: an allocation above a peak; the first free then. */
void peak_notes_pass(struct ledger_total *total, struct reference made);
void peak_notes_fall(struct reference freed);

/* peak_notes_flush(), quickly; false: this call needs more. */
static inline __attribute__((always_inline)) bool
peak_notes_add(enum shard_side side, struct reference block)
{
    struct ledger_total *total = peak_notes_kept();
    struct ledger_peak *peak;

    if (UNLIKELY(total == NULL))
        return false;
    if (side == SHARD_ALLOC && peak_notes_are_passed(total)) {
        peak_notes_pass(total, block);
        return true;
    }
    if (side == SHARD_FREE && process.peak.passes != 0) {
        peak_notes_fall(block);
        return true;
    }
    peak = peak_notes_known(block.id);
    if (UNLIKELY(peak == NULL))
        return false;
    if (side == SHARD_FREE)
        peak_notes_write(peak, -1, 0 - (int64_t)block.size);
    else
        peak_notes_write(peak, 1, (int64_t)block.size);
    return true;
}

/*
 * By the owner of `total`, which is due after one block more or less. False:
 * there are more threads; then peak_accounts_watch() is due.
 */
bool peak_notes_flush(struct ledger_total *total, enum shard_side side,
                      struct reference block);

/*
 * By the thread that maps or unmaps, one at a time, after its site's counters
 * have it: add that to the whole.
 */
void peak_map(struct peak_change change);

/* Before the first block of a thread that owns `total`; NULL: it owns none. */
void peak_notes_share(const struct ledger_total *total);
