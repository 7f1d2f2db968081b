/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - bytes that come in pieces, kept until they make a whole
 *
 * bytes[first, filled) of a reader's buffer were fed and not yet read. The reader
 * skips bytes that it does not know, and counts them.
 */
#ifndef TALLY_FORMAT_FEED_H
#define TALLY_FORMAT_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed {
    uint64_t offset; /* of bytes[first] in the stream */
    size_t first, filled;
    bool is_ended; /* no more bytes will come */
};

struct skips {
    uint64_t bytes;
    uint64_t places; /* pieces that they are in */
    uint64_t first;  /* where in the stream the first of these begins, */
    uint64_t end;    /* ... and the last one ends */
};

/*
 * Put as many of `size` bytes behind those of the buffer as it has room for,
 * after moving these to its start. Returns how many.
 */
static inline size_t feed_take(struct feed *feed, void *buffer, size_t capacity,
                               const void *bytes, size_t size)
{
    size_t room;

    if (feed->first > 0) {
        __builtin_memmove(buffer, (char *)buffer + feed->first,
                          feed->filled - feed->first);
        feed->filled -= feed->first;
        feed->first = 0;
    }
    room = capacity - feed->filled;
    if (size > room)
        size = room;
    __builtin_memcpy((char *)buffer + feed->filled, bytes, size);
    feed->filled += size;
    return size;
}

static inline size_t feed_left(const struct feed *feed)
{
    return feed->filled - feed->first;
}

static inline void feed_pass(struct feed *feed, size_t size)
{
    feed->first += size;
    feed->offset += size;
}

/* A piece of its own, even right behind another. */
static inline void skips_add_piece(struct skips *skips, uint64_t at,
                                   uint64_t size)
{
    if (skips->places++ == 0)
        skips->first = at;
    skips->bytes += size;
    skips->end = at + size;
}

/* What lies right behind the last piece belongs to it. */
static inline void skips_add(struct skips *skips, uint64_t at, uint64_t size)
{
    bool is_joined = skips->bytes > 0 && skips->end == at;

    if (size == 0)
        return;
    skips_add_piece(skips, at, size);
    skips->places -= is_joined;
}

/* As many come before what was fed and not yet read, which are zeros as well. */
static inline void feed_pass_zeros(struct feed *feed, struct skips *skips,
                                   uint64_t size)
{
    skips_add(skips, feed->offset, size);
    feed->offset += size;
}

/* Add the skips of the bytes behind, which begin at `start`. */
static inline void skips_merge(struct skips *skips, const struct skips *more,
                               uint64_t start)
{
    if (skips->bytes == 0)
        skips->first = start + more->first;
    skips->bytes += more->bytes;
    skips->places += more->places;
}

#endif /* TALLY_FORMAT_FEED_H */
