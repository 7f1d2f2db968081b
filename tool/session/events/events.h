/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - events of running images, from their rings to a trace
 */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "format/events/events_area.h"
#include "format/events/events_stream.h"
#include "format/text/mem_trace_text.h"
#include "tool/session/find/session_ledgers.h"
#include "tool/session/session_failure.h"

/*
 * The events that one program has put into its rings, in order
 *
 * The memory is the program's as well (events_area.h): whatever it does to it,
 * no more than its own events are wrong. An event is taken out when none can
 * come any more that is older.
 */

/*
 * Times of a traced program become nanoseconds. If the kernel trusts the
 * processor's counter for its own clock, programs read it themselves, in a
 * third of the time. The length of a tick comes from pairs of both clocks: one
 * from the beginning of the scale, another of each update. A longer time
 * between them is more precise.
 */
struct tick_scale {
    enum events_clock clock;
    uint64_t first_ticks, first_ns;
    uint64_t ticks, ns; /* the latest pair */
    double ns_per_tick;
};

/*
 * The best clock for programs on this machine; with `avoid_ticks` the
 * kernel's. NANOSECONDS where ticks cannot be trusted.
 */
enum events_clock tick_scale_choose(int avoid_ticks);

void tick_scale_begin(struct tick_scale *scale, enum events_clock clock);

/* Take a pair now. */
void tick_scale_update(struct tick_scale *scale);

/* Return the time that a program would have noted `ns` nanoseconds ago. */
uint64_t tick_scale_before(const struct tick_scale *scale, uint32_t ns);

/* CLOCK_MONOTONIC when it noted `time`. */
static inline uint64_t tick_scale_ns(const struct tick_scale *scale,
                                     uint64_t time)
{
    int64_t ticks = (int64_t)(time - scale->ticks);

    if (scale->clock == EVENTS_CLOCK_NANOSECONDS)
        return time;
    return scale->ns + (uint64_t)(int64_t)((double)ticks * scale->ns_per_tick);
}

/* One ring as far as it was looked at. */
struct ring_place {
    uint64_t tail; /* taken out so far */
    uint64_t head; /* what can be taken out */
    uint64_t next_time;
    uint64_t moved_ns; /* since when its thread is in the midst of adding */
    uint32_t thread;
};

typedef void ring_take_fn(void *context, const struct mem_trace_event *event);

struct ring_reader {
    struct events_area *area; /* NULL: not open */
    uint32_t ring_count;
    bool is_blackbox; /* the rings are overwritten, and only looked at */
    uint64_t lost;    /* events that the program says it lost */
    struct ring_place places[EVENTS_RING_COUNT];
};

/* Open the rings of the ledger whose extent begins at `extent` of the session.
   Return false if it has no area (yet), or if it cannot be mapped. */
bool ring_reader_open(struct ring_reader *reader, int fd, uint64_t extent);

/*
 * Take out what can be taken, at most about `limit` events; with `is_over` all
 * there is, for the program is. Returns how many.
 */
uint64_t ring_reader_take(struct ring_reader *reader,
                          const struct tick_scale *scale, bool is_over,
                          uint64_t limit, ring_take_fn *take, void *context);

/* From now on the program need not wait for us any more. */
void ring_reader_close(struct ring_reader *reader);

/*
 * The events of one process image, to a file of text or to a folder of CTF
 *
 * Text has a line for each event (mem_trace_text.h); an existing file must be a
 * pipe or a device. CTF has `metadata` and `stream` in the folder PATH
 * (events_stream.h), which must not exist. Nothing is
 * overwritten.
 *
 * When bytes cannot be written what comes behind them is counted as lost, and
 * the text ends with a whole line, as far as the system lets it.
 */

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

/*
 * Takes events out of all traced programs of a session, while they run, and
 * has them written
 *
 * One thread of tally record does so from begin to finish, and sleeps when
 * there is nothing. Events of the first image of the program go to FILE, those
 * of other images to FILE.d/PID-GENERATION, as ledgers do. Output that waits -
 * a pipe whose reader does not read - holds up this thread alone: the rings of
 * the programs fill, and what then finds no room is lost.
 */

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

/*
 * The last events of a program with a black box, in its ledger
 *
 * They become a segment of a snapshot: struct ledger_events, and behind it the
 * stream that --events writes. The program goes on meanwhile, and waits for
 * nothing; what it writes over while we read is left out, and counted with what
 * was written over before.
 */

/* Add the last events of the snapshot's ledger. Without a black box, or memory
   for its events, nothing is added. */
void event_tail_add(struct ledger_snapshot *snapshot);
