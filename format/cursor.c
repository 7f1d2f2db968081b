/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.c - see cursor.h */
#include "format/cursor.h"

const uint8_t cursor_digits[256] = {
/* clang-format off */
#define NO4  16, 16, 16, 16
#define NO16 NO4, NO4, NO4, NO4
    NO16, NO16, NO16,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 16, NO4,
    16, 10, 11, 12, 13, 14, 15, 16, NO4, NO4, NO16,
    16, 10, 11, 12, 13, 14, 15, 16, NO4, NO4, NO16,
    NO16, NO16, NO16, NO16, NO16, NO16, NO16, NO16,
    /* clang-format on */
};

bool text_is(struct text_view text, const char *other)
{
    struct cursor cursor = cursor_over(text);

    return cursor_text(&cursor, other) && cursor.next == cursor.end;
}

const char *text_find(const char *from, const char *end, const char *wanted)
{
    for (; from < end; from++) {
        struct cursor cursor;

        from = memchr(from, *wanted, (size_t)(end - from));
        if (from == NULL)
            return end;
        cursor = (struct cursor){ from, end };
        if (cursor_text(&cursor, wanted))
            return from;
    }
    return end;
}

bool cursor_text(struct cursor *cursor, const char *text)
{
    const char *next = cursor->next;

    for (; *text != '\0'; text++, next++) {
        if (next == cursor->end || *next != *text)
            return false;
    }
    cursor->next = next;
    return true;
}

bool cursor_number(struct cursor *cursor, unsigned base, uint64_t *value)
{
    const char *first = cursor->next;

    *value = 0;
    for (unsigned digit; (digit = cursor_digit(cursor)) < base;
         cursor->next++) {
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return cursor->next > first;
}
