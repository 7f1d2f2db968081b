/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_queue.h - threads that wait for memory, and which is served first
 *
 * A waiter lies on the stack of its thread. The queue has them in the order in
 * which they came; the one to be served is looked for when there is something
 * to serve, by the priorities of that moment, so a change of priority counts at
 * once. The queue is read and changed under its guard only. Invariants:
 *
 *   I1  a waiter is taken out once: by the thread that serves it, or by itself
 *       at its deadline; the first to do so under the guard decides
 *   I2  after wait_queue_serve() the waiter belongs to its thread again
 *   I3  the child of a fork has only waiters whose threads it has
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tally/config.h"
#include "tally/port.h"
#include "tally/timeout.h"

/* Whether threads may ever wait in a queue. */
#define WAIT_QUEUE_IS_USED TALLY_CONFIG(CONFIG_MULTITHREADING)

/* Whether the caller may get into one. */
static inline bool wait_queue_is_open(void)
{
    return WAIT_QUEUE_IS_USED && tally_port_may_wait();
}

enum waiter_word { WAITER_WAITS, WAITER_IS_SERVED, WAITER_IS_STIRRED };

struct tally_waiter {
    struct tally_waiter *next;
    struct tally_waiter **queue;
    struct tally_waiter *next_of_all, *previous_of_all;
    uint32_t *waiting; /* how many there are in the queue */
    const struct tally_thread *thread;
    uint64_t since_ns, until_ns;
    uint32_t word;         /* enum waiter_word */
    uint32_t block, owner; /* of a slab: which one it got, and its word */
    bool is_passed;        /* of a heap: what is free does not suffice */
};

/* The calling thread, from now on for `timeout`. */
struct tally_waiter wait_queue_waiter(k_timeout_t timeout);

/* At the end of the queue; it counts in `*waiting`. Under the guard. */
void wait_queue_add(struct tally_waiter **queue, struct tally_waiter *waiter,
                    uint32_t *waiting);

/*
 * The most urgent one that is not passed, of equals the first to come, or NULL.
 * Under the guard.
 */
struct tally_waiter *wait_queue_best(struct tally_waiter *queue);

/* Take it out. Under the guard. */
void wait_queue_remove(struct tally_waiter *waiter);

/*
 * Tell the waiter, which was taken out, that it is served. Under the guard;
 * returns what to wake when the guard is given back.
 */
const uint32_t *wait_queue_serve(struct tally_waiter *waiter);

/* Mark all as not passed. Under the guard. */
void wait_queue_pass_none(struct tally_waiter *queue);

/* Whether the thread would be served before the waiter. */
bool wait_queue_is_more_urgent(const struct tally_thread *thread,
                               const struct tally_waiter *waiter);

/* Have all of them return from their sleep, and look again. Under the guard. */
void wait_queue_stir(struct tally_waiter *queue);

/* Whether the waiter is served; else it may sleep again. Under the guard. */
bool wait_queue_is_served(struct tally_waiter *waiter);

/*
 * Sleep until the waiter is served or stirred, or else until `until_ns` or its
 * own deadline comes. Without the guard. True: it is served.
 */
bool wait_queue_sleep(struct tally_waiter *waiter, uint64_t until_ns);

/* Take it out, served or not, and note how long it waited if it was longest.
   Under the guard. */
void wait_queue_leave(struct tally_waiter *waiter, uint64_t *longest_ns);
