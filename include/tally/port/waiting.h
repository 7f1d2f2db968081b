/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.h - part of tally/port.h: waiting and the clock */
#ifndef TALLY_PORT_WAITING_H
#define TALLY_PORT_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/* Return the time in nanoseconds of a clock that never goes back; its zero is
   arbitrary. */
uint64_t tally_port_time_ns(void);

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
