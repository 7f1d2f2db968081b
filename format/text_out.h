/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_out.h - text that is put together in a caller's bytes
 *
 * Nothing is allocated, and no NUL is written. Any context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A piece without room is counted and left out: the writer need not ask. */
struct text_out {
    char *out;
    size_t capacity;
    size_t length; /* also of what was left out */
};

void text_put(struct text_out *text, const char *piece);
void text_put_bytes(struct text_out *text, const char *bytes, size_t size);

/* Firmware writes its own addresses and sizes only, and divides no more
   bits. */
#if __STDC_HOSTED__
typedef uint64_t text_word;
#else
typedef uintptr_t text_word;
#endif

enum { TEXT_DIGITS = 20 }; /* that a word has at most */

/* The digits of a number to base 10 or 16; returns what is behind them. */
char *text_put_digits(char *out, text_word value, unsigned base);
