/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_stream.h - memory events out of bytes, text or CTF, as they come
 *
 * Which of the two it is shows with the first event that either has; until then
 * all are tried. Text may hold ZPL's lines and mem_trace's in any mix, and CTF
 * may come behind it, or text between CTF. Memory does not grow with the
 * stream.
 *
 *     trace_stream_feed(stream, bytes, size);
 *     while (trace_stream_next(stream, &event))
 *         use(&event);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ctf/ctf_metadata_reader.h"
#include "format/ctf/zpl_event.h"
#include "tool/model/profile/call_summary.h"
#include "tool/model/trace/trace_event.h"

enum trace_form {
    TRACE_UNKNOWN, /* no event yet */
    TRACE_TEXT,
    TRACE_CTF,   /* ZPL's */
    TRACE_CALLS, /* CTF of calls alone, as tally record writes it */
};

struct trace_stream;

/*
 * `facts` of the metadata, which must stay, or NULL. With them it is CTF.
 */
struct trace_stream *
trace_stream_create(const struct ctf_metadata_facts *facts);
void trace_stream_destroy(struct trace_stream *stream);

/* Take bytes, which must stay until next says false. */
void trace_stream_feed(struct trace_stream *stream, const void *bytes,
                       size_t size);

/*
 * Take as many zero bytes, after next has said false. Nothing is done and false
 * returned when they have to be fed, for what is before them may go on in them.
 */
bool trace_stream_pass_hole(struct trace_stream *stream, uint64_t size);
void trace_stream_end(struct trace_stream *stream);

/* The next event; false: feed more, or after the end: that was all. */
bool trace_stream_next(struct trace_stream *stream, struct trace_event *event);

/*
 * Metadata that came in the stream since this was last called: a text that is
 * the caller's to free, or NULL.
 */
char *trace_stream_take_metadata(struct trace_stream *stream, size_t *size);

enum trace_form trace_stream_form(const struct trace_stream *stream);

/* Of CTF; version 0 when it is none. */
struct ctf_layout trace_stream_layout(const struct trace_stream *stream);

void trace_stream_count(const struct trace_stream *stream,
                        struct trace_counts *counts);
