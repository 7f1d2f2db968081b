/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_queue.h - queues of threads that wait for memory
 *
 * A waiter lies on the stack of its thread. The queue keeps waiters in order of
 * arrival. The one to serve is searched when memory is available, by the
 * current priorities, so that a change of priority takes effect at once. The
 * queue is accessed only under its guard. Invariants:
 *
 *   I1  a waiter is removed once: by the thread that serves it, or by itself at
 *       its deadline; the first to do so under the guard decides
 *   I2  after wait_queue_serve() the waiter belongs to its thread again
 *   I3  a forked child has only waiters whose threads it has
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tally/config.h"
#include "tally/port.h"
#include "tally/timeout.h"

/* True if threads may wait in a queue. */
#define WAIT_QUEUE_IS_USED TALLY_CONFIG(CONFIG_MULTITHREADING)

/* Return true if the caller may wait in a queue. */
static inline bool wait_queue_is_open(void)
{
    return WAIT_QUEUE_IS_USED && tally_port_may_wait();
}

enum waiter_word { WAITER_WAITS, WAITER_IS_SERVED, WAITER_IS_STIRRED };

struct tally_waiter {
    struct tally_waiter *next;
    struct tally_waiter **queue;
    struct tally_waiter *next_of_all, *previous_of_all;
    uint32_t *waiting; /* number of waiters in the queue */
    const struct tally_thread *thread;
    uint64_t since_ns, until_ns;
    uint32_t word;         /* enum waiter_word */
    uint32_t block, owner; /* of a slab: the block it got, and its word */
    bool is_passed;        /* of a heap: free memory does not suffice for it */
};

/* Return a waiter for the calling thread, with the timeout starting now. */
struct tally_waiter wait_queue_waiter(k_timeout_t timeout);

/* Append to the queue; `*waiting` counts its waiters. Under the guard. */
void wait_queue_add(struct tally_waiter **queue, struct tally_waiter *waiter,
                    uint32_t *waiting);

/* Return the most urgent waiter that is not passed, of equals the first to
   arrive, or NULL. Under the guard. */
struct tally_waiter *wait_queue_best(struct tally_waiter *queue);

/* Remove a waiter. Under the guard. */
void wait_queue_remove(struct tally_waiter *waiter);

/* Tell a removed waiter that it is served. Return the word to wake after the
   guard is released. Under the guard. */
const uint32_t *wait_queue_serve(struct tally_waiter *waiter);

/* Mark all waiters as not passed. Under the guard. */
void wait_queue_pass_none(struct tally_waiter *queue);

/* Return true if the thread would be served before the waiter. */
bool wait_queue_is_more_urgent(const struct tally_thread *thread,
                               const struct tally_waiter *waiter);

/* Wake all waiters to check again. Under the guard. */
void wait_queue_stir(struct tally_waiter *queue);

/* Return true if the waiter is served; else it may sleep again. Under the
   guard. */
bool wait_queue_is_served(struct tally_waiter *waiter);

/* Sleep until the waiter is served or stirred, or until `until_ns` or its own
   deadline. Without the guard. Return true if it is served. */
bool wait_queue_sleep(struct tally_waiter *waiter, uint64_t until_ns);

/* Remove a waiter, served or not, and record its waiting time if it is the
   longest. Under the guard. */
void wait_queue_leave(struct tally_waiter *waiter, uint64_t *longest_ns);
