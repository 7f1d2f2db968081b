/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - a JSON document, written as it comes
 */
#include "tool/render/render.h"

#include <inttypes.h>
#include <math.h>

static void break_line(const struct json *json, unsigned depth)
{
    putc_unlocked('\n', json->out);
    for (unsigned i = 0; i < depth; i++)
        fputs_unlocked("  ", json->out);
}

/* Write what precedes a value: comma, line break, key. */
static void begin_value(struct json *json, const char *key)
{
    if (json->has_members)
        putc_unlocked(',', json->out);
    if (json->line_depth == 0 && json->depth > 0)
        break_line(json, json->depth);
    if (key != NULL) {
        escape_json(json->out, key);
        fputs_unlocked(json->line_depth == 0 ? ": " : ":", json->out);
    }
    json->has_members = true;
}

void json_begin(struct json *json, const char *key, enum json_shape shape)
{
    begin_value(json, key);
    putc_unlocked(shape & JSON_ARRAY ? '[' : '{', json->out);
    json->depth++;
    json->arrays = json->arrays << 1 | (shape & JSON_ARRAY);
    json->has_members = false;
    if (shape >= JSON_LINE_OBJECT && json->line_depth == 0)
        json->line_depth = json->depth;
}

void json_end(struct json *json)
{
    if (json->line_depth == json->depth)
        json->line_depth = 0;
    else if (json->line_depth == 0 && json->has_members)
        break_line(json, json->depth - 1);
    json->depth--;
    putc_unlocked(json->arrays & 1 ? ']' : '}', json->out);
    json->arrays >>= 1;
    if (json->depth == 0)
        putc_unlocked('\n', json->out);
    json->has_members = true;
}

void json_string(struct json *json, const char *key, const char *value)
{
    if (value == NULL) {
        json_null(json, key);
        return;
    }
    begin_value(json, key);
    escape_json(json->out, value);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_version(struct json *json)
{
    json_unsigned(json, "version", 1);
}

void json_number_or_null(struct json *json, const char *key, bool is_known,
                         uint64_t value)
{
    if (is_known)
        json_unsigned(json, key, value);
    else
        json_null(json, key);
}

void json_fraction(struct json *json, const char *key, double value)
{
    begin_value(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.10g", value);
    else
        fputs_unlocked("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs_unlocked(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    begin_value(json, key);
    fputs_unlocked("null", json->out);
}

void json_strings(struct json *json, const char *key, enum json_shape shape,
                  char *const *texts, size_t count)
{
    json_begin(json, key, shape);
    for (size_t i = 0; i < count; i++)
        json_string(json, NULL, texts[i]);
    json_end(json);
}
