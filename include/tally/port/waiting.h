/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.h - part of tally/port.h: waiting and the clock */
#ifndef TALLY_PORT_WAITING_H
#define TALLY_PORT_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/* Return the time of a clock in nanoseconds; its zero is arbitrary. Any
   context. On hosts it never goes back. On firmware it may, for example after
   lost ticks; the core then holds its time until the clock has caught up. */
uint64_t tally_port_time_ns(void);

/* Supplied by the core, for ports: the clock restarts at 0. */
void tally_time_restarts(void);

/* Return true if the caller can wait: not in interrupts, nor with a single
   thread. */
bool tally_port_may_wait(void);

/*
 * Sleep while *word is `value`, at most until the clock reaches `until_ns`;
 * TALLY_PORT_FOREVER: no limit. It may return early. A wake after a change of
 * *word is never missed; `word` need not exist any more when the wake comes.
 */
#define TALLY_PORT_FOREVER UINT64_MAX
void tally_port_wait(const uint32_t *word, uint32_t value, uint64_t until_ns);
void tally_port_wake(const uint32_t *word);

#endif /* TALLY_PORT_WAITING_H */
