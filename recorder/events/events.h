/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - the trace of events of this process, if its session wants one
 *
 * Each thread puts its events into its own ring, in memory held by tally
 * record, which takes them out: events_area.h. The program writes no file. When
 * a ring is full, its thread waits for space. After a second without any
 * progress events are lost, and counted.
 *
 * All functions may be called in any thread and signal handler, allocate
 * nothing and keep errno. Events added by a handler while its own thread adds
 * one go into the shared ring, as do events of threads without a ring.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/text/mem_trace_text.h"
#include "ledger/space/session.h"

/* Map the rings of this process, if its session has a trace, while `claim->fd`
   is open. */
void events_open(const struct session_claim *claim);

bool events_are_on(void);

/*
 * Add a call of this thread, with the time of now: call it before a block is
 * given back, and after one was returned. `frame` of the ledger called its
 * caller; 0: the caller alone.
 */
void events_add(const struct mem_trace_event *event, uint32_t frame);

/* Stop reading the processor's counter; later events have the last time. */
void events_lose_clock(void);

/* Unlock the area after mlockall(). */
void events_unlock(void);

/* Unmap the area of a trace that this process no longer has. */
void events_close(void);
