/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode_lines.h - memory events as lines of text or of JSON, by the million
 *
 * A line of text is ZPL's own, behind the time in seconds, or mem_trace's, to
 * the byte, and before the name, where these are known; so it can be decoded
 * again. JSON is an array with an object a line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tool/model/trace/trace_event.h"

enum { DECODE_LINES_SIZE = 1 << 16 };

/* Private. */
struct decode_lines {
    FILE *out;
    bool is_json;
    bool has_lines;
    size_t used;
    char bytes[DECODE_LINES_SIZE];
};

void decode_lines_open(struct decode_lines *lines, FILE *out, bool is_json);

/* `name` of the region or the caller may be any bytes, or NULL. */
void decode_lines_add(struct decode_lines *lines,
                      const struct trace_event *event, const char *name);

/* Write what is there; errors stay in the FILE. */
void decode_lines_flush(struct decode_lines *lines);

/* Write the rest. Without a line nothing is written at all. */
void decode_lines_close(struct decode_lines *lines);
