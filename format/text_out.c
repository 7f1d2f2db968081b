/* SPDX-License-Identifier: Apache-2.0 */
/* text_out.c - see text_out.h */
#include "format/text_out.h"

void text_put_bytes(struct text_out *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++, text->length++) {
        if (text->length < text->capacity)
            text->out[text->length] = bytes[i];
    }
}

void text_put(struct text_out *text, const char *piece)
{
    for (; *piece != '\0'; piece++)
        text_put_bytes(text, piece, 1);
}

char *text_put_digits(char *out, text_word value, unsigned base)
{
    char digits[TEXT_DIGITS];
    size_t count = 0;

    /* With constant divisors: a division is slow. */
    do {
        digits[count++] =
            "0123456789abcdef"[base == 16 ? value & 15 : value % 10];
        value = base == 16 ? value >> 4 : value / 10;
    } while (value > 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}
