/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsdl_types.h - how many bits a type of a CTF metadata file has
 *
 * Integers, enums, floating point, structs and arrays of these. Names and their
 * bits go into a table as they are declared. What is big-endian or aligned to
 * more than a byte is not known.
 */
#ifndef TALLY_FORMAT_TSDL_TYPES_H
#define TALLY_FORMAT_TSDL_TYPES_H

#include "format/ctf/tsdl_token.h"

enum {
    TSDL_ALIAS_CAPACITY = 128, /* types with a name; more are not known */
    TSDL_NOT_FIXED = 1 << 20,  /* bits of what has no fixed size */
};

/* Not NUL-terminated; it lies in the file's text. */
struct ctf_text {
    const char *bytes;
    size_t length;
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
    struct ctf_text name;
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
    struct ctf_text name;
    uint32_t bits; /* of an item */
    enum tsdl_value value;
    const char *labels; /* of an enum, or NULL */
    uint64_t count;
    struct ctf_text length; /* that other field; of length 0: none */
};

/* Called for each field of a struct. */
struct tsdl_field_listener {
    void (*tell)(void *context, const struct tsdl_field *field);
    void *context;
};

/* Read a type, to what stands behind it. `listener` may be NULL. */
uint32_t tsdl_read_type(struct tsdl_types *types,
                        const struct tsdl_field_listener *listener);

void tsdl_declare(struct tsdl_types *types, struct ctf_text name, uint32_t bits,
                  const char *body);

/* sum + bits * count, or TSDL_NOT_FIXED. */
uint32_t tsdl_add(uint32_t sum, uint32_t bits, uint64_t count);

struct ctf_text tsdl_text(const struct tsdl_token *token);

#endif /* TALLY_FORMAT_TSDL_TYPES_H */
