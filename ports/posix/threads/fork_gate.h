/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_gate.h - no other thread holds a guard while the process forks
 *
 * Guards are held for a few instructions, so a thread that forks closes the
 * gate to all of them and waits until no thread is inside; the child then finds
 * each guard free, and what it protects whole. Invariants:
 *
 *   I1  a thread that holds a guard, or the port's lock, passes a closed gate:
 *       else the threads that wait for it would wait for ever
 *   I2  a thread that forks takes the port's lock after it closed the gate, as
 *       threads that hold a guard may ask for the lock
 */
#ifndef TALLY_PORTS_POSIX_FORK_GATE_H
#define TALLY_PORTS_POSIX_FORK_GATE_H

#include <stdbool.h>

/* Around a guard. Signals are blocked. */
void fork_gate_enter(void);
void fork_gate_leave(void);

/* The calling thread has got the port's lock, or is about to give it back. */
void fork_gate_has_lock(bool has_lock);

/* Close the gate. */
void fork_gate_close(void);

/*
 * Wait until no other thread is inside, for a second at most: a fault handler
 * that sleeps there leaves its guard to the child as it is.
 */
void fork_gate_await(void);

/* Open it: in the parent, and in the child, which has one thread. */
void fork_gate_open(void);
void fork_gate_open_in_child(void);

#endif /* TALLY_PORTS_POSIX_FORK_GATE_H */
