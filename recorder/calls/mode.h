/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mode.h - what an entry point does with a call: one word, one writer
 *
 *     facts  ---- mode_of() ---->  process.mode  ---->  tables of entry points
 *
 * Whatever changes a fact calls mode_choose(). The word lies in the page that a
 * fork wipes, so a forked child is in MODE_STARTING. A call that is under way
 * when the mode changes ends as it began: each function is right in each mode,
 * only slower or faster.
 * ARCHITECTURE.md has the table of modes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "ledger/export.h"
#include "ledger/space/process.h"

enum mode {
    /* A new process: the first call opens its ledger. */
    MODE_STARTING = 0,
    MODE_RECORDING,
    MODE_FAR, /* the same with compressed references, or not libc's allocator */
    MODE_PATCHED, /* ... and what that hands on may come back to us */
    MODE_IDLE,    /* nothing is recorded here, for good */
    MODE_OFF,     /* switched off; recorded blocks may be live */
    MODE_EMPTY,   /* switched off; none is */
    /* Nothing but a countdown (countdown.h), by words, bytes or both. */
    MODE_WORDS,
    MODE_WORDS_ONE_THREAD, /* in a process with one thread */
    MODE_BYTES,
    MODE_BYTES_ONE_THREAD,
    MODE_BOTH,
    MODE_LIVE,     /* and what the process holds: counting.h */
    MODE_OBSERVED, /* all else: observe.h */
    MODES,
};

struct mode_facts {
    bool is_open;      /* the process has a ledger */
    bool is_idle;      /* it is not recorded */
    bool is_sampled;   /* the heap's accounts are made of samples */
    bool is_far;       /* no block lies near: ledger/record/record.h */
    bool is_patched;   /* calls come by jumps in the allocator: behind.h */
    bool is_off;       /* `tally ctl` has switched it off */
    bool holds_blocks; /* while it is off: recorded blocks may be live */
    bool is_observed;  /* some observer wants each call, */
    bool counts_live;  /* ... or that of live_bytes alone */
    bool has_budgets;  /* it is forked, and its parent's limits hold here too */
    bool counts_words;
    bool counts_bytes;
    bool is_single_threaded; /* it has one thread */
};

enum mode mode_of(const struct mode_facts *facts);

/* After a fact has changed. Any thread, any signal handler. */
void mode_choose(void);

/* Where recording is found to be off. Returns `block`, to end in a jump. */
void *mode_choose_off(void *block);

/* While it is off: a recorded block was freed. */
void mode_block_freed(void);

static inline enum mode mode_now(void)
{
    return PLAIN_LOAD(&process.mode);
}

static inline bool mode_is_recording(void)
{
    return PLAIN_LOAD(&process.mode) == MODE_RECORDING;
}

static inline bool mode_records(void)
{
    return mode_now() - MODE_RECORDING <= MODE_PATCHED - MODE_RECORDING;
}
