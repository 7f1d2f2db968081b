/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - functions of <string.h> that compilers and Tally need */
#include <stddef.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;

    while (size-- > 0)
        *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;

    if (out <= in)
        return memcpy(to, from, size);
    while (size-- > 0)
        out[size] = in[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *out = to;

    while (size-- > 0)
        *out++ = (unsigned char)value;
    return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one, *b = other;

    for (; size > 0; size--, a++, b++) {
        if (*a != *b)
            return *a < *b ? -1 : 1;
    }
    return 0;
}

void *memchr(const void *in, int value, size_t size)
{
    const unsigned char *byte = in;

    for (; size > 0; size--, byte++) {
        if (*byte == (unsigned char)value)
            return (void *)byte;
    }
    return NULL;
}
