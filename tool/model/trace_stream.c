/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_stream.c - memory events out of bytes, text or CTF, as they come
 *
 * The bytes go to all readers until one of them has an event. Text comes first:
 * a line that names an event is no accident, a few bytes of CTF may be.
 *
 * In any large file some bytes look like an event of layout 1 or 2. So where
 * neither metadata nor a packet vouches for events they are held back until a
 * few follow directly on one another, or they are a good part of all bytes. A
 * stack of no thread or of gigabytes vouches for nothing: tables look like it.
 *
 * Where text goes over into bytes that are none, all readers are asked again from
 * there on.
 */
#include "tool/model/trace_stream.h"

#include <stdlib.h>
#include <string.h>

#include "format/ctf_reader.h"
#include "format/events_reader.h"
#include "tool/model/console_text.h"

enum {
    HELD_CAPACITY = 64, /* of more the first ones are left out */
    PACKET_RUN = 2,     /* each a packet of its own, in layout 3 */
    SHORT_RUN = 4,      /* events in a row are enough if they are many, */
    SURE_RUN = 16,      /* and so many in any case, if they vouch */
    LARGEST_STACK = 1 << 30,
    SPARSEST = 16, /* a byte of an event to so many of none is, too */
};

struct trace_stream {
    enum trace_form form;
    bool is_sure;  /* that its form is CTF */
    bool has_text; /* before what comes now */
    uint64_t rest; /* where that begins in the stream */
    struct zpl_event held[HELD_CAPACITY];
    unsigned held_count, held_first;
    uint64_t skipped;           /* when the last event was read */
    unsigned run;               /* events in a row, the last one included */
    unsigned sure_run;          /* ... that vouch for one another */
    const unsigned char *bytes; /* those that were fed */
    size_t size;
    size_t ctf_done, calls_done; /* of them */
    uint64_t fed;
    bool is_ended;
    char *metadata; /* that was not taken yet, or NULL */
    size_t metadata_size;
    struct console_text text;
    struct ctf_reader ctf;
    struct events_reader calls;
};

struct trace_stream *trace_stream_create(const struct ctf_metadata_facts *facts)
{
    struct trace_stream *stream = malloc(sizeof *stream);

    if (stream == NULL)
        return NULL;
    stream->form = facts == NULL ? TRACE_UNKNOWN : TRACE_CTF;
    stream->is_sure = facts != NULL;
    stream->has_text = false;
    stream->rest = 0;
    stream->held_count = stream->held_first = 0;
    stream->skipped = 0;
    stream->run = stream->sure_run = 0;
    stream->size = stream->ctf_done = stream->calls_done = 0;
    stream->fed = 0;
    stream->is_ended = false;
    stream->metadata = NULL;
    console_text_open(&stream->text);
    ctf_reader_open(&stream->ctf, facts);
    events_reader_open(&stream->calls);
    return stream;
}

void trace_stream_destroy(struct trace_stream *stream)
{
    if (stream != NULL)
        free(stream->metadata);
    free(stream);
}

void trace_stream_feed(struct trace_stream *stream, const void *bytes,
                       size_t size)
{
    stream->bytes = bytes;
    stream->size = size;
    stream->ctf_done = stream->calls_done = 0;
    stream->fed += size;
    console_text_feed(&stream->text, bytes, size);
}

void trace_stream_end(struct trace_stream *stream)
{
    stream->size = stream->ctf_done = stream->calls_done = 0;
    stream->is_ended = true;
    console_text_end(&stream->text);
    ctf_reader_end(&stream->ctf);
    events_reader_end(&stream->calls);
}

/* Without memory there are no names. */
static void keep_metadata(struct trace_stream *stream)
{
    struct ctf_reader *ctf = &stream->ctf;

    if (ctf->description == NULL)
        return;
    free(stream->metadata);
    stream->metadata = malloc(ctf->description_size + 1);
    if (stream->metadata != NULL) {
        memcpy(stream->metadata, ctf->description, ctf->description_size);
        stream->metadata_size = ctf->description_size;
    }
    ctf->description = NULL;
}

char *trace_stream_take_metadata(struct trace_stream *stream, size_t *size)
{
    char *metadata = stream->metadata;

    *size = stream->metadata_size;
    stream->metadata = NULL;
    return metadata;
}

