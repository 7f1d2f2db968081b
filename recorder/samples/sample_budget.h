/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_budget.h - the distance of samples, chosen to keep their cost in
 * budget; and the beginning of samples.c
 *
 * All threads add up the cost of samples, in ticks of a clock. Every 50 ms, or
 * later if few samples fit into a budget, one thread compares the sum with the
 * budget and moves the interval; at once if the budget is spent. Excess and
 * savings are made up for within a second.
 *
 * Calls that take no sample cost time as well, which is in the budget: their
 * number follows from the samples. If they alone exceed it, samples may still
 * take a quarter of the budget, as nothing would be known without them.
 *
 * The budget counts as many CPUs as the process has threads, and may use: idle
 * time can pay for a burst at once, and one thread does not pay for all CPUs of
 * a large machine. Intervals are powers of two: the ledger counts bytes by
 * each. docs/decisions, number 28, says why sums are right on average.
 */
#pragma once

#include <stdint.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/session_layout.h"
#include "ledger/space/session.h"

#define SAMPLE_LEAST (UINT64_C(1) << 14)
#define SAMPLE_MOST  (UINT64_C(1) << 34)

/* Begin to take samples of the heap: the ledger is open. */
void samples_begin(const struct session_claim *claim);

struct sample_budget {
    uint64_t interval; /* bytes, for the next draw */
    double share;      /* of one CPU's time; 0: the interval never moves */
    double cpus;
    double second;   /* in ticks */
    uint64_t begun;  /* time of the last move */
    uint64_t spent;  /* ticks since then */
    uint64_t calls;  /* blocks since then, estimated from samples */
    int64_t debt;    /* ticks spent too many; negative: saved */
    int32_t threads; /* threads that allocate */
};

/* Start with the clock's `ticks` in a second. The caller sets `begun`. */
void sample_budget_begin(struct sample_budget *budget,
                         const struct session_header *settings, uint64_t ticks);

/* Add the ticks a thread has spent, limited in case it did not run. */
void sample_budget_spend(struct sample_budget *budget, uint64_t ticks);

void sample_budget_count(struct sample_budget *budget, uint64_t blocks);

/* Move the interval if that is due, unless another thread does, and write it
   and the cost to the ledger. */
void sample_budget_move(struct sample_budget *budget, uint64_t now,
                        struct ledger_header *header);
