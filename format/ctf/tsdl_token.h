/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsdl_token.h - the words of a CTF metadata file, one after the other
 *
 * Comments and white space are left out. Strings come without their quotes;
 * everything else that is no name and no number is one character, but for ":=".
 */
#ifndef TALLY_FORMAT_TSDL_TOKEN_H
#define TALLY_FORMAT_TSDL_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* TALLY_FORMAT_TSDL_TOKEN_H */
