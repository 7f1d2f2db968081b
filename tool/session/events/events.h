/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - events of running images, from their rings to a trace
 */
#pragma once

#include <pthread.h>

#include "format/events/events_area.h"
#include "format/events/events_stream.h"
#include "tool/session/find/session_ledgers.h"

/*
 * Events in the rings of one program, in the order of their times
 *
 * The program can write to the rings too (events_area.h); damage there affects
 * only its own events. An event is taken out once no older one can follow.
 */

/*
 * Conversion of times of a traced program to nanoseconds
 *
 * If the kernel trusts the processor's counter as its clock, programs read that
 * counter themselves, in a third of the time. The length of a tick follows from
 * two pairs of readings of both clocks: the first, and one at each update. It
 * becomes more precise with the time between them.
 */
struct tick_scale {
    enum events_clock clock;
    uint64_t first_ticks, first_ns;
    uint64_t ticks, ns; /* latest pair */
    double ns_per_tick;
};

/*
 * Return the best clock for programs on this machine: the kernel's,
 * NANOSECONDS, if ticks cannot be trusted or `avoid_ticks` is set.
 */
enum events_clock tick_scale_choose(int avoid_ticks);

void tick_scale_begin(struct tick_scale *scale, enum events_clock clock);

/* Read both clocks now. */
void tick_scale_update(struct tick_scale *scale);

/* Return the time in the program's clock `ns` nanoseconds ago. */
uint64_t tick_scale_before(const struct tick_scale *scale, uint32_t ns);

/* Return CLOCK_MONOTONIC at `time` of the program's clock, in nanoseconds. */
static inline uint64_t tick_scale_ns(const struct tick_scale *scale,
                                     uint64_t time)
{
    int64_t ticks = (int64_t)(time - scale->ticks);

    if (scale->clock == EVENTS_CLOCK_NANOSECONDS)
        return time;
    return scale->ns + (uint64_t)(int64_t)((double)ticks * scale->ns_per_tick);
}

/* state of one ring when last read */
struct ring_place {
    uint64_t tail; /* words taken out */
    uint64_t head; /* words that can be taken out */
    uint64_t next_time;
    uint64_t moved_ns; /* time since when its thread has been adding a record */
    uint32_t thread;
};

typedef void ring_take_fn(void *context, const struct mem_trace_event *event);

struct ring_reader {
    struct events_area *area; /* NULL: not open */
    uint32_t ring_count;
    bool is_blackbox; /* the rings are overwritten, and only read */
    uint64_t lost;    /* events that the program counted as lost */
    struct ring_place places[EVENTS_RING_COUNT];
};

/* Open the rings of the ledger whose extent begins at `extent` of the session.
   Return false if it has no rings (yet), or they cannot be mapped. */
bool ring_reader_open(struct ring_reader *reader, int fd, uint64_t extent);

/*
 * Take out events that are complete and in order, at most about `limit`. If
 * `is_over` is set, the program has ended: take out all. Return their number.
 */
uint64_t ring_reader_take(struct ring_reader *reader,
                          const struct tick_scale *scale, bool is_over,
                          uint64_t limit, ring_take_fn *take, void *context);

/* Close the rings. The program no longer waits for room in them. */
void ring_reader_close(struct ring_reader *reader);

/*
 * Output of the events of one process image, to a text file or a folder of CTF
 *
 * Text has a line for each event (mem_trace_text.h); an existing file must be a
 * pipe or a device. CTF has `metadata` and `stream` in the folder PATH
 * (events_stream.h), which must not exist. Nothing is overwritten.
 *
 * If a write fails, all later events count as lost. The text still ends with a
 * whole line if the system allows it.
 */

enum event_form { EVENT_FORM_TEXT, EVENT_FORM_CTF };

struct event_output {
    uint64_t events; /* written or buffered */
    uint64_t lost;   /* not written */
    int error;       /* errno of the write that failed; 0: none */

    char path[PATH_MAX];
    enum event_form form;
    int fd;
    bool is_made; /* true if the output was created here */
    off_t last;   /* offset of the last whole packet; -1: none */
    uint64_t last_events;
    uint32_t pending; /* lines in the buffer */
    size_t used;      /* bytes in the buffer */
    unsigned char *buffer;
    struct events_writer *writer; /* NULL: text */
};

/* Create the file or folder before the program runs, so that an error shows
   early. */
int event_output_open(struct event_output *output, enum event_form form,
                      const char *path, struct session_failure *failure);

/* Set the facts known once the program runs, before its first event.
   `sample_interval` is 0 if all calls are events. */
void event_output_describe(struct event_output *output, uint32_t process,
                           const char *program, uint64_t sample_interval);

/* Add an event. An output that is closed or { 0 } counts it as lost. */
void event_output_add(struct event_output *output,
                      const struct mem_trace_event *event);

/* Count events that were lost before they reached the output. */
void event_output_lose(struct event_output *output, uint64_t count);

/* Close the output and remove the created files. */
void event_output_discard(struct event_output *output);

/* Write the buffered events. */
void event_output_flush(struct event_output *output);

/* Flush and close. The trace ends with the number of lost events; on a full
   disk this replaces its last events. The counts and the error stay. */
void event_output_close(struct event_output *output);

/*
 * Drain of the events of all traced programs of a session, while they run
 *
 * One thread of tally record takes out and writes events, and sleeps when there
 * are none. Events of the program's first image go to FILE, those of other
 * images to FILE.d/PID-GENERATION, as ledgers do. Output that blocks, such as a
 * pipe without a reader, delays this thread only: the rings of the programs
 * fill, and events without room are lost.
 */

struct drained_image; /* private */

struct event_drain {
    /* Set before event_drain_begin(): */
    struct session_file *session;
    enum event_form form;
    pid_t program;             /* its first image writes to `first` */
    const char *program_path;  /* file of the program */
    struct event_output first; /* open, or { 0 }: its events count as lost */

    /* Results of event_drain_finish(): */
    uint64_t events;                  /* written */
    uint64_t lost;                    /* not written */
    uint32_t other_count;             /* other images with events */
    struct session_failures failures; /* outputs not created or not written */

    pthread_t thread;
    bool is_running;
    uint32_t is_finishing;
    uint64_t *done; /* by ledger: 1 + its lost events; 0: not finished */
    struct tick_scale scale;
    struct image_table table;
    struct drained_image **images; /* images that have not ended */
    uint32_t image_count;
    uint32_t next; /* next ledger to add to `images` */
    uint64_t next_look_ns;
};

/* Start the thread. The clock in the session's header is set already. */
int event_drain_begin(struct event_drain *drain,
                      struct session_failure *failure);

/* Return true if the image of ledger `number` has ended and all its events are
   taken out. Callable in any thread. */
bool event_drain_is_done(const struct event_drain *drain, uint32_t number);

/* Return the number of events of ledger `number` missing in its trace. */
uint64_t event_drain_lost(const struct event_drain *drain, uint32_t number);

/* Take out the remaining events, close all outputs, and release images that
   still run. */
void event_drain_finish(struct event_drain *drain);

/* Free the drain. event_drain_lost() must not be called afterwards. */
void event_drain_end(struct event_drain *drain);

/*
 * Last events of a program with a black box, in its ledger
 *
 * They become a segment of a snapshot: struct ledger_events, then the stream
 * that --events writes. The program continues without waiting. Events that it
 * overwrites during the read are left out, and counted with those overwritten
 * earlier.
 */

/* Add the last events to the snapshot. Without a black box, or without memory
   for its events, add nothing. */
void event_tail_add(struct ledger_snapshot *snapshot);
