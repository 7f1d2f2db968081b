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

/* "s" behind what there is `count` of, unless that is 1. */
const char *number_plural(uint64_t count);

/* `sentence`, with what fits `count` in place of each [ONE|MANY]; returns
   `out`. */
char *number_sentence(char *out, size_t size, const char *sentence,
                      uint64_t count);

/* A number that grew has its sign: "+1,234". */
char *number_growth(char out[NUMBER_SIZE], int64_t value);

/* "1.2 MiB", "-3.4 GiB", "999 B". */
char *number_bytes(char out[NUMBER_SIZE], int64_t bytes);

/*
 * Digits, with K, M or G behind them for powers of 1024. False: it is no such
 * number, or larger than 64 bits hold.
 */
bool parse_bytes(const char *text, uint64_t *bytes);

/* A number, such as 12.5, with ns, ms, s, m or h behind it, as nanoseconds; of
   146 years or more it is none. */
bool parse_duration(const char *text, uint64_t *ns);

/* Digits alone, for a number up to `most`. */
bool parse_count(const char *text, uint64_t most, uint64_t *count);
