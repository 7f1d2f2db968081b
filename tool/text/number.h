/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - numbers as people read them
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SIZE = 40 }; /* enough for any number below, with its NUL */

/* "-1,234,567"; both return `out`. */
char *number_signed(char out[NUMBER_SIZE], int64_t value);
char *number_unsigned(char out[NUMBER_SIZE], uint64_t value);

/* The same, in a buffer that lasts as long as the block around it. */
#define NUMBER(value)        number_unsigned((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_SIGNED(value) number_signed((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_BYTES(value)  number_bytes((char[NUMBER_SIZE]){ 0 }, value)
#define NUMBER_GROWTH(value) number_growth((char[NUMBER_SIZE]){ 0 }, value)
#define ADDRESS(value)       number_address((char[NUMBER_SIZE]){ 0 }, value)

/* "s" behind what there is `count` of, unless that is 1. */
const char *number_plural(uint64_t count);

/* `sentence`, with what fits `count` in place of each [ONE|MANY]; returns
   `out`. */
char *number_sentence(char *out, size_t size, const char *sentence,
                      uint64_t count);

/* "0x4d2". */
char *number_address(char out[NUMBER_SIZE], uint64_t address);

/* A number that grew has its sign: "+1,234". */
char *number_growth(char out[NUMBER_SIZE], int64_t value);

/* "1.2 MiB", "-3.4 GiB", "999 B". */
char *number_bytes(char out[NUMBER_SIZE], int64_t bytes);

/*
 * What people write on a command line: digits, a fraction if there is one, and
 * a unit in small or large letters, behind a space or not. False: it is no such
 * number, or larger than 64 bits hold.
 */

/* Bytes: B, K, M, G, T, also as KB and KiB; all are powers of 1024. */
bool parse_bytes(const char *text, uint64_t *bytes);
#define PARSE_BYTES_EXAMPLES "4096, 64K, 1.5M or 2GiB"

/* Nanoseconds: ns, us, ms, s, m or min, h, d; seconds without a unit. Of 146
   years or more it is none. */
bool parse_duration(const char *text, uint64_t *ns);
#define PARSE_DURATION_EXAMPLES "500ms, 10s, 1.5m or 2h"

/* Digits alone, for a number up to `most`. */
bool parse_count(const char *text, uint64_t most, uint64_t *count);
