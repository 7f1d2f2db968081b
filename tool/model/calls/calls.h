/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - live blocks and accounts of traced calls
 */
#pragma once

#include "format/text/mem_trace_text.h"
#include "tool/model/profile/quantities.h"

/*
 * Live blocks at one point of a trace
 *
 * Memory is proportional to the highest number of live blocks.
 */

struct live_block {
    uint64_t address; /* never 0 */
    uint64_t size;    /* requested bytes, or the bytes that a sample stands
                         for */
    uint32_t site;    /* number chosen by the caller */
    uint32_t sample;  /* number chosen by the caller */
};

/* Begins as { 0 }. */
struct live_blocks {
    size_t count;

    struct live_block *table; /* private: open addressing, a power of 2 */
    size_t table_size;
    unsigned table_shift; /* from hash to index */
};

/* Private: return the first slot for an address. */
static inline size_t live_blocks_home(const struct live_blocks *blocks,
                                      uint64_t address)
{
    return (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >>
                    blocks->table_shift);
}

/* Add a block. Return true if it replaces one, which goes into *before. */
bool live_blocks_add(struct live_blocks *blocks, const struct live_block *block,
                     struct live_block *before);

/* Remove the block at an address into *block; return false if there is none. */
bool live_blocks_take(struct live_blocks *blocks, uint64_t address,
                      struct live_block *block);

/* Prefetch the slot of an address. */
static inline void live_blocks_expect(const struct live_blocks *blocks,
                                      uint64_t address)
{
    if (blocks->table_size != 0)
        __builtin_prefetch(&blocks->table[live_blocks_home(blocks, address)]);
}

void live_blocks_close(struct live_blocks *blocks);

/*
 * First calls of a log, and how many the latest ones repeat
 *
 * Begins as { 0 }.
 */
enum { CALL_START_EVENTS = 64 };

struct call_start {
    struct mem_trace_event events[CALL_START_EVENTS];
    unsigned count;   /* of events */
    unsigned again;   /* first calls that the latest calls repeat */
    unsigned live;    /* of these, those that returned a live block */
    unsigned longest; /* longest repetition without such a block */
};

/*
 * Add a call; `was_live` is true if it returned the address of a live block.
 * Return how many of the latest calls begin a second boot, or 0.
 */
unsigned call_start_add(struct call_start *start,
                        const struct mem_trace_event *event, bool was_live);

/*
 * Memory by caller, from calls of allocation functions
 *
 * A failed request counts as failed only. A realloc is an allocation by its
 * caller and a free of the old block, which stays if it fails; without an old
 * block it is an allocation, and with size 0 and no result a free. Bytes are
 * requested bytes.
 *
 * Traces may lack events. A free without an allocation is counted, and changes
 * nothing else. If a live address is returned again, its free is missing and is
 * made up for; it may still come, because a realloc that moves a block is
 * recorded after another thread may have got the old address.
 *
 * Text may be the log of a device that booted more than once. The accounts
 * begin from zero at its last boot.
 *
 *     call_accounts_add(&accounts, &event);
 *     ...
 *     call_accounts_close(&accounts);
 */

enum {
    CALL_THREAD_SLOTS = 256,
    CALL_OVERTAKEN_SLOTS = 64,
};

enum { LIVE_LINE_POINTS = 512 };

struct live_point {
    uint64_t place; /* nanoseconds, or the number of an event */
    uint64_t live_bytes;
    uint64_t live_blocks; /* at live_bytes */
    uint64_t total_bytes; /* bytes allocated until the next point */
};

/* Live memory over time, in at most LIVE_LINE_POINTS points: each has the most
   live bytes from its place to the next. */
struct live_line {
    struct live_point points[LIVE_LINE_POINTS];
    size_t count;
    uint64_t stride; /* events for each point but the last */
    uint64_t filled; /* private: events in the last point */
};

/* Sums wrap if the trace is hostile. */
struct call_amounts {
    uint64_t alloc_blocks, alloc_bytes;
    uint64_t free_blocks, free_bytes;
    uint64_t peak_bytes; /* highest live bytes */
    uint64_t temporary;  /* freed before their thread allocated again */
    uint64_t failed;
    uint64_t failed_largest; /* bytes */
};

struct call_site {
    uint64_t caller;
    uint32_t frame; /* caller's frame; 0 unknown */
    struct call_amounts amounts;
    uint64_t at_peak_blocks, at_peak_bytes; /* live at the sum's peak */
    uint64_t peak_number;                   /* private: the peak of these */
    struct lifetime_sum all, freed;         /* sums of samples */
};

/* Frame; its parent has a lower number. */
struct call_frame {
    uint64_t caller; /* 0: outer frames are unknown */
    uint32_t parent; /* 0: there is none */
};

/* Begins as { 0 }. */
struct call_accounts {
    struct call_site *sites; /* by first call */
    size_t site_count;
    struct call_frame *frames; /* numbered from 1 */
    size_t frame_count;
    struct call_amounts sum;
    uint64_t events;
    /* Bytes between samples, set before the first event; 0: all blocks. */
    uint64_t sample_interval;
    uint64_t foreign_frees; /* frees without an allocation */
    uint64_t lost_frees;    /* frees that are missing */
    uint64_t odd_sizes;     /* results larger than memory can be */
    uint64_t peak_place;    /* first place with the peak */
    uint64_t peak_number;   /* number of peaks so far */
    bool has_times;
    uint64_t first, last;   /* places of the first and the last event */
    uint64_t earlier_boots; /* their events are not counted */
    struct live_line line;

    struct live_blocks blocks; /* private from here on */
    struct index_table table;  /* of `sites` */
    struct index_table frame_table;
    struct lifetime_sum *samples; /* weight of each sample, numbered from 1 */
    size_t sample_count;
    uint32_t frame;       /* innermost known frame of the next allocation */
    uint64_t frames_left; /* frames to come, with this one */
    struct call_newest {
        uint32_t thread;
        uint64_t address;
    } newest[CALL_THREAD_SLOTS]; /* last blocks of threads */
    struct call_overtaken {
        uint64_t address; /* 0: none */
        uint64_t event;   /* number of the event that returned it again */
        uint32_t thread;  /* thread of that event */
    } overtaken[CALL_OVERTAKEN_SLOTS];
    uint64_t overtaken_count; /* in all; slots are a ring */
    struct call_start start;
};

/* Prefetch the block of an event that will be added soon. */
static inline void call_accounts_expect(const struct call_accounts *accounts,
                                        const struct mem_trace_event *event)
{
    live_blocks_expect(&accounts->blocks,
                       event->pointer != 0 ? event->pointer : event->result);
}

void call_accounts_add(struct call_accounts *accounts,
                       const struct mem_trace_event *event);

/* Work out live values at the peak, after the last event. */
void call_accounts_finish(struct call_accounts *accounts);

/* Return the sum of all sites. */
uint64_t call_accounts_live_bytes(const struct call_accounts *accounts);
uint64_t call_accounts_live_blocks(const struct call_accounts *accounts);

void call_accounts_close(struct call_accounts *accounts);
