/* SPDX-License-Identifier: Apache-2.0 */
/*
 * byte_stream.h - bytes that come in pieces, kept until they make a whole
 *
 * Each reader of a stream has one as its field `in`, over a buffer of its own.
 * Feed it and ask for events in turn:
 *
 *     while ((size = read(fd, bytes, sizeof bytes)) > 0) {
 *         for (size_t done = 0; done < size;) {
 *             done += byte_stream_feed(&reader.in, bytes + done, size - done);
 *             while (ctf_reader_next(&reader, &event))
 *                 use(&event);
 *         }
 *     }
 *     byte_stream_end(&reader.in);
 *     while (ctf_reader_next(&reader, &event))
 *         use(&event);
 *
 * The reader takes what it knows off the front, skips what it does not know,
 * and so comes to the next thing that it knows; what was skipped is counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are of no event. */
struct skips {
    uint64_t bytes;
    uint64_t places; /* pieces that they are in */
    uint64_t first;  /* where in the stream the first of these begins, */
    uint64_t end;    /* ... and the last one ends */
};

struct byte_stream {
    uint64_t offset; /* of the front in the stream */
    struct skips skipped;

    /* Private to readers: buffer[first, filled) was fed and not yet read. */
    unsigned char *buffer;
    size_t capacity, first, filled;
    bool is_ended; /* no more bytes will come */
};

/* The buffer is the stream's from now on. */
void byte_stream_open(struct byte_stream *stream, void *buffer,
                      size_t capacity);

/* Take bytes; returns how many: some, if the reader has wanted more. */
size_t byte_stream_feed(struct byte_stream *stream, const void *bytes,
                        size_t size);

/* Of `size` bytes take more, behind `*done` of them; false: all are taken. */
static inline bool byte_stream_feed_rest(struct byte_stream *stream,
                                         const unsigned char *bytes,
                                         size_t size, size_t *done)
{
    if (*done == size)
        return false;
    *done += byte_stream_feed(stream, bytes + *done, size - *done);
    return true;
}

/* No more bytes will come: what is last may lack its end. */
static inline void byte_stream_end(struct byte_stream *stream)
{
    stream->is_ended = true;
}

/* What comes next, and how much of it is here. */
static inline const unsigned char *
byte_stream_front(const struct byte_stream *stream)
{
    return stream->buffer + stream->first;
}

static inline size_t byte_stream_left(const struct byte_stream *stream)
{
    return stream->filled - stream->first;
}

/* Bytes of the next line with its newline; all, when no more can come; or 0. */
size_t byte_stream_line(const struct byte_stream *stream);

/* Leave bytes behind that were read. */
static inline void byte_stream_pass(struct byte_stream *stream, size_t size)
{
    stream->first += size;
    stream->offset += size;
}

/* Skip bytes, as a piece of their own, or joined with the last one if they lie
   right behind it. */
void byte_stream_skip(struct byte_stream *stream, size_t size, bool is_joined);

/* Whether all that was fed and not yet read are zeros; more may be skipped
   then. */
bool byte_stream_is_zero(const struct byte_stream *stream);
void byte_stream_skip_zeros(struct byte_stream *stream, uint64_t size);

/* Count a piece of `size` bytes at `at`, likewise. */
void skips_add(struct skips *skips, uint64_t at, uint64_t size, bool is_joined);

/* Add the skips of the bytes behind, which begin at `start`. */
void skips_merge(struct skips *skips, const struct skips *more, uint64_t start);
