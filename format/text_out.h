/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_out.h - build text in the caller's buffer
 *
 * The functions allocate nothing and write no NUL. Any context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tally/config.h"

/* Pieces without room are counted and dropped, so that callers need not
   check. */
struct text_out {
    char *out;
    size_t capacity;
    size_t length; /* dropped pieces included */
};

void text_put(struct text_out *text, const char *piece);
void text_put_bytes(struct text_out *text, const char *bytes, size_t size);

/* Firmware only writes its own addresses and sizes, and does not divide wider
   numbers. */
#if TALLY_HAS(OS)
typedef uint64_t text_word;
#else
typedef uintptr_t text_word;
#endif

enum { TEXT_DIGITS = 20 }; /* longest number in digits */

/* Write a number in base 10 or 16; return the address after its digits. */
char *text_put_digits(char *out, text_word value, unsigned base);
