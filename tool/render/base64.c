/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c - see render.h */
#include "tool/render/render.h"

char *base64_text(const char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/";
    char *text = memory_zeroed(size / 3 + 2, 4), *out = text;

    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = 0;

        for (size_t j = i; j < i + 3; j++)
            word = word << 8 | (j < size ? (unsigned char)bytes[j] : 0);
        for (size_t j = 0; j < 4; j++)
            *out++ = i + j > size ? '=' : digits[word >> (18 - 6 * j) & 63];
    }
    return text;
}
