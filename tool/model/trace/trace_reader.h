/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_reader.h - events of a trace, from bytes of text or CTF
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ctf/ctf_input.h"
#include "format/ctf/zpl_event.h"
#include "format/text/mem_trace_text.h"
#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/*
 * One event of a trace
 *
 * Usage of a region (ZPL), a call of an allocation function (mem_trace), or any
 * other event of Zephyr.
 */

enum trace_event_kind {
    TRACE_EVENT_REGION,
    TRACE_EVENT_CALL,
    TRACE_EVENT_OTHER, /* only if trace.wants_others */
};

/* Event that is not of memory; valid until the next one is read. */
struct trace_other {
    uint64_t time_ns;
    const struct ctf_events *events;
    const struct ctf_event *event; /* of these */
    const unsigned char *bytes;
    size_t size;
};

static inline struct ctf_walk trace_other_walk(const struct trace_other *other)
{
    return ctf_walk_begin(other->events, other->event, other->bytes,
                          other->size);
}

struct trace_event {
    enum trace_event_kind kind;
    union {
        struct zpl_event region;
        struct mem_trace_event call;
        struct trace_other other;
    };
};

/*
 * Return its time in nanoseconds of the writer's clock; UINT64_MAX if unknown.
 */
static inline uint64_t trace_event_time(const struct trace_event *event)
{
    if (event->kind == TRACE_EVENT_REGION)
        return event->region.time_ns; /* ZPL_EVENT_NO_TIME is UINT64_MAX */
    if (event->kind == TRACE_EVENT_OTHER)
        return event->other.time_ns;
    return event->call.has_time ? event->call.time_ns : UINT64_MAX;
}

/*
 * Memory events from bytes of text or CTF, as they come
 *
 * The first event decides between text and CTF; until then both are tried. Text
 * may mix ZPL's lines with mem_trace's; CTF may follow it, or be mixed with it.
 * Memory does not grow with the stream.
 *
 *     trace_stream_feed(stream, bytes, size);
 *     while (trace_stream_next(stream, &event))
 *         use(&event);
 */

enum trace_form {
    TRACE_UNKNOWN, /* no event yet */
    TRACE_TEXT,
    TRACE_CTF,   /* ZPL's */
    TRACE_CALLS, /* CTF of calls alone, as tally record writes it */
};

struct trace_stream;

/* Create a stream of CTF if `facts` of its metadata, which must stay, are
   given; NULL: of any form. */
struct trace_stream *
trace_stream_create(const struct ctf_metadata_facts *facts);
void trace_stream_destroy(struct trace_stream *stream);

/* Feed bytes, which must stay until trace_stream_next() returns false. */
void trace_stream_feed(struct trace_stream *stream, const void *bytes,
                       size_t size);

/*
 * Feed `size` zero bytes after trace_stream_next() returned false. Return
 * false, having done nothing, if they must be fed as bytes because an event
 * may go on in them.
 */
bool trace_stream_pass_hole(struct trace_stream *stream, uint64_t size);
void trace_stream_end(struct trace_stream *stream);

/*
 * Read the next event. Return false if more bytes must be fed, or at the end.
 */
bool trace_stream_next(struct trace_stream *stream, struct trace_event *event);

/* Return metadata that came in the stream since the last call, for the caller
   to free, or NULL. */
char *trace_stream_take_metadata(struct trace_stream *stream, size_t *size);

enum trace_form trace_stream_form(const struct trace_stream *stream);

/* Return the layout of CTF; version 0 for other forms. */
struct ctf_layout trace_stream_layout(const struct trace_stream *stream);

void trace_stream_count(const struct trace_stream *stream,
                        struct trace_counts *counts);

/*
 * A trace of memory events: a file, standard input or a folder
 *
 * A file is text or CTF. A folder has `metadata`, and each other file in it is
 * a stream; events of several streams come in the order of their times. Memory
 * does not grow with the trace.
 *
 *     struct trace trace;
 *     struct trace_event event;
 *
 *     if (trace_open(&trace, "folder", &failure) < 0)
 *         print_failure("folder", &failure);
 *     while ((got = trace_next(&trace, &event, &failure)) > 0)
 *         use(&event);
 *     trace_close(&trace);
 */

struct trace_thread {
    uint32_t id;
    char name[64];
};

/* Names of threads, by their events. */
struct trace_threads {
    struct trace_thread *items;
    size_t count;
    unsigned changes;
};

struct trace_part; /* stream and its descriptor */

/* Fields from `parts` on are private. */
struct trace {
    char *folder;   /* path; NULL: no folder */
    char *ledger;   /* path of the ledger that contains it, or NULL */
    char *metadata; /* text of the file, or NULL */
    size_t metadata_size;
    struct ctf_metadata_facts *facts; /* facts in `metadata`, or NULL */
    int64_t metadata_time;            /* time of its last change, in seconds */
    bool has_zpl;                     /* metadata describes ZPL's streams */
    bool is_32_bit;                   /* calls have addresses of 32 bits */
    unsigned description_count; /* number of metadata packets in streams */
    char *description;          /* text of the last one, or NULL */
    size_t description_size;
    struct ctf_metadata_facts *described;

    struct trace_threads threads;
    /* Set by the caller: trace_next() returns 0 while no more has come. */
    bool is_followed;
    bool wants_others; /* set by the caller: return other events, too */

    /* Set by the caller: called before reading, which may block. */
    void (*before_read)(void *context);
    void *context;

    struct trace_part *parts;
    size_t part_count;
};

/* Open a file, a folder or standard input ("-"). Its content is judged when
   events are read. Return 0, or -1 with nothing to close. */
int trace_open(struct trace *trace, const char *path,
               struct source_failure *failure);

/* Read from a descriptor, which stays the caller's. */
void trace_open_descriptor(struct trace *trace, int descriptor);

/* Return true if all streams were read to their end; a followed one may still
   grow. */
bool trace_is_over(const struct trace *trace);

/* Go on where source_open_file() stopped reading; the source may be closed
   then. */
int trace_open_source(struct trace *trace, struct source *source,
                      struct source_failure *failure);

/* Open a trace again, from its beginning, before any event of it was read; a
   pipe is empty then. */
int trace_open_again(const struct trace *trace, struct trace *again,
                     struct source_failure *failure);
void trace_close(struct trace *trace);

/* Read the next event. Return 1, 0 at the end, or -1 on failure. */
int trace_next(struct trace *trace, struct trace_event *event,
               struct source_failure *failure);

/* Return the last name of a thread, or NULL. */
const char *trace_threads_name(const struct trace_threads *threads,
                               uint32_t id);

/* Sum the counts of all streams; skipped.first is of the first stream that
   skipped bytes. */
void trace_count(const struct trace *trace, struct trace_counts *counts);

/* Return true if `path` is a folder with a file named metadata. */
bool is_trace_folder(const char *path);

/* Use a file of metadata instead of a trace's own; several files are
   concatenated, then judged. Return 0, or -1 with the reason. */
int trace_metadata_give(const char *path, struct source_failure *failure);
int trace_metadata_judge(struct source_failure *failure);

/* Return the facts in that metadata, or NULL if none was given; `text` and
   `size`, which may be NULL, get its text. */
const struct ctf_metadata_facts *trace_metadata_given(const char **text,
                                                      size_t *size);

/* Return true if a file that begins so is a trace. */
bool is_trace(const void *bytes, size_t size);
