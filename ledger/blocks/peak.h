/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak.h - the bytes of each site at the peak of the heap
 *
 * The peak itself is in heap_total.h. The bytes of each site are known only
 * during the peak. They are kept in LEDGER_SEGMENT_PEAKS, in one of two modes:
 *
 * Copies, if several threads allocate. All sites are copied when the heap was
 * larger than at the last copy and has fallen by 0.1 %. Each check adds up all
 * totals, unflushed gains included. The sum of a copy is stored with it:
 * readers print it beside the peak. While more than that is live, the live
 * bytes are the peak's, so a growing heap is not copied.
 *
 *   P1  no copy is of fewer bytes than the last. Blocks freed while copying are
 *       missing: then the next copy must exceed the bytes left, not the peak
 *   P2  one thread copies at a time
 *
 * A copy takes about as long as the checks before it, so one may be left out
 * unless it exceeds the last by 1 %; the next one must then exceed the one left
 * out by 0.1 %. A thread that frees much while another copies yields the CPU to
 * it, for at most 100 ms and once for each copy: a copying thread that waits
 * for a CPU would copy what the others have left. The copied pages exist, since
 * their sites do. How far each thread may go before its next check is in its
 * ledger_total.
 *
 * Deltas, as long as only one thread has allocated. The segment holds the
 * difference between each site's bytes at the peak and now. So nothing is
 * copied at a peak, and every peak is exact, however many follow each other:
 *
 *   1.  deltas begin with the first free below a peak. Then every call leaves
 *       the fast path, as the total's `room` is far below 0; the fast path
 *       itself does no more than before
 *   N2  the sites changed since the peak are listed: at most
 *       PEAK_DELTAS_CAPACITY
 *
 * When the heap passes the peak, the listed sites are reset to no difference.
 * The next free begins again; if there is none soon, the fast path is back.
 * After so many deltas that adding up all sites costs little beside them, they
 * are added up once, and deltas end until there is a higher peak. A second
 * thread that begins to allocate ends deltas in this way, whatever the first is
 * doing: the result may be off by the block in the first thread's hands.
 *
 * The peak of heap and maps together is only a number, without sites. While
 * deltas are kept, a call is checked when it passes that peak or the heap's:
 * `top_room` is the room at which the nearer one is passed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/reference.h"
#include "format/ledger/segments_layout.h"
#include "ledger/export.h"
#include "ledger/shards/shard_add.h"
#include "ledger/space/process.h"

/* change of one site's blocks and bytes */
struct peak_change {
    uint32_t reference;
    int64_t blocks, bytes;
};

/*
 * Flush `total`, which the calling thread owns or shares, and check the peak:
 * after a free of a block with this reference and size, or with 0 and 0 after
 * an allocation.
 */
void peak_watch(struct ledger_total *total, uint32_t reference, uint64_t size);

enum {
    PEAK_DELTAS_CAPACITY = 32768,
    PEAK_DELTAS_KNOWN = 2048,
    PEAK_DELTAS_ADDRESS = 48, /* bits */
};

_Static_assert((UINT64_C(1) << REFERENCE_ID_BITS) / PEAK_DELTAS_KNOWN <=
                   UINT64_C(1) << (64 - PEAK_DELTAS_ADDRESS),
               "");

struct peak_deltas {
    struct ledger_peak *changed[PEAK_DELTAS_CAPACITY];
    /* By reference: its peak and, above that, the bits of the reference that
       the index lacks, in one word: a signal handler finds all or nothing. */
    uint64_t known[PEAK_DELTAS_KNOWN];
};

extern HIDDEN struct peak_deltas peak_deltas;

/* Return the peak of a reference, or NULL if it is not known here. */
static inline struct ledger_peak *peak_deltas_known(uint32_t reference)
{
    uint64_t known = peak_deltas.known[reference % PEAK_DELTAS_KNOWN] ^
                     (uint64_t)(reference / PEAK_DELTAS_KNOWN)
                         << PEAK_DELTAS_ADDRESS;

    return known >> PEAK_DELTAS_ADDRESS == 0 ? (void *)(uintptr_t)known : NULL;
}

static inline void peak_deltas_write(struct ledger_peak *peak, int64_t blocks,
                                     int64_t bytes)
{
    int64_t number = shard_count_word(&process.peak.delta_count);

    peak_deltas.changed[(uint64_t)number % PEAK_DELTAS_CAPACITY] = peak;
    shard_add_word((int64_t *)&peak->blocks, 0 - (uint64_t)blocks);
    shard_add_word((int64_t *)&peak->bytes, 0 - (uint64_t)bytes);
}

/* Return the total whose deltas are kept, or NULL if there are none or
   enough. */
static inline struct ledger_total *peak_deltas_kept(void)
{
    return LIKELY(process.peak.delta_count < process.peak.delta_limit)
               ? process.peak.delta_total
               : NULL;
}

static inline bool peak_deltas_is_new_peak(const struct ledger_total *total)
{
    return total->room < process.peak.top_room;
}

/* While deltas are kept: handle an allocation above a peak, and the first free
   after it. */
void peak_deltas_on_new_peak(struct ledger_total *total, struct reference made);
void peak_deltas_on_first_free(struct reference freed);

/* Handle the common case of peak_deltas_flush(); return false for all
   others. */
static inline __attribute__((always_inline)) bool
peak_deltas_add(enum shard_side side, struct reference block)
{
    struct ledger_total *total = peak_deltas_kept();
    struct ledger_peak *peak;

    if (UNLIKELY(total == NULL))
        return false;
    if (side == SHARD_ALLOC && peak_deltas_is_new_peak(total)) {
        peak_deltas_on_new_peak(total, block);
        return true;
    }
    if (side == SHARD_FREE && process.peak.passes != 0) {
        peak_deltas_on_first_free(block);
        return true;
    }
    peak = peak_deltas_known(block.id);
    if (UNLIKELY(peak == NULL))
        return false;
    if (side == SHARD_FREE)
        peak_deltas_write(peak, -1, 0 - (int64_t)block.size);
    else
        peak_deltas_write(peak, 1, (int64_t)block.size);
    return true;
}

/* After one more block or one fewer, write its delta if deltas are kept, else
   check the peak. The calling thread owns `total`. Return false if there are
   more threads: then call peak_watch(). */
bool peak_deltas_flush(struct ledger_total *total, enum shard_side side,
                       struct reference block);

/* Add the bytes of a map, or subtract those of an unmap, after
   heap_total_begin_maps(). One thread at a time. */
void peak_map(int64_t bytes);

/* Called before the first block of a thread that owns `total`, or none if
   NULL. */
void peak_deltas_share(const struct ledger_total *total);
