/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_stream.c - memory events from bytes of text or CTF, as they come
 *
 * All readers get the bytes until one of them has an event. Text is tried
 * first: a line of an event is never an accident. The reader of CTF returns
 * only events that are certain.
 *
 * CTF begins where text ends. From then on the reader of text gets the bytes
 * that CTF skips, in their place.
 *
 * This file is long because bytes that one reader skips go to the others once,
 * and in their place.
 */
#include "tool/model/trace/trace_reader.h"

#include "format/events/events_stream.h"
#include "format/text/zpl_text.h"

enum {
    SURE_LINE = 16, /* bytes; a shorter line may be the beginning of an event */
};

/* Event found by a reader of text, until next_of_console() returns it. */
struct finding {
    bool is_there;
    bool is_dry;     /* the reader has consumed all bytes */
    uint64_t offset; /* in the text */
    size_t done;     /* bytes that the reader has consumed */
};

/*
 * Console output with ZPL's and mem_trace's lines. Each reader sees all lines.
 * Both consume whole lines, so that a reader without an event is as far as the
 * other, and it is known which event comes first.
 */
struct console {
    const unsigned char *bytes; /* fed last */
    size_t size;
    struct finding region, call;
    struct zpl_event next_region;
    struct mem_trace_event next_call;
    struct zpl_text_reader regions;
    struct mem_trace_reader calls;
};

struct trace_stream {
    enum trace_form form;
    bool has_text;      /* before what comes now */
    bool is_mixed;      /* text is read from bytes that CTF skips */
    uint64_t rest;      /* where that begins in the stream */
    struct skips skips; /* of what was tried as CTF */
    uint64_t zeros;     /* bytes of the last piece of these, if all are 0 */
    bool is_text_due;   /* skipped bytes are still to be read as text */
    bool has_pending;   /* behind them */
    struct trace_event pending;
    uint64_t passed_size;       /* skipped bytes that are not counted yet */
    uint64_t told;              /* ... before they were read as text */
    uint64_t text_end;          /* end of the text that was read */
    const unsigned char *bytes; /* fed last */
    size_t size;
    size_t ctf_done, calls_done; /* of these bytes */
    uint64_t fed;
    bool is_ended, is_text_ended;
    char *metadata; /* not taken yet, or NULL */
    size_t metadata_size;
    struct console text;
    struct skips before; /* of text before CTF */
    struct ctf_reader ctf;
    struct events_reader calls;
};

static void begin_ctf(struct trace_stream *stream,
                      const struct ctf_metadata_facts *facts)
{
    stream->skips = (struct skips){ 0 };
    stream->is_text_due = stream->has_pending = false;
    stream->passed_size = stream->told = 0;
    ctf_reader_open(&stream->ctf, facts);
    stream->ctf.tells_others = true;
    events_reader_open(&stream->calls);
}

struct trace_stream *trace_stream_create(const struct ctf_metadata_facts *facts)
{
    struct trace_stream *stream = memory_zeroed(1, sizeof *stream);

    stream->form = facts == NULL ? TRACE_UNKNOWN : TRACE_CTF;
    zpl_text_reader_open(&stream->text.regions);
    mem_trace_reader_open(&stream->text.calls);
    begin_ctf(stream, facts);
    return stream;
}

void trace_stream_destroy(struct trace_stream *stream)
{
    if (stream != NULL)
        free(stream->metadata);
    free(stream);
}

static void feed_console(struct console *text, const void *bytes, size_t size)
{
    text->bytes = bytes;
    text->size = size;
    text->region.done = text->call.done = 0;
    text->region.is_dry = text->call.is_dry = false;
}

static void end_console(struct console *text)
{
    feed_console(text, NULL, 0);
    byte_stream_end(&text->regions.in);
    byte_stream_end(&text->calls.in);
}

