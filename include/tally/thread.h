/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h - how urgent a thread is when it waits for memory
 *
 *     tally_thread_priority_set(-1); // before threads that have 0
 *
 * Threads of ordinary processes have no priorities that mean anything to each
 * other, so these are Tally's own: smaller is more urgent, as in Zephyr, and a
 * thread has 0 until it sets another. Only the order in which waiting threads
 * get memory depends on them. Without threads there is one, the main loop.
 */
#ifndef TALLY_THREAD_H
#define TALLY_THREAD_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* A thread, while it runs. The fields are private. */
struct tally_thread {
    int priority;
    uint16_t trace_locks;       /* of tally/mem_trace.h that it holds */
    uint16_t in_trace_callback; /* 1: it runs the trace callback */
};

/* The calling thread. Any context; in a signal handler, the interrupted one. */
struct tally_thread *tally_thread_current(void);

/* Of the calling thread. */
void tally_thread_priority_set(int priority);
int tally_thread_priority_get(void);

/* Of a thread that runs or waits; its place in the queue is the new one. */
void tally_thread_priority_change(struct tally_thread *thread, int priority);

TALLY_END_DECLS

#endif /* TALLY_THREAD_H */
