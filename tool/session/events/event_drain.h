/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_drain.h - takes events out of all traced programs of a session, while
 * they run, and has them written
 *
 * One thread of tally record does so from begin to finish, and sleeps when
 * there is nothing. Events of the first image of the program go to FILE, those
 * of other images to FILE.d/PID-GENERATION, as ledgers do. Output that waits -
 * a pipe whose reader does not read - holds up this thread alone: the rings of
 * the programs fill, and what then finds no room is lost.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "tool/session/events/event_output.h"
#include "tool/session/events/ring_reader.h"
#include "tool/session/find/image_table.h"
#include "tool/session/find/session_file.h"
#include "tool/session/session_failure.h"

struct drained_image; /* private */

struct event_drain {
    /* Set before begin: */
    struct session_file *session;
    enum event_form form;
    pid_t program;             /* whose first image goes to `first` */
    const char *program_path;  /* its file */
    struct event_output first; /* open, or {0}: its events are lost */

    /* To be looked at after finish: */
    uint64_t events;                  /* written */
    uint64_t lost;                    /* not written */
    uint32_t other_count;             /* other images that had events */
    struct session_failures failures; /* outputs not made or written */

    pthread_t thread;
    bool is_running;
    uint32_t is_finishing;
    uint64_t *done; /* by ledger: 1 more than it has lost; 0: not yet */
    struct tick_scale scale;
    struct image_table table;
    struct drained_image **images; /* that have not ended yet */
    uint32_t image_count;
    uint32_t next; /* ledger that is not in there yet */
    uint64_t next_look_ns;
};

/* The clock of the session's header is set already. */
int event_drain_begin(struct event_drain *drain,
                      struct session_failure *failure);

/* Return true if all events of ledger `number` are taken out, once its image
   has ended. Any thread. */
bool event_drain_is_done(const struct event_drain *drain, uint32_t number);

/* How many events of ledger `number` are not in its trace. */
uint64_t event_drain_lost(const struct event_drain *drain, uint32_t number);

/* Take out what is left, close all outputs, and tell images that run on. */
void event_drain_finish(struct event_drain *drain);

/* Free the drain, also what event_drain_lost() returns. */
void event_drain_end(struct event_drain *drain);
