/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_text.h - the events in what a console shows, ZPL's lines and
 * mem_trace's
 *
 * In the order in which they stand there, as far as lines are whole.
 *
 *     console_text_feed(&text, bytes, size);
 *     while (console_text_next(&text, &event))
 *         use(&event);
 */
#ifndef TALLY_TOOL_MODEL_CONSOLE_TEXT_H
#define TALLY_TOOL_MODEL_CONSOLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text/mem_trace_text.h"
#include "format/text/zpl_text.h"
#include "tool/model/trace/trace_event.h"

/* What a reader has found and the caller has not taken yet. */
struct console_finding {
    bool is_there;
    bool is_dry;     /* the reader has used up all that was fed */
    uint64_t offset; /* in the text */
    size_t done;     /* bytes that the reader took of those that were fed */
};

/* Private. */
struct console_text {
    const unsigned char *bytes; /* those that were fed */
    size_t size;
    struct console_finding region, call;
    struct zpl_event next_region;
    struct mem_trace_event next_call;
    struct zpl_text_reader regions;
    struct mem_trace_reader calls;
};

/* Events that were handed out, and lines that name one and are none. */
struct console_counts {
    uint64_t regions, calls;
    struct skips skipped;
    uint64_t lost; /* calls, as the text says */
};

void console_text_open(struct console_text *text);

/* Take bytes, which must stay until next says false. */
void console_text_feed(struct console_text *text, const void *bytes,
                       size_t size);
void console_text_end(struct console_text *text);

/* The next event; false: feed more, or after the end: that was all. */
bool console_text_next(struct console_text *text, struct trace_event *event);

void console_text_count(const struct console_text *text,
                        struct console_counts *counts);

#endif /* TALLY_TOOL_MODEL_CONSOLE_TEXT_H */
