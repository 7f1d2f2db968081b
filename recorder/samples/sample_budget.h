/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_budget.h - how far samples are apart, so that they cost what they may
 *
 * All threads add up what samples cost, in ticks of a clock. Every 50 ms, or
 * later where few samples fit into a budget, one thread compares that with what
 * the time allows and moves the interval; at once when all of it is spent. What
 * was too much or too little is made up for within a second.
 *
 * Calls that pass take time as well, which is in the budget: how many they are
 * follows from the samples. Where they alone are too many, samples still may
 * take a quarter of the budget, for nothing would be known without them.
 *
 * The time is that of as many CPUs as the process has threads, and may use:
 * what was idle can sample a burst at once, and one thread does not pay for all
 * CPUs of a large machine. Intervals are powers of two: the ledger counts bytes
 * by each. Why sums are right on average: docs/decisions, number 28.
 */
#pragma once

#include <stdint.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/session_layout.h"

#define SAMPLE_LEAST (UINT64_C(1) << 14)
#define SAMPLE_MOST  (UINT64_C(1) << 34)

struct sample_budget {
    uint64_t interval; /* bytes, of who draws next */
    double share;      /* of one CPU's time; 0: the interval stays */
    double cpus;
    double second;   /* ticks */
    uint64_t begun;  /* when the interval was last looked at */
    uint64_t spent;  /* ticks since then */
    uint64_t calls;  /* blocks since then, as samples tell */
    int64_t debt;    /* ticks spent too much; below 0: saved */
    int32_t threads; /* that allocate */
};

/* With the clock's `ticks` in a second. The caller says when it has `begun`. */
void sample_budget_begin(struct sample_budget *budget,
                         const struct session_header *settings, uint64_t ticks);

/* Add what a thread has spent; but not all that it did not run. */
void sample_budget_spend(struct sample_budget *budget, uint64_t ticks);

/* Add blocks that a sample stands for. */
void sample_budget_count(struct sample_budget *budget, uint64_t blocks);

/* Move the interval if that is due, unless another thread does, and write it
   down with what was spent. */
void sample_budget_move(struct sample_budget *budget, uint64_t now,
                        struct ledger_header *header);
