/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - part of tally/port.h: threads and locks */
#ifndef TALLY_PORT_THREADS_H
#define TALLY_PORT_THREADS_H

#include <stdint.h>

/*
 * Keep all other contexts out for a few instructions: firmware masks
 * interrupts, hosts take a process-wide lock. Locks nest: pass unlock() the
 * value that lock() returned. On machines with a lock-free 64-bit add,
 * interrupts and signal handlers never take this lock.
 */
uint32_t tally_port_lock(void);
void tally_port_unlock(uint32_t key);

/*
 * Take a guard: a lock, 0 when free, that signal handlers and interrupts may
 * take as well. They are held off until the guard is released with the value
 * that taking it returned. Hold it for a few instructions only. Guards nest in
 * one order. In a forked child all guards are free except the forking thread's.
 */
uint64_t tally_port_guard(uint32_t *guard);
void tally_port_unguard(uint32_t *guard, uint64_t kept);

struct tally_thread;

/* Register `in_child`, to be called in each forked child by its only
   thread. */
void tally_port_on_fork(void (*in_child)(void));

/* Return the state of the calling thread for tally/thread.h, initially zero; in
   an interrupt, any thread's. Without CONFIG_TALLY_THREADS there is one. */
struct tally_thread *tally_port_thread(void);

/*
 * Hosts only. Return the address of a thread-local pointer for the core's use.
 * It is initially NULL, or the value that the library around the core stored.
 */
void **tally_port_thread_word(void);

/* Hosts only. Register `leave`, to be called by the calling thread when it
   ends, as late as possible. `leave` is the same for all threads. */
void tally_port_at_thread_end(void (*leave)(void));

#endif /* TALLY_PORT_THREADS_H */
