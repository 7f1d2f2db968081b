/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.h - texts, and what is taken off the front of one
 *
 * A function that takes something leaves it behind and returns true, or returns
 * false: it is not there. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not NUL-terminated; it lies in the bytes of its caller. */
struct text_view {
    const char *bytes;
    size_t length;
};

/* Whether it is the other. */
bool text_is(struct text_view text, const char *other);

static inline bool text_is_same(struct text_view a, struct text_view b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Where in [from, end) it stands first, or `end`. */
const char *text_find(const char *from, const char *end, const char *wanted);

/* What is left of a text. */
struct cursor {
    const char *next, *end;
};

static inline struct cursor cursor_over(struct text_view text)
{
    /* of NULL no other pointer is formed */
    return (struct cursor){ text.bytes, text.length == 0
                                            ? text.bytes
                                            : text.bytes + text.length };
}

/* Values of digits up to 'f' and 'F'; of all else 16. */
extern const uint8_t cursor_digits[256];

/* That of the next byte, or 16. */
static inline unsigned cursor_digit(const struct cursor *cursor)
{
    return cursor->next < cursor->end
               ? cursor_digits[(unsigned char)*cursor->next]
               : 16;
}

static inline bool cursor_byte(struct cursor *cursor, char byte)
{
    if (cursor->next == cursor->end || *cursor->next != byte)
        return false;
    cursor->next++;
    return true;
}

bool cursor_text(struct cursor *cursor, const char *text);

/* As many digits as there are; false, too, when the number has more than 64
   bits, in the middle of its digits. */
bool cursor_number(struct cursor *cursor, unsigned base, uint64_t *value);