static bool find_region(struct console *text)
{
    struct finding *region = &text->region;

    while (!region->is_there && !region->is_dry) {
        region->is_there =
            zpl_text_reader_next(&text->regions, &text->next_region);
        if (region->is_there)
            region->offset = text->regions.in.offset; /* behind its line */
        else
            region->is_dry = !byte_stream_feed_rest(
                &text->regions.in, text->bytes, text->size, &region->done);
    }
    return region->is_there;
}

static bool find_call(struct console *text)
{
    struct finding *call = &text->call;

    while (!call->is_there && !call->is_dry) {
        call->is_there = mem_trace_reader_next(&text->calls, &text->next_call);
        if (call->is_there)
            call->offset = text->calls.event_offset;
        else
            call->is_dry = !byte_stream_feed_rest(&text->calls.in, text->bytes,
                                                  text->size, &call->done);
    }
    return call->is_there;
}

static bool next_of_console(struct console *text, struct trace_event *event)
{
    bool has_region = find_region(text);
    bool has_call = find_call(text);

    if (has_call && (!has_region || text->call.offset < text->region.offset)) {
        event->kind = TRACE_EVENT_CALL;
        event->call = text->next_call;
        text->call.is_there = false;
        return true;
    }
    if (has_region) {
        event->kind = TRACE_EVENT_REGION;
        event->region = text->next_region;
        text->region.is_there = false;
    }
    return has_region;
}

/* Return malformed lines of events. */
static struct skips skipped_of_console(const struct console *text)
{
    const struct skips *calls = &text->calls.in.skipped;
    struct skips skipped = text->regions.in.skipped;

    skips_merge(&skipped, calls, 0);
    if (calls->places > 0 && calls->first < skipped.first)
        skipped.first = calls->first;
    return skipped;
}

/* Return the start of the line that goes on at `end`. */
static size_t find_line(const unsigned char *bytes, size_t end)
{
    const unsigned char *line = end == 0 ? NULL : memrchr(bytes, '\n', end);

    return line == NULL ? 0 : (size_t)(line - bytes) + 1;
}

/* Return the end of the text. A console shows no NUL: the line with one may be
   of another form, and so may the short line before it. */
static size_t find_text_end(const unsigned char *bytes, size_t size)
{
    const unsigned char *nul = size == 0 ? NULL : memchr(bytes, 0, size);
    size_t end = nul == NULL ? size : (size_t)(nul - bytes);
    size_t start = find_line(bytes, end), before;

    if (nul == NULL)
        return size;
    while (start > 0 && end - start < SURE_LINE) {
        before = find_line(bytes, start - 1);
        if (start - before >= SURE_LINE)
            break;
        start = before;
    }
    return start;
}

void trace_stream_feed(struct trace_stream *stream, const void *bytes,
                       size_t size)
{
    size_t text;

    stream->bytes = bytes;
    stream->size = size;
    stream->ctf_done = stream->calls_done = 0;
    stream->fed += size;
    if (stream->form == TRACE_CTF || stream->is_mixed)
        return;
    text = find_text_end(bytes, size);
    stream->text_end = stream->fed - size + text;
    feed_console(&stream->text, bytes, text);
}

void trace_stream_end(struct trace_stream *stream)
{
    stream->size = stream->ctf_done = stream->calls_done = 0;
    stream->is_ended = true;
    stream->is_text_ended = stream->form != TRACE_CTF && !stream->is_mixed;
    if (stream->is_text_ended)
        end_console(&stream->text);
    byte_stream_end(&stream->ctf.in);
    byte_stream_end(&stream->calls.in);
}

/* Count skipped bytes at `start`, which may be zero. */
static void count_skipped(struct trace_stream *stream, uint64_t start,
                          uint64_t size, bool are_zeros)
{
    bool is_joined = stream->skips.places > 0 && stream->skips.end == start;

    if (!is_joined)
        stream->zeros = are_zeros ? size : 0;
    else if (size > 0)
        stream->zeros =
            are_zeros && stream->zeros > 0 ? stream->zeros + size : 0;
    skips_add(&stream->skips, start, size, true);
}

