/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_accounts.h - who allocated what, out of calls of allocation functions
 *
 * A request that fails counts as failed and as nothing else. A realloc is one
 * allocation by its caller and one free of the block it was given, which is
 * left as it was if it fails; of no block it is an allocation alone, and with
 * size 0 and no result a free alone. Bytes are those that were asked for.
 *
 * Traces may lack events. A block whose allocation is missing is counted when
 * it is freed, and changes nothing else. When a live address is handed out
 * again, its free is missing, and is done then. It may just come late: a
 * realloc that moves a block is recorded when it is over, and another thread
 * may have got the old address by then.
 *
 *     call_accounts_add(&accounts, &event);
 *     ...
 *     call_accounts_close(&accounts);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text/mem_trace_event.h"
#include "tool/model/calls/live_blocks.h"
#include "tool/model/profile/amounts.h"
#include "tool/tables/index_table.h"

enum {
    CALL_THREAD_SLOTS = 256,
    CALL_OVERTAKEN_SLOTS = 64,
};

enum { LIVE_LINE_POINTS = 512 };

struct live_point {
    uint64_t place; /* a time in nanoseconds, or the number of an event */
    uint64_t live_bytes;
    uint64_t live_blocks; /* when there were most bytes */
    uint64_t total_bytes; /* allocated until the next point */
};

/*
 * What was live over time. Whatever the number of events, a line has at most
 * LIVE_LINE_POINTS points: each is the most live bytes from its place until the
 * next one's.
 */
struct live_line {
    struct live_point points[LIVE_LINE_POINTS];
    size_t count;
    uint64_t stride; /* events of a point, except of the last one */
    uint64_t filled; /* private: events of the last point */
};

/* Sums wrap, as what is read may be anything. */
struct call_amounts {
    uint64_t alloc_blocks, alloc_bytes;
    uint64_t free_blocks, free_bytes;
    uint64_t peak_bytes; /* the most that was live at once */
    uint64_t temporary;  /* freed before their thread allocated again */
    uint64_t failed;
    uint64_t failed_largest; /* bytes */
};

struct call_site {
    uint64_t caller;
    uint32_t frame; /* that it was called from; 0: not known */
    struct call_amounts amounts;
    uint64_t at_peak_blocks, at_peak_bytes; /* live at the sum's peak */
    uint64_t peak_number;           /* private: of the peak that these are of */
    struct lifetime_sum all, freed; /* of samples */
};

/* A frame, of a lower number the one that it was called from. */
struct call_frame {
    uint64_t caller; /* 0: what is further out is not known */
    uint32_t parent; /* 0: there is none */
};

/* All fields 0 is empty. */
struct call_accounts {
    struct call_site *sites; /* in the order of their first call */
    size_t site_count;
    struct call_frame *frames; /* the first one is number 1 */
    size_t frame_count;
    struct call_amounts sum;
    uint64_t events;
    /* Set before the first event: blocks are samples, so far apart, and stand
       for others; or 0. */
    uint64_t sample_interval;
    uint64_t foreign_frees; /* of blocks whose allocation is not there */
    uint64_t lost_frees;    /* that are not there */
    uint64_t odd_sizes;     /* results for more bytes than there can be */
    uint64_t peak_place;    /* where the peak was first reached */
    uint64_t peak_number;   /* of the peaks so far */
    bool has_times;
    uint64_t first, last; /* place of the first and of the last event */
    struct live_line line;

    struct live_blocks blocks; /* private from here on */
    struct index_table table;  /* of `sites` */
    struct index_table frame_table;
    struct lifetime_sum *samples; /* what each stands for; the first is 1 */
    size_t sample_count;
    uint32_t frame;       /* of the allocation that comes next, so far */
    uint64_t frames_left; /* with this one */
    struct call_newest {
        uint32_t thread;
        uint64_t address;
    } newest[CALL_THREAD_SLOTS]; /* what threads allocated last */
    struct call_overtaken {
        uint64_t address; /* 0: none */
        uint64_t event;   /* that handed it out again */
        uint32_t thread;  /* ... */
    } overtaken[CALL_OVERTAKEN_SLOTS];
    uint64_t overtaken_count; /* ever; the slots go around */
};

/* An event will be added soon: so that this need not wait for memory. */
static inline void call_accounts_expect(const struct call_accounts *accounts,
                                        const struct mem_trace_event *event)
{
    live_blocks_expect(&accounts->blocks,
                       event->pointer != 0 ? event->pointer : event->result);
}

void call_accounts_add(struct call_accounts *accounts,
                       const struct mem_trace_event *event);

/* After the last event: what each site held at the peak of all of them. */
void call_accounts_finish(struct call_accounts *accounts);

/* What is live, in all. */
uint64_t call_accounts_live_bytes(const struct call_accounts *accounts);
uint64_t call_accounts_live_blocks(const struct call_accounts *accounts);

void call_accounts_close(struct call_accounts *accounts);
