/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - bytes that come in pieces, kept until they make a whole
 */
#ifndef TALLY_FORMAT_FEED_H
#define TALLY_FORMAT_FEED_H

#include <stddef.h>
#include <string.h>

/*
 * Put as many of `size` bytes behind those from `*first` to `*filled` as the
 * buffer has room for, after moving these to its start. Returns how many.
 */
static inline size_t feed(void *buffer, size_t capacity, size_t *first,
                          size_t *filled, const void *bytes, size_t size)
{
    size_t room;

    if (*first > 0) {
        memmove(buffer, (char *)buffer + *first, *filled - *first);
        *filled -= *first;
        *first = 0;
    }
    room = capacity - *filled;
    if (size > room)
        size = room;
    memcpy((char *)buffer + *filled, bytes, size);
    *filled += size;
    return size;
}

#endif /* TALLY_FORMAT_FEED_H */