bool trace_stream_pass_hole(struct trace_stream *stream, uint64_t size)
{
    struct ctf_reader *ctf = &stream->ctf;
    struct events_reader *calls = &stream->calls;

    if ((stream->form != TRACE_CTF && stream->form != TRACE_CALLS &&
         !stream->is_mixed) ||
        (stream->form != TRACE_CALLS && !byte_stream_is_zero(&ctf->in)) ||
        (stream->form != TRACE_CTF && !byte_stream_is_zero(&calls->in)))
        return false;
    count_skipped(stream, stream->rest + ctf->in.offset, size, true);
    byte_stream_skip_zeros(&ctf->in, size);
    byte_stream_skip_zeros(&calls->in, size);
    stream->fed += size;
    return true;
}

static void keep_metadata(struct trace_stream *stream)
{
    struct ctf_reader *ctf = &stream->ctf;

    if (ctf->description == NULL)
        return;
    free(stream->metadata);
    stream->metadata = memory_resized(NULL, ctf->description_size + 1, 1);
    memcpy(stream->metadata, ctf->description, ctf->description_size);
    stream->metadata_size = ctf->description_size;
    ctf->description = NULL;
}

char *trace_stream_take_metadata(struct trace_stream *stream, size_t *size)
{
    char *metadata = stream->metadata;

    *size = stream->metadata_size;
    stream->metadata = NULL;
    return metadata;
}

/* Return bytes of events of text. */
static uint64_t told(const struct trace_stream *stream)
{
    return stream->text.regions.told + stream->text.calls.told;
}

/* Count bytes skipped by CTF, without those of lines with events. */
static void count_passed(struct trace_stream *stream)
{
    const struct ctf_reader *ctf = &stream->ctf;
    uint64_t start = stream->rest + ctf->in.skipped.end - ctf->passed_size;
    uint64_t lines = told(stream) - stream->told;
    uint64_t size = stream->passed_size;

    stream->told += lines;
    stream->passed_size = 0;
    if (lines <= size) {
        count_skipped(stream, start, size - lines,
                      bytes_are_zero(ctf->passed, ctf->passed_size));
        return;
    }
    /* These lines began in bytes that were skipped before. */
    if (stream->skips.bytes > lines - size)
        stream->skips.bytes -= lines - size;
    else
        stream->skips = (struct skips){ 0 };
}

/* Feed skipped bytes to the readers of text. */
static void pass(struct trace_stream *stream)
{
    const struct ctf_reader *ctf = &stream->ctf;
    uint64_t unseen = stream->rest + ctf->in.skipped.end;

    unseen = unseen > stream->text_end ? unseen - stream->text_end : 0;
    if (unseen > ctf->passed_size)
        unseen = ctf->passed_size;
    if (stream->has_text)
        stream->passed_size = unseen;
    stream->told = told(stream);
    feed_console(&stream->text, ctf->passed + ctf->passed_size - unseen,
                 (size_t)unseen);
    stream->is_text_due = true;
}

/* Convert ticks of the metadata's clock to nanoseconds. */
static uint64_t in_ns(uint64_t hertz, uint64_t ticks)
{
    const uint64_t second = 1000000000;

    return ticks / hertz * second + ticks % hertz * second / hertz;
}