static bool read_ctf(struct trace_stream *stream, struct zpl_event *event)
{
    bool is_read = ctf_reader_next(&stream->ctf, event);

    keep_metadata(stream);
    return is_read;
}

static bool next_of_ctf(struct trace_stream *stream, struct zpl_event *event)
{
    while (!read_ctf(stream, event)) {
        if (stream->ctf_done == stream->size)
            return false;
        stream->ctf_done +=
            ctf_reader_feed(&stream->ctf, stream->bytes + stream->ctf_done,
                            stream->size - stream->ctf_done);
    }
    return true;
}

static bool are_many(const struct trace_stream *stream)
{
    const struct ctf_reader *ctf = &stream->ctf;

    return ctf->events > 0 &&
           ctf->events * ctf_layout_event_bytes(&ctf->layout) * SPARSEST >=
               ctf->skipped_bytes;
}

/* Whether the events that are held vouch for one another. */
static bool is_sure_now(const struct trace_stream *stream)
{
    const struct ctf_reader *ctf = &stream->ctf;

    return ctf->layout.has_packets ||
           (ctf->layout.version == 3 &&
            (stream->run >= PACKET_RUN || are_many(stream))) ||
           stream->sure_run >= SURE_RUN ||
           ((stream->run >= SHORT_RUN || stream->held_count == HELD_CAPACITY) &&
            are_many(stream));
}

static bool vouches(const struct zpl_event *event)
{
    return event->memory_region != ZPL_STACK ||
           (event->for_thread_id != 0 &&
            (uint64_t)event->used + event->unused <= LARGEST_STACK);
}

static void hold(struct trace_stream *stream, const struct zpl_event *event)
{
    if (stream->held_count == HELD_CAPACITY) {
        memmove(stream->held, stream->held + 1,
                sizeof *stream->held * (HELD_CAPACITY - 1));
        stream->held_count--;
    }
    stream->held[stream->held_count++] = *event;
    if (stream->ctf.skipped_bytes != stream->skipped)
        stream->run = stream->sure_run = 0;
    stream->skipped = stream->ctf.skipped_bytes;
    stream->run++;
    stream->sure_run += vouches(event);
}

static void become_sure(struct trace_stream *stream)
{
    stream->is_sure = true;
    stream->form = TRACE_CTF;
}

/* Hold back what comes until it is sure to be CTF. */
static bool find_ctf(struct trace_stream *stream)
{
    struct zpl_event event;

    while (!stream->is_sure && next_of_ctf(stream, &event)) {
        hold(stream, &event);
        if (is_sure_now(stream))
            become_sure(stream);
    }
    if (!stream->is_sure && stream->is_ended && are_many(stream))
        become_sure(stream);
    return stream->is_sure;
}

/* Packets have a sum, so an event is sure; a head is sure enough to wait for it. */
static bool next_of_calls(struct trace_stream *stream,
                          struct trace_event *event)
{
    event->kind = TRACE_EVENT_CALL;
    while (!events_reader_next(&stream->calls, &event->call)) {
        if (stream->calls_done == stream->size)
            return false;
        stream->calls_done += events_reader_feed(
            &stream->calls, stream->bytes + stream->calls_done,
            stream->size - stream->calls_done);
        if (events_reader_knows(stream->calls.bytes + stream->calls.first,
                                stream->calls.filled - stream->calls.first))
            stream->form = TRACE_CALLS;
    }
    stream->form = TRACE_CALLS;
    return true;
}

/*
 * No console shows a NUL. Everything from the beginning of its line on may be of
 * another form.
 */
static bool has_text_ended(struct trace_stream *stream)
{
    const unsigned char *nul =
        stream->size == 0 ? NULL : memchr(stream->bytes, 0, stream->size);
    const unsigned char *line;
    size_t start;

    if (nul == NULL)
        return false;
    line = memrchr(stream->bytes, '\n', (size_t)(nul - stream->bytes));
    start = line == NULL ? 0 : (size_t)(line - stream->bytes) + 1;
    stream->rest = stream->fed - stream->size + start;
    stream->ctf_done = stream->calls_done = start;
    stream->held_count = stream->held_first = 0;
    stream->skipped = 0;
    stream->run = stream->sure_run = 0;
    ctf_reader_open(&stream->ctf, NULL);
    events_reader_open(&stream->calls);
    return true;
}

