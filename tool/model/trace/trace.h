/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - a trace of memory events, as the user named it
 *
 * A file of text or CTF, standard input, or a folder: `metadata`, and every
 * other file in it a stream. Events of several streams come in the order of
 * their times. Memory does not grow with the trace.
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

/* What threads are called, as their events say. */
struct trace_threads {
    struct trace_thread *items;
    size_t count;
    unsigned changes;
};

struct trace_part; /* a stream and where its bytes come from */

/* What comes first may be looked at; the rest is private. */
struct trace {
    char *folder;   /* its path; NULL: it is none */
    char *ledger;   /* that of the ledger that it is part of, or NULL */
    char *metadata; /* the file's text; NULL: there is none */
    size_t metadata_size;
    struct ctf_metadata_facts *facts; /* of the metadata, or NULL */
    int64_t metadata_time;            /* when it was written, in seconds */
    bool has_zpl;                     /* they describe ZPL's streams */
    unsigned description_count; /* metadata that came in a stream: the last */
    char *description;          /* or NULL */
    size_t description_size;
    struct ctf_metadata_facts *described;

    struct trace_threads threads;
    /* To be set: 0 of next says that no more has come yet, until it is over. */
    bool is_followed;
    bool wants_others; /* to be set: events that are not of memory, too */

    /* Told before more is read, which may take as long as the writer likes. */
    void (*before_read)(void *context);
    void *context;

    struct trace_part *parts;
    size_t part_count;
};

/*
 * Open what `path` names, "-" for standard input. Whether there are events in
 * it shows when they are read. trace_close() if it succeeds.
 */
int trace_open(struct trace *trace, const char *path,
               struct source_failure *failure);

/* What a descriptor brings, which stays open and the caller's. */
void trace_open_descriptor(struct trace *trace, int descriptor);

/* Whether all of it was read: one that is followed may still grow. */
bool trace_is_over(const struct trace *trace);

/* Go on with what source_open_file() took for a trace; it may be closed
   after. */
int trace_open_source(struct trace *trace, struct source *source,
                      struct source_failure *failure);

/*
 * Before anything was read of `trace`, open it once more, from its beginning.
 * What can be read once only is empty then.
 */
int trace_open_again(const struct trace *trace, struct trace *again,
                     struct source_failure *failure);
void trace_close(struct trace *trace);

/* 1 with the next event, 0 at the end, or -1 when reading failed. */
int trace_next(struct trace *trace, struct trace_event *event,
               struct source_failure *failure);

/* The last name that an event gave, or NULL. */
const char *trace_threads_name(const struct trace_threads *threads,
                               uint32_t id);

/* Of all streams; the first skipped byte is that of the first one with any. */
void trace_count(const struct trace *trace, struct trace_counts *counts);

/* Whether a folder is a trace: it has a file named metadata. */
bool is_trace_folder(const char *path);

/*
 * Metadata that the user names, from here on in the place of what a trace says
 * of itself; a second file is added to the first, and all are judged together.
 * 0, or -1 with the reason.
 */
int trace_metadata_give(const char *path, struct source_failure *failure);
int trace_metadata_judge(struct source_failure *failure);

/*
 * The facts in that metadata, or NULL: none was given. `text` and `size` get
 * its text; they may be NULL.
 */
const struct ctf_metadata_facts *trace_metadata_given(const char **text,
                                                      size_t *size);

/* Whether the beginning of a file is that of a trace. */
bool is_trace(const void *bytes, size_t size);
