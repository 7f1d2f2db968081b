/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - print and parse numbers for people
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SIZE = 40 }; /* enough for any number below, with its NUL */

/* Print such as "-1,234,567"; return `out`. */
char *number_signed(char out[NUMBER_SIZE], int64_t value);
char *number_unsigned(char out[NUMBER_SIZE], uint64_t value);

/* Print into a buffer that lasts as long as the enclosing block. */
#define NUMBER(value)        number_unsigned((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_SIGNED(value) number_signed((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_BYTES(value)  number_bytes((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_GROWTH(value) number_growth((char[NUMBER_SIZE]){ 0 }, value)
#define ADDRESS(value)       number_address((char[NUMBER_SIZE]){ 0 }, value)

/* Return the plural "s", or "" for a count of 1. */
const char *number_plural(uint64_t count);

/* Write `sentence` with the alternative of each [ONE|MANY] that fits `count`;
   return `out`. */
char *number_sentence(char *out, size_t size, const char *sentence,
                      uint64_t count);

/* Print such as "0x4d2". */
char *number_address(char out[NUMBER_SIZE], uint64_t address);

/* Print a difference with its sign: "+1,234". */
char *number_growth(char out[NUMBER_SIZE], int64_t value);

/* Print bytes: "1.2 MiB", "-3.4 GiB", "999 B". */
char *number_bytes(char out[NUMBER_SIZE], int64_t bytes);

/*
 * Parse a value of a command line: digits, an optional fraction, and a unit in
 * either case, behind a space or not. Return false if the text is no such
 * number or exceeds 64 bits.
 */

/* Parse bytes: B, K, M, G, T, also as KB and KiB; all are powers of 1024. */
bool parse_bytes(const char *text, uint64_t *bytes);
#define PARSE_BYTES_EXAMPLES "4096, 64K, 1.5M or 2GiB"

/* Parse a time into nanoseconds: ns, us, ms, s, m or min, h, d; seconds without
   a unit. 146 years or more are refused. */
bool parse_duration(const char *text, uint64_t *ns);
#define PARSE_DURATION_EXAMPLES "500ms, 10s, 1.5m or 2h"

/* Parse digits alone, for a number up to `most`. */
bool parse_count(const char *text, uint64_t most, uint64_t *count);
