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
 *   N2  when the heap passes the peak, the sites noted are set to no difference, and
 *       the short ways are short again until the next free
 *   N3  after so many notes that adding up all sites costs little beside them, that
 *       is done once, and notes end until there is a higher peak
 *   N4  a second thread that begins to allocate ends them so, whatever the first is
 *       doing: that may make a mistake by the block that it has in hand
 */
#ifndef TALLY_LEDGER_PEAK_NOTES_H
#define TALLY_LEDGER_PEAK_NOTES_H

#include <stdbool.h>

#include "core/reference.h"
#include "format/ledger_layout.h"
#include "ledger/export.h"
#include "ledger/process.h"
#include "ledger/shard_add.h"

enum {
    PEAK_NOTES_CAPACITY = 32768,
    PEAK_NOTES_KNOWN = 2048,
    PEAK_NOTES_ADDRESS = 48, /* bits */
};

_Static_assert((UINT64_C(1) << REFERENCE_ID_BITS) / PEAK_NOTES_KNOWN <=
                   UINT64_C(1) << (64 - PEAK_NOTES_ADDRESS),
               "");

/* What `room` and `highest` are less by while notes are kept. */
#define PEAK_NOTES_UNDER (INT64_C(1) << 61)

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
    uint64_t known = peak_notes.known[reference % PEAK_NOTES_KNOWN];
    uint64_t mask = (UINT64_C(1) << PEAK_NOTES_ADDRESS) - 1;

    return known >> PEAK_NOTES_ADDRESS == reference / PEAK_NOTES_KNOWN
               ? (void *)(uintptr_t)(known & mask)
               : NULL;
}

/* So much more was there at the peak than is now. */
static inline void peak_notes_write(struct ledger_peak *peak, uint64_t blocks,
                                    uint64_t bytes)
{
    int64_t number = process.peak.noted;

    while (!shard_replace_word(&process.peak.noted, &number, number + 1))
        ;
    peak_notes.changed[(uint64_t)number % PEAK_NOTES_CAPACITY] = peak;
    shard_add_word((int64_t *)&peak->blocks, blocks);
    shard_add_word((int64_t *)&peak->bytes, bytes);
}

static inline bool peak_notes_are_kept(const struct ledger_total *total)
{
    return total->rise_at == INT64_MIN;
}

/* It is above the peak, or there were notes enough, or another thread came. */
static inline bool peak_notes_are_over(const struct ledger_total *total)
{
    return total->room < process.peak.top_room ||
           process.peak.noted >= process.peak.note_limit;
}

/* A free has taken the total for the highest: heap_total_rise(). */
static inline void peak_notes_put_back(struct ledger_total *total)
{
    int64_t highest = total->highest;

    while (!shard_replace_word(&total->highest, &highest, -PEAK_NOTES_UNDER))
        ;
    shard_add_word(&total->room, 0 - (uint64_t)(highest + PEAK_NOTES_UNDER));
}

/* Quickly, if all is known and they go on. Not: peak_notes_settle(). */
static inline bool peak_notes_add(const struct ledger_total *total,
                                  uint32_t reference, uint64_t blocks,
                                  uint64_t bytes)
{
    struct ledger_peak *peak = peak_notes_known(reference);

    if (UNLIKELY(peak_notes_are_over(total) || peak == NULL))
        return false;
    peak_notes_write(peak, blocks, bytes);
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
