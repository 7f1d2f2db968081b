/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsdl_reader.h - the words of a CTF metadata file, and the types they declare
 *
 * Of the words, comments and white space are left out. Strings come without
 * their quotes; everything else that is no name and no number is one character,
 * but for ":=".
 *
 * Types are integers, enums, floating point, structs and arrays of these. Names
 * and their bits go into a table as they are declared. What is big-endian or
 * aligned to more than a byte is not known.
 */
#ifndef TALLY_FORMAT_TSDL_READER_H
#define TALLY_FORMAT_TSDL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/cursor.h"

enum tsdl_kind {
    TSDL_END,
    TSDL_WORD,   /* a name, with its points: packet.header; or a number */
    TSDL_STRING, /* what stands between the quotes, as it stands there */
    TSDL_SIGN,
};

/* Where reading is; `start` to `length` is the token that was read. */
struct tsdl_token {
    const char *next, *end; /* of the text */
    const char *start;
    size_t length;
    enum tsdl_kind kind;
};

struct tsdl_token tsdl_begin(const char *text, size_t size);

/* Read the next token. After the end there is nothing but the end. */
void tsdl_next(struct tsdl_token *token);

/* Whether it is this name or sign; a string never is. */
bool tsdl_is(const struct tsdl_token *token, const char *text);

/* If it is `text`, go on to the next one. */
bool tsdl_take(struct tsdl_token *token, const char *text);

/* The value of a number, decimal, octal or hexadecimal. */
bool tsdl_number(const struct tsdl_token *token, uint64_t *value);

/* From an opening bracket to behind the one that closes it. */
void tsdl_skip_block(struct tsdl_token *token);

enum {
    TSDL_ALIAS_CAPACITY = 128, /* types with a name; more are not known */
    TSDL_NOT_FIXED = 1 << 20,  /* bits of what has no fixed size */
};

/* What a value is to a reader; of a struct or what is not understood: bytes. */
enum tsdl_value {
    TSDL_UNSIGNED,
    TSDL_SIGNED,
    TSDL_LETTER,
    TSDL_FLOAT,
    TSDL_TEXT, /* letters up to a NUL, of no fixed size */
    TSDL_BYTES,
};

struct tsdl_alias {
    struct text_view name;
    uint32_t bits;
    enum tsdl_value value;
    const char *labels; /* as below */
    const char *body;   /* of a struct: where its fields begin */
};

struct tsdl_types {
    struct tsdl_token token;
    struct tsdl_alias aliases[TSDL_ALIAS_CAPACITY];
    unsigned alias_count;
    unsigned depth;
    enum tsdl_value value; /* of the type that was read last */
    const char *labels;    /* ... if it is an enum: where its block begins */
};

/* A field of a struct: `count` items, or as many as another field says. */
struct tsdl_field {
    struct text_view name;
    uint32_t bits; /* of an item */
    enum tsdl_value value;
    const char *labels; /* of an enum, or NULL */
    uint64_t count;
    struct text_view length; /* that other field; of length 0: none */
};

/* Called for each field of a struct. */
struct tsdl_field_listener {
    void (*tell)(void *context, const struct tsdl_field *field);
    void *context;
};

/* Read a type, to what stands behind it. `listener` may be NULL. */
uint32_t tsdl_read_type(struct tsdl_types *types,
                        const struct tsdl_field_listener *listener);

void tsdl_declare(struct tsdl_types *types, struct text_view name,
                  uint32_t bits, const char *body);

/* sum + bits * count, or TSDL_NOT_FIXED. */
uint32_t tsdl_add(uint32_t sum, uint32_t bits, uint64_t count);

struct text_view tsdl_text(const struct tsdl_token *token);

#endif /* TALLY_FORMAT_TSDL_READER_H */
