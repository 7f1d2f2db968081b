/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_text.c - the events in what a console shows
 *
 * Each reader sees all lines. One that has found nothing in what was fed has
 * come as far as the other, as both take whole lines; so it is sure what comes
 * first.
 */
#include "tool/model/trace/console_text.h"

void console_text_open(struct console_text *text)
{
    text->bytes = NULL;
    text->size = 0;
    text->region = text->call = (struct console_finding){ 0 };
    zpl_text_reader_open(&text->regions);
    mem_trace_reader_open(&text->calls);
}

void console_text_feed(struct console_text *text, const void *bytes,
                       size_t size)
{
    text->bytes = bytes;
    text->size = size;
    text->region.done = text->call.done = 0;
    text->region.is_dry = text->call.is_dry = false;
}

void console_text_end(struct console_text *text)
{
    console_text_feed(text, NULL, 0);
    byte_stream_end(&text->regions.in);
    byte_stream_end(&text->calls.in);
}

static bool next_region(struct console_text *text)
{
    size_t *done = &text->region.done;

    while (!zpl_text_reader_next(&text->regions, &text->next_region)) {
        if (*done == text->size)
            return false;
        *done += byte_stream_feed(&text->regions.in, text->bytes + *done,
                                  text->size - *done);
    }
    text->region.offset = text->regions.in.offset; /* behind its line */
    return true;
}

static bool next_call(struct console_text *text)
{
    size_t *done = &text->call.done;

    while (!mem_trace_reader_next(&text->calls, &text->next_call)) {
        if (*done == text->size)
            return false;
        *done += byte_stream_feed(&text->calls.in, text->bytes + *done,
                                  text->size - *done);
    }
    text->call.offset = text->calls.event_offset;
    return true;
}

static bool find(struct console_text *text, struct console_finding *finding,
                 bool (*next)(struct console_text *))
{
    if (!finding->is_there && !finding->is_dry) {
        finding->is_there = next(text);
        finding->is_dry = !finding->is_there;
    }
    return finding->is_there;
}

bool console_text_next(struct console_text *text, struct trace_event *event)
{
    bool has_region = find(text, &text->region, next_region);
    bool has_call = find(text, &text->call, next_call);

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

void console_text_count(const struct console_text *text,
                        struct console_counts *counts)
{
    const struct zpl_text_reader *regions = &text->regions;
    const struct mem_trace_reader *calls = &text->calls;

    counts->regions = regions->events - text->region.is_there;
    counts->calls = calls->events - text->call.is_there;
    counts->lost = calls->lost;
    counts->skipped = regions->in.skipped;
    skips_merge(&counts->skipped, &calls->in.skipped, 0);
    if (calls->in.skipped.places > 0 &&
        calls->in.skipped.first < counts->skipped.first)
        counts->skipped.first = calls->in.skipped.first;
}
