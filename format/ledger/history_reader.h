/* SPDX-License-Identifier: Apache-2.0 */
/* history_reader.h - read and check the history in a ledger */
#pragma once

#include "format/ledger/history_layout.h"
#include "format/ledger/ledger_reader.h"

struct ledger_history_view {
    uint32_t count; /* at least 1 */
    uint64_t left_out;
    struct ledger_instant instants[LEDGER_INSTANT_CAPACITY];
    const unsigned char *runs; /* in the ledger's bytes */
};

/* Return 1, 0 if there is none, or an enum ledger_error. */
int ledger_reader_history(struct ledger_reader *reader,
                          struct ledger_history_view *history);

struct ledger_run {
    const unsigned char *at, *end;
    uint32_t site; /* last site, at first 0 */
};

struct ledger_change {
    uint32_t site;
    uint64_t grown[LEDGER_GROWN]; /* in the order of struct ledger_counter */
};

/* Return the run of snapshot `number`. */
static inline struct ledger_run
ledger_run_of(const unsigned char *runs, const struct ledger_instant *instants,
              uint32_t number)
{
    uint64_t from = number == 0 ? 0 : instants[number - 1].end;

    return (struct ledger_run){ runs + from, runs + instants[number].end, 0 };
}

/* Return 1 and the next change, 0 at the end, or LEDGER_E_HISTORY. Sites
   increase and are below LEDGER_SITE_LIMIT. */
int ledger_run_next(struct ledger_run *run, struct ledger_change *change);

/* Add a change to a struct ledger_counter, given as words. */
static inline void ledger_change_add(const struct ledger_change *change,
                                     uint64_t sum[LEDGER_GROWN])
{
    for (unsigned i = 0; i < LEDGER_GROWN; i++)
        sum[i] += change->grown[i];
}
