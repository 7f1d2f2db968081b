/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode_lines.h - memory events as lines of text or JSON
 *
 * A line of text is ZPL's or mem_trace's own, with the time in seconds before
 * it and the name behind it where they are known, so that it can be decoded
 * again. JSON is an array with one object a line.
 */
#pragma once

#include "tool/model/trace/trace_reader.h"

enum { DECODE_LINES_SIZE = 1 << 16 };

/* All fields are private. */
struct decode_lines {
    FILE *out;
    bool is_json;
    bool has_lines;
    size_t used;
    char bytes[DECODE_LINES_SIZE];
};

void decode_lines_open(struct decode_lines *lines, FILE *out, bool is_json);

/* Add an event; `name` of its region or caller may be any bytes, or NULL. */
void decode_lines_add(struct decode_lines *lines,
                      const struct trace_event *event, const char *name);

/* Write complete lines; errors stay in the FILE. */
void decode_lines_flush(struct decode_lines *lines);

/* Write the rest; nothing at all if there was no event. */
void decode_lines_close(struct decode_lines *lines);
