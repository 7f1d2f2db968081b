/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.h - part of tally/port.h: waiting, and the clock */
#ifndef TALLY_PORT_WAITING_H
#define TALLY_PORT_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of a clock that never goes back; its zero is the port's. */
uint64_t tally_port_time_ns(void);

/* Whether the caller can wait: not in interrupts, nor with one thread only. */
bool tally_port_may_wait(void);

/*
 * Sleep while *word is `value`, at most until the clock shows `until_ns`;
 * TALLY_PORT_FOREVER: without end. It may return early. A wake that comes after
 * *word was changed is never missed; `word` need not exist any more when it
 * comes.
 */
#define TALLY_PORT_FOREVER UINT64_MAX
void tally_port_wait(const uint32_t *word, uint32_t value, uint64_t until_ns);
void tally_port_wake(const uint32_t *word);

#endif /* TALLY_PORT_WAITING_H */
