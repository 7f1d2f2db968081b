/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.c - characters out of bytes that may be anything
 *
 * The table is that of the Unicode Standard, table 3-7: which second bytes may
 * follow a first one. It leaves out overlong forms and surrogates.
 */
#include "tool/text/utf8.h"

struct sequence {
    unsigned char first_low, first_high;
    unsigned char second_low, second_high;
    unsigned char length;
};

static const struct sequence sequences[] = {
    { 0x01, 0x7f, 0x00, 0xff, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
    { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
    { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
    { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
    { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static size_t match(const struct sequence *sequence, const unsigned char *bytes)
{
    if (bytes[0] < sequence->first_low || bytes[0] > sequence->first_high)
        return 0;
    if (sequence->length == 1)
        return 1;
    if (bytes[1] < sequence->second_low || bytes[1] > sequence->second_high)
        return 0;
    for (size_t i = 2; i < sequence->length; i++) {
        if (bytes[i] < 0x80 || bytes[i] > 0xbf)
            return 0;
    }
    return sequence->length;
}

size_t utf8_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;

    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        size_t length = match(&sequences[i], bytes);

        if (length != 0)
            return length;
    }
    return 0;
}
