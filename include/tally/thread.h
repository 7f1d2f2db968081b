/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h - priorities of threads that wait for memory
 *
 *     tally_thread_priority_set(-1); // before threads that have 0
 *
 * Threads of ordinary processes have no comparable priorities, so these are
 * Tally's own: smaller is more urgent, as in Zephyr; the default is 0. They
 * only affect the order in which waiting threads get memory. A program without
 * threads has one: the main loop.
 */
#ifndef TALLY_THREAD_H
#define TALLY_THREAD_H

#include <stdint.h>

#include "tally/config.h"
#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

struct alloc_tag;

/* A running thread. Fields are private. */
struct tally_thread {
#if TALLY_HAS(THREADS) && !TALLY_HAS(OS)
    struct alloc_tag *tag; /* in force; NULL: none */
#endif
    int priority;
    uint16_t trace_locks;       /* locks of tally/mem_trace.h that it holds */
    uint16_t in_trace_callback; /* 1 while it runs the trace callback */
};

/* Return the calling thread. Any context; in a signal handler, the interrupted
   thread. */
struct tally_thread *tally_thread_current(void);

/* Set or return the calling thread's priority. */
void tally_thread_priority_set(int priority);
int tally_thread_priority_get(void);

/* Change the priority of a running or waiting thread; a waiting thread moves to
   its new position in the queue. */
void tally_thread_priority_change(struct tally_thread *thread, int priority);

TALLY_END_DECLS

#endif /* TALLY_THREAD_H */
