/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - on whose behalf a thread allocates
 *
 *     uint32_t before = tally_label_set("tenant", "a");
 *
 *     answer = handle(request);
 *     tally_label_use(before);
 *
 * Under tally record each block is charged to the stack that allocated it and
 * to the label that its thread had then, whichever thread frees it:
 *
 *     tally report --by=label FILE
 *
 * A label is a set of up to 8 KEY=VALUE pairs, such as tenant=a and
 * route=/login. tally_label_set() gives the calling thread the label that it
 * had with one pair more, or with another value of that key. It returns the
 * label that the thread had before, so that scopes nest.
 *
 * Threads: each has a label of its own, at first none. A thread that
 * pthread_create() or thrd_create() makes begins with its creator's. A pool
 * hands labels over with the work:
 *
 *     job->label = tally_label_get();             // who asks
 *
 *     uint32_t before = tally_label_use(job->label); // who works
 *     job->run(job);
 *     tally_label_use(before);
 *
 * A forked child goes on with the labels that the process had; a program that
 * is run by exec begins without. Everything here may be called in any thread
 * and in signal handlers, takes no lock, does not allocate through malloc, and
 * leaves errno alone.
 *
 * Numbers: a process has room for 1,000 labels. From then on a new one has the
 * value `other` for the pair that was set, and where there is no room for that
 * either it stays what it was; the report says how often. Of a key 31 bytes
 * are kept, of a value 71; any bytes may be in them.
 *
 * Time: tally_label_use() and tally_label_get() take 1 to 3 ns,
 * tally_label_set() about 4 ns where the same two pointers were given before
 * with the same text, of up to 7 bytes; for each 8 more about half of one.
 * Otherwise the texts are hashed and looked up, in about 50 ns. The first call
 * of a process takes longer: each stack is followed anew. An allocation costs
 * what it did without labels and one comparison.
 *
 * The recorder keeps labels: libtally-record, preloaded by tally record or
 * linked, where accounts are of whole stacks (--stacks=all or sampled). In any
 * other process all three functions do nothing and return 0.
 */
#ifndef TALLY_LABEL_H
#define TALLY_LABEL_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/*
 * Set one pair of the calling thread's label; `value` NULL: take the pair with
 * this key out. Both are text that ends with NUL, and are copied; `key` NULL or
 * empty changes nothing. Returns the label before, for tally_label_use().
 */
uint32_t tally_label_set(const char *key, const char *value);

/*
 * Give the calling thread a label of this process that tally_label_get(),
 * tally_label_set() or this returned; 0, and any other number: none. Returns
 * the label before.
 */
uint32_t tally_label_use(uint32_t label);

/* The calling thread's label; 0: none. Valid as long as the process runs. */
uint32_t tally_label_get(void);

TALLY_END_DECLS

#endif
