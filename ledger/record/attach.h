/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.h - how a process gets its ledger, and a thread its shard
 *
 * Invariants:
 *
 *   A1  `process.header` is set last when a ledger is opened, and never cleared
 *   A2  one thread opens the ledger, with all signals blocked; others wait for
 *       it; nothing waits for itself
 *   A3  the pages of `process` are such that a fork wipes them before a thread
 *       claims the opening, so a child that is forked meanwhile finds no claim.
 *       It does find what is half done in ordinary memory, and is not recorded
 */
#pragma once

#include <stdbool.h>

#include "ledger/space/process.h"

/*
 * Make sure that this process has its ledger. False when it is not recorded:
 * the session said so, or it could not be opened.
 */
bool process_attach(void);

/*
 * The reason why it has none is gone: the next process_attach() tries anew. A
 * thread that has asked before must thread_attach() again to be seen.
 */
void process_retry(void);

/*
 * Ask the loader what process_attach() will need, ahead of it: any number of
 * threads at once, with no lock held.
 */
void process_prepare(void);

/* Whether it has a ledger, or is a forked child that would get one. */
bool process_is_recorded(void);

/* Whether it is a forked child of one that has none, not asked yet. */
bool process_is_new_but_refused(void);

/* Whether a site of the heap is a whole stack there. */
bool process_has_stacks(void);

/* After mlockall. */
void process_unlock(void);

/* At the thread's first allocation: what it listens to from now on. */
void thread_attach(void);

/*
 * The first of `owners`, from 1 on, that is 0 or the number of a thread that no
 * longer exists: it is the calling thread's from now on. 0: there is none.
 */
uint32_t owner_slot_take(uint32_t *owners, uint32_t count);

/*
 * While a vfork or CLONE_VM child runs on this thread's TLS, the kernel does
 * not keep its rseq area: what would go to a CPU's shard goes to shard 0.
 */
void thread_share(void);
void thread_unshare(void);