static bool read_ctf(struct trace_stream *stream, struct trace_event *event)
{
    const struct ctf_reader *ctf = &stream->ctf;
    struct zpl_event region;
    bool is_read;

    do
        is_read = ctf_reader_next(&stream->ctf, &region);
    while (is_read && ctf->other != NULL && ctf->other_event == NULL &&
           ctf->passed_size == 0);
    keep_metadata(stream);
    if (is_read && ctf->facts != NULL)
        region.time_ns = in_ns(ctf->facts->clock_hertz, region.time_ns);
    *event = (struct trace_event){ .region = region };
    if (is_read && ctf->other != NULL)
        *event = (struct trace_event){
            .kind = TRACE_EVENT_OTHER,
            .other = { region.time_ns, ctf->others, ctf->other_event,
                       ctf->other, ctf->other_size },
        };
    stream->passed_size = ctf->passed_size;
    if (ctf->passed_size > 0 &&
        (stream->form == TRACE_CTF || stream->is_mixed)) {
        pass(stream);
    } else if (ctf->passed_size > 0) {
        stream->told = told(stream);
        count_passed(stream);
    }
    return is_read;
}

/* Read an event of text from skipped bytes, before the next event of CTF. */
static bool next_of_passed(struct trace_stream *stream,
                           struct trace_event *event)
{
    if (!stream->is_text_due)
        return false;
    if (next_of_console(&stream->text, event)) {
        stream->has_text = true;
        return true;
    }
    stream->is_text_due = false;
    count_passed(stream);
    if (!stream->has_pending)
        return false;
    *event = stream->pending;
    stream->has_pending = false;
    return true;
}

/* Read a last line without newline. */
static bool end_text(struct trace_stream *stream)
{
    if (!stream->is_ended || stream->is_text_ended ||
        !(stream->form == TRACE_CTF || stream->is_mixed))
        return false;
    stream->is_text_ended = stream->is_text_due = true;
    stream->told = told(stream);
    end_console(&stream->text);
    return true;
}

static bool next_of_ctf(struct trace_stream *stream, struct trace_event *event)
{
    while (!next_of_passed(stream, event)) {
        if (read_ctf(stream, event)) {
            if (!stream->is_text_due)
                return true;
            stream->pending = *event;
            stream->has_pending = true;
        } else if (!stream->is_text_due) {
            if (!byte_stream_feed_rest(&stream->ctf.in, stream->bytes,
                                       stream->size, &stream->ctf_done) &&
                !end_text(stream))
                return false;
        }
    }
    return true;
}

/* Read a call. Packets have a checksum, so that events are certain; a header is
   reason enough to wait for the rest. */
static bool next_of_calls(struct trace_stream *stream,
                          struct trace_event *event)
{
    event->kind = TRACE_EVENT_CALL;
    while (!events_reader_next(&stream->calls, &event->call)) {
        if (!byte_stream_feed_rest(&stream->calls.in, stream->bytes,
                                   stream->size, &stream->calls_done))
            return false;
        if (events_reader_knows(byte_stream_front(&stream->calls.in),
                                byte_stream_left(&stream->calls.in)))
            stream->form = TRACE_CALLS;
    }
    stream->form = TRACE_CALLS;
    return true;
}

/* Begin CTF at the end of the text; an unfinished line counts as CTF, as it may
   be no text. */
static void leave_text(struct trace_stream *stream)
{
    size_t from = stream->fed - stream->size;
    size_t start = stream->is_mixed ? (size_t)(stream->text_end - from)
                                    : find_line(stream->bytes, stream->size);

    if (stream->ctf_done == stream->size)
        return;
    if (start > 0) {
        stream->rest = from + start;
        begin_ctf(stream, NULL);
    }
    stream->ctf_done = stream->calls_done = start;
    if (stream->is_mixed) {
        stream->form = TRACE_UNKNOWN;
        stream->before = skipped_of_console(&stream->text);
        return;
    }
    byte_stream_feed(&stream->ctf.in, stream->bytes + start,
                     stream->size - start);
    byte_stream_feed(&stream->calls.in, stream->bytes + start,
                     stream->size - start);
    stream->ctf_done = stream->calls_done = stream->size;
}

static bool next_of_text(struct trace_stream *stream, struct trace_event *event)
{
    bool is_there = next_of_console(&stream->text, event);

    if (is_there) {
        stream->form = TRACE_TEXT;
        stream->has_text = true;
        return true;
    }
    stream->is_mixed = stream->text_end < stream->fed;
    if (stream->form == TRACE_TEXT)
        leave_text(stream);
    return false;
}

