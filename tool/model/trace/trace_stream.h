/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_stream.h - memory events from bytes of text or CTF, as they come
 *
 * The first event decides between text and CTF; until then both are tried. Text
 * may mix ZPL's lines with mem_trace's; CTF may follow it, or be mixed with it.
 * Memory does not grow with the stream.
 *
 *     trace_stream_feed(stream, bytes, size);
 *     while (trace_stream_next(stream, &event))
 *         use(&event);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ctf/ctf_input.h"
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
 * false, having done nothing, if they must be fed as bytes because an event may
 * go on in them.
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
