/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mode.h - an entry point's action: one word, one writer
 *
 *     facts  ---- mode_of() ---->  process.mode  ---->  tables of entry points
 *
 * Code that changes a fact calls mode_choose(). The word lies in the page that
 * a fork wipes, so a forked child is in MODE_STARTING. A call under way when
 * the mode changes ends as it began: each function is correct in each mode,
 * only slower or faster. ARCHITECTURE.md has the table of modes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "ledger/export.h"
#include "ledger/space/process.h"

enum mode {
    /* new process: the first call opens its ledger */
    MODE_STARTING = 0,
    MODE_RECORDING,
    /* recording with compressed references, or not libc's allocator */
    MODE_FAR,
    MODE_PATCHED, /* ... whose calls may come back to us */
    MODE_IDLE,    /* not recorded, for good */
    MODE_OFF,     /* switched off; recorded blocks may be live */
    MODE_EMPTY,   /* switched off; no recorded block is live */
    /* only a countdown (countdown.h): by words, bytes or both */
    MODE_WORDS,
    MODE_WORDS_ONE_THREAD, /* in a process with one thread */
    MODE_BYTES,
    MODE_BYTES_ONE_THREAD,
    /* by bytes, for samples alone, where small requests do not fail */
    MODE_SAMPLED,
    MODE_SAMPLED_ONE_THREAD,
    MODE_BOTH,
    MODE_LIVE,     /* also live bytes: counting.h */
    MODE_OBSERVED, /* all else: observe.h */
    MODES,
};

struct mode_facts {
    bool is_open;    /* the process has a ledger */
    bool is_idle;    /* it is not recorded */
    bool is_sampled; /* only samples of the heap are accounted for */
    bool is_far; /* references are never near: ledger/blocks/ledger_blocks.h */
    /* calls arrive by jumps in the allocator: real_allocator.h */
    bool is_patched;
    bool is_off;       /* switched off by `tally ctl` */
    bool holds_blocks; /* while off: recorded blocks may be live */
    bool is_observed;  /* an observer wants each call, ... */
    bool counts_live;  /* ... or only live_bytes does */
    bool has_budgets;  /* forked, and its parent's limits apply here too */
    bool counts_words;
    bool counts_bytes;
    bool counts_samples; /* ... for samples alone, of blocks that cannot fail */
    bool is_single_threaded; /* the process has one thread */
};

enum mode mode_of(const struct mode_facts *facts);

/* Choose the mode after a fact has changed. Any thread, any signal handler. */
void mode_choose(void);

/* Choose the mode as recording is off. Return `block`, to end in a jump. */
void *mode_choose_off(void *block);

/* Note that a recorded block was freed while recording is off. */
void mode_block_freed(void);

static inline enum mode mode_now(void)
{
    return PLAIN_LOAD(&process.mode);
}

/* Return true if a failed request stays counted. */
static inline bool mode_counts_failed(void)
{
    return mode_now() - MODE_SAMPLED <= MODE_SAMPLED_ONE_THREAD - MODE_SAMPLED;
}

static inline bool mode_is_recording(void)
{
    return PLAIN_LOAD(&process.mode) == MODE_RECORDING;
}

static inline bool mode_records(void)
{
    return mode_now() - MODE_RECORDING <= MODE_PATCHED - MODE_RECORDING;
}
