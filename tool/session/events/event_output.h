/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_output.h - the events of one process image, to a file of text or to a
 * folder of CTF
 *
 * Text has a line for each event (mem_trace_text.h); an existing file must be a
 * pipe or a device. CTF has `metadata` and `stream` in the folder PATH
 * (events_stream.h), which must not exist. Nothing is
 * overwritten.
 *
 * When bytes cannot be written what comes behind them is counted as lost, and
 * the text ends with a whole line, as far as the system lets it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "format/events/events_stream.h"
#include "tool/session/session_failure.h"

enum event_form { EVENT_FORM_TEXT, EVENT_FORM_CTF };

struct event_output {
    uint64_t events; /* written, or on their way */
    uint64_t lost;   /* not written */
    int error;       /* errno of the write that failed; 0: none */

    char path[PATH_MAX];
    enum event_form form;
    int fd;
    bool is_made; /* there was nothing of that name */
    off_t last;   /* where the last whole packet begins; -1: nowhere */
    uint64_t last_events;
    uint32_t pending; /* lines in the buffer */
    size_t used;      /* bytes in it */
    unsigned char *buffer;
    struct events_writer *writer; /* NULL: text */
};

/* Make the file or folder now, so that it is refused before the program
   runs. */
int event_output_open(struct event_output *output, enum event_form form,
                      const char *path, struct session_failure *failure);

/* Set what is known once the program runs, before its first event.
   `sample_interval` is 0 when all calls are events. */
void event_output_describe(struct event_output *output, uint32_t process,
                           const char *program, uint64_t sample_interval);

/* Add an event. An output that is not open, { 0 } or closed, counts it as
   lost. */
void event_output_add(struct event_output *output,
                      const struct mem_trace_event *event);

/* So many events were lost before they came here. */
void event_output_lose(struct event_output *output, uint64_t count);

/* Close it and take away what was made. */
void event_output_discard(struct event_output *output);

/* Write what is there. */
void event_output_flush(struct event_output *output);

/* Flush and close. The trace says what is missing; on a full disk its last
   events make room for that. The counts and the error stay. */
void event_output_close(struct event_output *output);