static bool next_of_text(struct trace_stream *stream, struct trace_event *event)
{
    bool is_there = console_text_next(&stream->text, event);

    if (is_there) {
        stream->form = TRACE_TEXT;
        stream->has_text = true;
    } else if (stream->form == TRACE_TEXT && has_text_ended(stream)) {
        stream->form = TRACE_UNKNOWN;
    }
    return is_there;
}

bool trace_stream_next(struct trace_stream *stream, struct trace_event *event)
{
    bool is_known;

    if ((stream->form == TRACE_UNKNOWN || stream->form == TRACE_TEXT) &&
        next_of_text(stream, event))
        return true;
    is_known = stream->form != TRACE_UNKNOWN;
    if ((!is_known || stream->form == TRACE_CALLS) &&
        next_of_calls(stream, event))
        return true;
    if (stream->form == TRACE_TEXT || stream->form == TRACE_CALLS ||
        (!stream->is_sure && !find_ctf(stream)))
        return false;
    event->kind = TRACE_EVENT_REGION;
    if (stream->held_first < stream->held_count) {
        event->region = stream->held[stream->held_first++];
        return true;
    }
    return next_of_ctf(stream, &event->region);
}

enum trace_form trace_stream_form(const struct trace_stream *stream)
{
    return stream->form == TRACE_UNKNOWN && stream->has_text ? TRACE_TEXT
                                                             : stream->form;
}

bool trace_stream_has_text(const struct trace_stream *stream)
{
    return stream->has_text;
}

struct ctf_layout trace_stream_layout(const struct trace_stream *stream)
{
    if (stream->form != TRACE_CTF)
        return (struct ctf_layout){ 0 };
    return stream->ctf.layout;
}

static void count_skipped(struct trace_counts *counts, uint64_t bytes,
                          uint64_t places, uint64_t first)
{
    if (counts->skipped_bytes == 0)
        counts->first_skipped = first;
    counts->skipped_bytes += bytes;
    counts->skipped_places += places;
}

static void count_text(const struct trace_stream *stream,
                       struct trace_counts *counts)
{
    struct console_counts text;

    console_text_count(&stream->text, &text);
    counts->events = text.regions + text.calls;
    counts->calls = text.calls;
    count_skipped(counts, text.skipped_bytes, text.skipped_places,
                  text.first_skipped);
}

void trace_stream_count(const struct trace_stream *stream,
                        struct trace_counts *counts)
{
    const struct ctf_reader *ctf = &stream->ctf;
    const struct events_reader *calls = &stream->calls;
    /* Text that went on behind it says that it was a disturbance. */
    bool has_rest = stream->has_text && stream->is_ended &&
                    stream->text.region.offset <= stream->rest &&
                    stream->text.call.offset <= stream->rest;

    *counts = (struct trace_counts){ .bytes = stream->fed };
    if (stream->has_text)
        count_text(stream, counts);
    if (stream->form == TRACE_CTF) {
        counts->events += ctf->events;
        count_skipped(counts, ctf->skipped_bytes, ctf->skipped_places,
                      stream->rest + ctf->first_skipped);
        counts->lost_packets = ctf->lost_packets;
        counts->cut_packets = ctf->is_cut;
        counts->discarded = ctf->discarded;
        counts->profiler_us = ctf->profiler_us;
    } else if (stream->form == TRACE_CALLS) {
        counts->events += calls->events;
        counts->calls += calls->events;
        count_skipped(counts, calls->skipped_bytes, calls->skipped_places,
                      stream->rest + calls->first_skipped);
        counts->missing = calls->missing;
        counts->cut_packets = calls->is_cut;
        counts->discarded = calls->discarded;
    } else if (stream->form == TRACE_UNKNOWN && has_rest) {
        count_skipped(counts, stream->fed - stream->rest, 1, stream->rest);
    }
    /* Bytes may have been tried as lines of two kinds and as packets. */
    if (counts->skipped_bytes > counts->bytes)
        counts->skipped_bytes = counts->bytes;
}
