/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_stacks.h - call stacks, and what else is known of sites, checked
 *
 * The part of the reader that gives frames, peaks, temporary blocks and, of
 * ledgers with LEDGER_FLAG_SAMPLED, whose accounts of the heap are estimates,
 * sums over samples; see ledger_reader.h. A stack is the address of a site,
 * that of its frame, of that frame's parent and so on:
 *
 *     for (uint32_t i = site.frame; i != 0 && i != LEDGER_FRAME_CUT;
 *          i = frame.parent) {
 *         if (ledger_reader_frame(&reader, i, &frame) <= 0)
 *             break;
 *         use(frame.address);
 *     }
 *
 * Parents have lower numbers than their children, in hostile bytes too, so that
 * every walk ends. Numbers that are asked for in turn are found at once.
 */
#ifndef TALLY_FORMAT_LEDGER_STACKS_H
#define TALLY_FORMAT_LEDGER_STACKS_H

#include "format/ledger/ledger_reader.h"
#include "format/ledger/lifetimes_layout.h"

struct ledger_frame_view {
    uint32_t parent;  /* lower than its own; 0 whole; LEDGER_FRAME_CUT */
    uint32_t module;  /* 0 unknown */
    uint64_t address; /* return address, never 0 */
};

/* The most that the heap ever held, as the recorder saw it. */
struct ledger_heap_peak {
    uint64_t bytes;       /* 0: it was not watched */
    uint64_t uncertainty; /* bytes by which it may be too low, or too high */
    uint64_t copied;      /* live bytes when the sites' peaks were written */
    uint64_t copied_ns;   /* CLOCK_REALTIME */
    uint64_t sample_most; /* bytes that samples showed at most; 0: unknown */
    bool is_live; /* more is live now: that is the sites' peak, and `copied` */
    bool is_difference; /* ledger_reader_peak() says what was more than now */
};

/* One more than the highest number that a frame may have, as of now. */
uint32_t ledger_reader_frame_limit(struct ledger_reader *reader);

/* Frame number `index`: 1, or 0 when it is not valid by now, or an error. */
int ledger_reader_frame(struct ledger_reader *reader, uint32_t index,
                        struct ledger_frame_view *frame);

/*
 * The first frame whose number is above `*index`, which becomes its number: 1,
 * or 0 when there is none below `limit`, or an error.
 */
int ledger_reader_next_frame(struct ledger_reader *reader, uint32_t limit,
                             uint32_t *index, struct ledger_frame_view *frame);

void ledger_reader_heap_peak(const struct ledger_reader *reader,
                             struct ledger_heap_peak *peak);

/* What a site held then: 1, or 0 unknown, or an error. */
int ledger_reader_peak(struct ledger_reader *reader, uint32_t site,
                       struct ledger_peak *peak);

/*
 * Blocks of a site that were freed before their thread allocated again, summed
 * over all shards: 1, or 0 unknown, or an error.
 */
int ledger_reader_temporary(struct ledger_reader *reader, uint32_t site,
                            uint64_t *blocks);

/* All allocations by ledger_size_class(): 1, or 0 unknown, or an error. */
int ledger_reader_sizes(struct ledger_reader *reader,
                        uint64_t sizes[LEDGER_SIZE_CLASSES]);

/* Bytes from one sample to the next, on average; 0: all is exact. */
uint64_t ledger_reader_sample_interval(const struct ledger_reader *reader);

/*
 * What is known of a site: 1, or 0 nothing, or an error. Variances are bits of
 * a number that is finite and not below 0.
 */
int ledger_reader_lifetimes(struct ledger_reader *reader, uint32_t site,
                            struct ledger_lifetimes *lifetimes);

#endif /* TALLY_FORMAT_LEDGER_STACKS_H */
