/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - a JSON document, written as it comes
 *
 * Whatever the bytes of a string, the document is valid UTF-8. The caller pairs
 * begins and ends; write errors stay in the FILE, for ferror() at the end.
 *
 *     struct json json = { .out = stdout };
 *
 *     json_begin(&json, NULL, JSON_OBJECT);
 *     json_unsigned(&json, "allocations", 3);
 *     json_end(&json);
 *
 * `key` is NULL in an array and for the outermost value. Keys are a contract
 * with scripts: docs/json.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;      /* private; at most 64 */
    uint64_t arrays;     /* private: of what is open, 1 is an array; the
                            innermost is bit 0 */
    bool has_members;    /* private: of the innermost object or array */
    unsigned line_depth; /* private: below this depth all is in one line; 0:
                            nothing is */
};

/* A line object or array has all that is in it in one line. */
enum json_shape {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_LINE_OBJECT,
    JSON_LINE_ARRAY,
};

void json_begin(struct json *json, const char *key, enum json_shape shape);
void json_end(struct json *json);

void json_signed(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* The member "version" of a whole document: what a member means never changes
   within a version, but there may be more of them. */
void json_version(struct json *json);

/* Null where nothing is known: NULL, told so, or not finite. */
void json_string(struct json *json, const char *key, const char *value);
void json_number_or_null(struct json *json, const char *key, bool is_known,
                         uint64_t value);
void json_fraction(struct json *json, const char *key, double value);

/* An array of them. */
void json_strings(struct json *json, const char *key, enum json_shape shape,
                  char *const *texts, size_t count);
