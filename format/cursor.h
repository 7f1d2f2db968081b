/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.h - parse text from its front
 *
 * A function that parses something advances past it and returns true, or
 * returns false if it is not there. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Text that is not NUL-terminated and is owned by the caller. */
struct text_view {
    const char *bytes;
    size_t length;
};

/* Return true if the text equals `other`. */
bool text_is(struct text_view text, const char *other);

static inline bool text_is_same(struct text_view a, struct text_view b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Return the first occurrence in [from, end), or `end`. */
const char *text_find(const char *from, const char *end, const char *wanted);

/* The unread rest of a text. */
struct cursor {
    const char *next, *end;
};

static inline struct cursor cursor_over(struct text_view text)
{
    /* pointer arithmetic on NULL is undefined */
    return (struct cursor){ text.bytes, text.length == 0
                                            ? text.bytes
                                            : text.bytes + text.length };
}

/* Values of digits up to 'f' and 'F'; 16 for all other bytes. */
extern const uint8_t cursor_digits[256];

/* Return the value of the next byte as a digit, or 16. */
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

/* Parse as many digits as there are. Return false if there are none or the
   number exceeds 64 bits; the cursor is then within the digits. */
bool cursor_number(struct cursor *cursor, unsigned base, uint64_t *value);
