/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode_lines.c - memory events as lines of text or JSON
 *
 * Numbers are formatted here because printf() would take longer than everything
 * else that is done for an event.
 */
#include "tool/commands/trace/decode_lines.h"

#include "format/text/zpl_text.h"

enum {
    NAME_LIMIT = 1024, /* bytes of a name; longer ones are truncated */
    /* All else, and a name whose bytes are all written as \uXXXX. */
    LINE_LIMIT = 512 + 6 * NAME_LIMIT,
};

void decode_lines_open(struct decode_lines *lines, FILE *out, bool is_json)
{
    lines->out = out;
    lines->is_json = is_json;
    lines->has_lines = false;
    lines->used = 0;
}

static char *put_text(char *out, const char *text)
{
    size_t length = strlen(text);

    memcpy(out, text, length);
    return out + length;
}

static char *put_seconds(char *out, uint64_t ns)
{
    uint32_t rest = (uint32_t)(ns % 1000000000);

    out = text_put_digits(out, ns / 1000000000, 10);
    *out++ = '.';
    for (unsigned i = 9; i-- > 0; rest /= 10)
        out[i] = (char)('0' + rest % 10);
    return out + 9;
}

static char *put_name(char *out, const char *name, enum escape_format format)
{
    const char *end = name + NAME_LIMIT;

    while (*name != '\0' && name < end)
        out += escape_next(format, &name, out);
    return out;
}

static char *put_line(char *out, const struct trace_event *event,
                      const char *name)
{
    if (event->kind == TRACE_EVENT_CALL) {
        out += mem_trace_text_write(out, &event->call);
    } else {
        if (event->region.time_ns != ZPL_EVENT_NO_TIME) {
            out = put_seconds(out, event->region.time_ns);
            *out++ = ' ';
        }
        out += zpl_text_write(out, &event->region);
    }
    if (name != NULL) {
        out[-1] = ' ';
        out = put_name(out, name, ESCAPE_TERMINAL);
        *out++ = '\n';
    }
    return out;
}

/* Write a number, or null. */
static char *put_number(char *out, const char *key, bool is_there,
                        uint64_t value)
{
    out = put_text(out, key);
    return is_there ? text_put_digits(out, value, 10) : put_text(out, "null");
}

static char *put_last(char *out, const char *key, const char *name)
{
    out = put_text(out, key);
    if (name == NULL)
        return put_text(out, "null}");
    *out++ = '"';
    out = put_name(out, name, ESCAPE_JSON);
    return put_text(out, "\"}");
}

static char *put_region(char *out, const struct zpl_event *event,
                        const char *name)
{
    out = put_text(out, "{\"event\":\"zpl_memory\"");
    out = put_number(out, ",\"time_ns\":", event->time_ns != ZPL_EVENT_NO_TIME,
                     event->time_ns);
    out = put_text(out, ",\"region\":\"");
    out = put_text(out, zpl_text_region(event->memory_region));
    out = put_number(out, "\",\"address\":", true, event->memory_addr);
    out = put_number(out, ",\"used\":", true, event->used);
    out = put_number(out, ",\"unused\":", true, event->unused);
    out = put_number(out, ",\"thread\":", true, event->for_thread_id);
    return put_last(out, ",\"name\":", name);
}

static char *put_call(char *out, const struct mem_trace_event *event,
                      const char *name)
{
    static const char *const names[] = {
        [MEM_TRACE_MALLOC] = "malloc",   [MEM_TRACE_REALLOC] = "realloc",
        [MEM_TRACE_CALLOC] = "calloc",   [MEM_TRACE_FREE] = "free",
        [MEM_TRACE_PROMOTE] = "promote", [MEM_TRACE_FRAME] = "frame",
    };
    bool is_free =
        event->op == MEM_TRACE_FREE || event->op == MEM_TRACE_PROMOTE;
    bool is_frame = event->op == MEM_TRACE_FRAME;

    out = put_text(out, "{\"event\":\"");
    out = put_text(out, names[event->op]);
    out = put_number(out, "\",\"time_ns\":", event->has_time, event->time_ns);
    out = put_number(out, ",\"thread\":", event->thread != 0, event->thread);
    out = put_number(out, ",\"result\":", true, event->result);
    out = put_number(out, ",\"caller\":", true, event->caller);
    out = put_number(out,
                     ",\"pointer\":", is_free || event->op == MEM_TRACE_REALLOC,
                     event->pointer);
    out = put_number(out,
                     ",\"count\":", is_frame || event->op == MEM_TRACE_CALLOC,
                     event->count);
    out = put_number(out, ",\"size\":", !is_free && !is_frame, event->size);
    return put_last(out, ",\"function\":", name);
}

static char *put_object(char *out, const struct trace_event *event,
                        const char *name, bool is_first)
{
    out = put_text(out, is_first ? "[\n" : ",\n");
    return event->kind == TRACE_EVENT_CALL
               ? put_call(out, &event->call, name)
               : put_region(out, &event->region, name);
}

void decode_lines_add(struct decode_lines *lines,
                      const struct trace_event *event, const char *name)
{
    char *out;

    if (sizeof lines->bytes - lines->used < LINE_LIMIT)
        decode_lines_flush(lines);
    out = lines->bytes + lines->used;
    out = lines->is_json ? put_object(out, event, name, !lines->has_lines)
                         : put_line(out, event, name);
    lines->used = (size_t)(out - lines->bytes);
    lines->has_lines = true;
}

void decode_lines_flush(struct decode_lines *lines)
{
    fwrite(lines->bytes, 1, lines->used, lines->out);
    fflush(lines->out);
    lines->used = 0;
}

void decode_lines_close(struct decode_lines *lines)
{
    if (lines->is_json && lines->has_lines)
        lines->used = (size_t)(put_text(lines->bytes + lines->used, "\n]\n") -
                               lines->bytes);
    decode_lines_flush(lines);
}
