/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - a JSON document, written as it comes
 */
#include "tool/render/json.h"

#include <inttypes.h>

#include "tool/text/json_text.h"

static void break_line(const struct json *json)
{
    fputc('\n', json->out);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

/* What stands before every value: comma, line break, key. */
static void begin_value(struct json *json, const char *key)
{
    if (json->has_members)
        fputc(',', json->out);
    if (json->depth > 0)
        break_line(json);
    if (key != NULL) {
        json_text_write(json->out, key);
        fputs(": ", json->out);
    }
    json->has_members = true;
}

static void begin(struct json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->has_members = false;
}

static void end(struct json *json, char bracket)
{
    json->depth--;
    if (json->has_members)
        break_line(json);
    fputc(bracket, json->out);
    if (json->depth == 0)
        fputc('\n', json->out);
    json->has_members = true;
}

void json_begin_object(struct json *json, const char *key)
{
    begin(json, key, '{');
}

void json_end_object(struct json *json)
{
    end(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
    begin(json, key, '[');
}

void json_end_array(struct json *json)
{
    end(json, ']');
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin_value(json, key);
    json_text_write(json->out, value);
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

void json_fraction(struct json *json, const char *key, double value)
{
    begin_value(json, key);
    fprintf(json->out, "%.10g", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    begin_value(json, key);
    fputs("null", json->out);
}
