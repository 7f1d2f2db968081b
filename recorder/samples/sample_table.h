/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_table.h - the sampled blocks that live, by address
 *
 * A free asks sampling/countdown/block_filter.h first, which knows these addresses. There is one
 * lock, held for a few instructions: samples are few. A signal handler that
 * interrupts its own thread there does without.
 *
 *   T1  an entry is in the table, or belongs to the call that took it out
 *   T2  a young entry is in the list of the thread that allocated the block, until
 *       it is promoted or taken out
 *   T3  a forked child has what its parent had at the fork, but for what another
 *       thread was changing then (sample_table_adopt())
 */
#ifndef TALLY_RECORDER_SAMPLE_TABLE_H
#define TALLY_RECORDER_SAMPLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/record/sample_peak.h"
#include "ledger/record/sample_weight.h"

struct sample {
    uint64_t address;
    struct sample *next;
    struct sample *next_young; /* T2 */
    struct sample **young; /* where that points to this one; NULL: it is not */
    struct sample_weight weight;
    struct sample_halves halves;
    uint64_t birth;     /* bytes that the process had allocated */
    uint32_t reference; /* of the site */
    uint32_t site;      /* its id */
    bool is_inside;     /* in the table, not taken out: T1 */
    bool is_inherited;  /* allocated before this process was forked */
};

/*
 * Put a block in, as young if there is a list. An older entry of this address,
 * whose free was missed, goes to `*before`. False: there is no room, or the
 * lock cannot be had.
 */
bool sample_table_add(const struct sample *made, struct sample **young,
                      struct sample *before);

/* Take a block out: an entry, or NULL. Then give it back or put it in again. */
struct sample *sample_table_take(const void *block);
void sample_table_release(struct sample *entry);
void sample_table_put_back(struct sample *entry);

/* Take one out of a list of young ones: a copy of it. False: there is none. */
bool sample_table_promote(struct sample **young, struct sample *promoted);

/* In a forked child with one thread: report each entry; none is young. */
void sample_table_adopt(void (*inherited)(struct sample *entry));

#endif /* TALLY_RECORDER_SAMPLE_TABLE_H */
