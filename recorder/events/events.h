/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - the trace of events of this process, where its session wants one
 *
 * Each thread puts its events into a ring of its own, in memory that tally
 * record holds and takes them out of: events_area.h. The program writes no
 * file. When a ring is full its thread waits for room. After a second without
 * any progress events are lost, and counted.
 *
 * All of this may be called in any thread and signal handler, allocates nothing
 * and leaves errno alone. What a handler adds while its own thread adds an
 * event goes into the shared ring, as do events of threads without a ring.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/text/mem_trace_event.h"

/* Whether this process is traced. */
bool events_are_on(void);

/*
 * One call. Its time and thread are now and this one: to be called before a
 * block is given back, and after one was got. `frame` of the ledger called its
 * caller; 0: the caller alone.
 */
void events_add(const struct mem_trace_event *event, uint32_t frame);

/* The processor's counter must not be read from now on; times stand still. */
void events_lose_clock(void);

/* After mlockall. */
void events_unlock(void);

/* Unmap what a trace was in that this process has no more. */
void events_close(void);
