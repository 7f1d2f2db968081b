/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - a trace of memory events: a file, standard input or a folder
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
#pragma once

#include "tool/model/source.h"
#include "tool/model/trace/trace_stream.h"

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

/* Return true if all streams were read to their end. */
bool trace_is_over(const struct trace *trace);

/* Go on where source_open_file() stopped reading; the source may be closed
   then. */
int trace_open_source(struct trace *trace, struct source *source,
                      struct source_failure *failure);

/*
 * Open a trace of which nothing was read a second time; a pipe is empty then.
 */
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
