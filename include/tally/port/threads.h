/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - part of tally/port.h: threads, and what keeps them apart */
#ifndef TALLY_PORT_THREADS_H
#define TALLY_PORT_THREADS_H

#include <stdint.h>

/*
 * Keep all other contexts out for a few instructions: on firmware interrupts
 * are masked, on hosts a process-wide lock is held. Locks nest: unlock takes
 * what the matching lock returned. Where 64-bit atomic adds are lock-free the
 * lock is never taken from interrupts or signal handlers.
 */
uint32_t tally_port_lock(void);
void tally_port_unlock(uint32_t key);

/*
 * A guard is a lock, 0 when it is free, that signal handlers and interrupts may
 * take as well. None of them comes in between until the guard is given back,
 * with what taking it returned. Held for a few instructions only. Guards nest
 * in one order. The child of a fork finds all guards free except its own
 * thread's.
 */
uint64_t tally_port_guard(uint32_t *guard);
void tally_port_unguard(uint32_t *guard, uint64_t kept);

struct tally_thread;

/* Have this called in each child that the process forks, by its only thread. */
void tally_port_on_fork(void (*in_child)(void));

/* What tally/thread.h keeps of the calling thread; at first zeros. */
struct tally_thread *tally_port_thread(void);

/*
 * Hosts only. A pointer that the calling thread has to itself, and that core
 * keeps in it; at first NULL, or what the library around core has put there.
 */
void **tally_port_thread_word(void);

/*
 * Hosts only. The calling thread calls `leave` when it ends, after all else
 * that is called then, as far as that can be known. `leave` is the same for all
 * threads.
 */
void tally_port_at_thread_end(void (*leave)(void));

#endif /* TALLY_PORT_THREADS_H */
