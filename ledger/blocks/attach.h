/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.h - how a process gets its ledger, and a thread its shard
 *
 * Invariants:
 *
 *   A1  `process.header` is set last when a ledger is opened, and never cleared
 *   A2  one thread opens the ledger, with all signals blocked; others wait for
 *       it; nothing waits for itself
 *   A3  a fork wipes the pages of `process` before a thread claims the opening,
 *       so a child that is forked meanwhile finds no claim. It does find
 *       half-done work in ordinary memory, and is not recorded
 */
#pragma once

#include <stdbool.h>

#include "ledger/space/process.h"

/* Make sure that this process has its ledger. Return false if it is not
   recorded: the session says so, or the ledger could not be opened. */
bool process_attach(void);

/* Let the next process_attach() try again: the reason for refusing is gone. A
   thread that has asked before must call thread_attach() again. */
void process_retry(void);

/* Ask the loader ahead for the facts that process_attach() needs. Any number of
   threads at once, with no lock held. */
void process_prepare(void);

/* Return true if the process has a ledger, or is a forked child that would get
   one. */
bool process_is_recorded(void);

/* Return true for a forked child of a process without a ledger, before the
   child asks for one. */
bool process_is_new_but_refused(void);

/* Return true if sites of the heap are stacks. */
bool process_has_stacks(void);

/* Unlock the process's pages after mlockall(). */
void process_unlock(void);

/* Decide at a thread's first allocation what it listens to from now on. */
void thread_attach(void);

/* Take the first of `owners`, from 1 on, that is 0 or belongs to a thread that
   no longer exists. Return its index, or 0. */
uint32_t owner_slot_take(uint32_t *owners, uint32_t count);

/*
 * Begin and end a time in which a vfork or CLONE_VM child runs on this thread's
 * TLS. The kernel does not keep its rseq area then, so adds go to shard 0
 * instead of a CPU's.
 */
void thread_share(void);
void thread_unshare(void);