bool trace_stream_next(struct trace_stream *stream, struct trace_event *event)
{
    bool is_known;

    if ((stream->form == TRACE_UNKNOWN || stream->form == TRACE_TEXT) &&
        !stream->is_mixed && next_of_text(stream, event))
        return true;
    is_known = stream->form != TRACE_UNKNOWN;
    if ((!is_known || stream->form == TRACE_CALLS) &&
        next_of_calls(stream, event))
        return true;
    if (stream->form == TRACE_TEXT || stream->form == TRACE_CALLS)
        return false;
    is_known = next_of_ctf(stream, event);
    if (is_known && !stream->is_text_due)
        stream->form = TRACE_CTF;
    return is_known;
}

enum trace_form trace_stream_form(const struct trace_stream *stream)
{
    return stream->form == TRACE_UNKNOWN && stream->has_text ? TRACE_TEXT
                                                             : stream->form;
}

struct ctf_layout trace_stream_layout(const struct trace_stream *stream)
{
    if (stream->form != TRACE_CTF)
        return (struct ctf_layout){ 0 };
    return stream->ctf.layout;
}

void trace_stream_count(const struct trace_stream *stream,
                        struct trace_counts *counts)
{
    const struct ctf_reader *ctf = &stream->ctf;
    const struct events_reader *calls = &stream->calls;
    const struct console *text = &stream->text;
    uint64_t *losses = counts->losses;
    /* Text on both sides means a disturbance. */
    bool has_rest = stream->has_text && stream->is_ended &&
                    text->region.offset <= stream->rest &&
                    text->call.offset <= stream->rest;

    *counts = (struct trace_counts){ .bytes = stream->fed,
                                     .is_strange = ctf->is_strange };
    if (stream->has_text) {
        counts->calls = text->calls.events - text->call.is_there;
        counts->events =
            text->regions.events - text->region.is_there + counts->calls;
        losses[TRACE_LOSS_discarded_events] = text->calls.lost;
        counts->sample_interval = text->calls.sample_interval;
        counts->skipped = skipped_of_console(text);
    }
    if (stream->form == TRACE_CTF) {
        counts->is_mixed = ctf->has_changed || counts->events > 0;
        counts->events += ctf->events;
        /* Damaged later lines are among the bytes that CTF skipped. */
        counts->skipped = stream->before;
        counts->others = ctf->other_events;
        skips_merge(&counts->skipped, &stream->skips, 0);
        if (stream->is_ended && stream->skips.end == stream->fed &&
            stream->zeros >= ctf_layout_head_bytes(&ctf->layout)) {
            /* The rest of a buffer in memory was never written. */
            counts->skipped.bytes -= stream->zeros;
            counts->skipped.places--;
        }
        losses[TRACE_LOSS_missing_packets] = ctf->lost_packets;
        losses[TRACE_LOSS_cut_packets] = ctf->is_cut;
        losses[TRACE_LOSS_discarded_events] += ctf->discarded;
        counts->profiler_us = ctf->profiler_us;
    } else if (stream->form == TRACE_CALLS) {
        counts->events += calls->events;
        counts->calls += calls->events;
        skips_merge(&counts->skipped, &calls->in.skipped, stream->rest);
        losses[TRACE_LOSS_missing_events] = calls->missing;
        losses[TRACE_LOSS_cut_packets] = calls->is_cut;
        losses[TRACE_LOSS_discarded_events] += calls->discarded;
    } else if (stream->form == TRACE_UNKNOWN && has_rest) {
        skips_add(&counts->skipped, stream->rest, stream->fed - stream->rest,
                  false);
    }
    /* Bytes may have been skipped as lines of two kinds and as packets. */
    if (counts->skipped.bytes > counts->bytes)
        counts->skipped.bytes = counts->bytes;
}
