/* SPDX-License-Identifier: Apache-2.0 */
/*
 * byte_stream.h - buffer a stream of bytes for a reader
 *
 * Each reader of a stream has a byte_stream in its field `in`, over its own
 * buffer. Feed bytes and ask for events in turn:
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
 * The reader consumes events from the front and skips unknown bytes, which are
 * counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Skipped bytes: those that belong to no event. */
struct skips {
    uint64_t bytes;
    uint64_t places; /* contiguous pieces */
    uint64_t first;  /* offset in the stream of the first piece, */
    uint64_t end;    /* ... and of the end of the last */
};

struct byte_stream {
    uint64_t offset; /* offset of the front in the stream */
    struct skips skipped;

    /* Private to readers: buffer[first, filled) holds unread bytes. */
    unsigned char *buffer;
    size_t capacity, first, filled;
    bool is_ended; /* all bytes were fed */
};

/* The stream owns the buffer from now on. */
void byte_stream_open(struct byte_stream *stream, void *buffer,
                      size_t capacity);

/* Append bytes; return how many fit. At least one fits after the reader asked
   for more. */
size_t byte_stream_feed(struct byte_stream *stream, const void *bytes,
                        size_t size);

/* Feed the bytes after the first `*done` of `size`; return false if all were
   fed. */
static inline bool byte_stream_feed_rest(struct byte_stream *stream,
                                         const unsigned char *bytes,
                                         size_t size, size_t *done)
{
    if (*done == size)
        return false;
    *done += byte_stream_feed(stream, bytes + *done, size - *done);
    return true;
}

/* Declare the end of the stream: the last event may be incomplete. */
static inline void byte_stream_end(struct byte_stream *stream)
{
    stream->is_ended = true;
}

/* Return the unread bytes, and their number. */
static inline const unsigned char *
byte_stream_front(const struct byte_stream *stream)
{
    return stream->buffer + stream->first;
}

static inline size_t byte_stream_left(const struct byte_stream *stream)
{
    return stream->filled - stream->first;
}

/* Return the length of the next line, newline included; at the end of the
   stream, of the rest; 0 if the line is incomplete. */
size_t byte_stream_line(const struct byte_stream *stream);

/* Consume bytes. */
static inline void byte_stream_pass(struct byte_stream *stream, size_t size)
{
    stream->first += size;
    stream->offset += size;
}

/* Skip bytes; with `is_joined`, extend the last piece if it ends here. */
void byte_stream_skip(struct byte_stream *stream, size_t size, bool is_joined);

bool bytes_are_zero(const unsigned char *bytes, size_t size);

/* Return true if all unread bytes are zero; zeros may then be skipped beyond
   them. */
bool byte_stream_is_zero(const struct byte_stream *stream);
void byte_stream_skip_zeros(struct byte_stream *stream, uint64_t size);

/* Count a skipped piece of `size` bytes at offset `at`; `is_joined` as
   above. */
void skips_add(struct skips *skips, uint64_t at, uint64_t size, bool is_joined);

/* Add the skips of a part of the stream that begins at offset `start`. */
void skips_merge(struct skips *skips, const struct skips *more, uint64_t start);
