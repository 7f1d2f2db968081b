/* SPDX-License-Identifier: Apache-2.0 */
/*
 * byte_stream.c - buffer a stream of bytes for a reader
 *
 *   B1  first <= filled <= capacity
 *   B2  skipped bytes lie before the front, and are no more than those
 */
#include "format/byte_stream.h"

#include <string.h>

#include "format/invariant.h"

static void check(const struct byte_stream *stream)
{
    INVARIANT(B1, stream->first <= stream->filled &&
                      stream->filled <= stream->capacity);
    INVARIANT(B2, stream->skipped.end <= stream->offset &&
                      stream->skipped.bytes <= stream->offset);
}

void byte_stream_open(struct byte_stream *stream, void *buffer, size_t capacity)
{
    *stream = (struct byte_stream){ .buffer = buffer, .capacity = capacity };
}

size_t byte_stream_feed(struct byte_stream *stream, const void *bytes,
                        size_t size)
{
    size_t left = byte_stream_left(stream);

    check(stream);
    if (size == 0)
        return 0;
    memmove(stream->buffer, byte_stream_front(stream), left);
    if (size > stream->capacity - left)
        size = stream->capacity - left;
    memcpy(stream->buffer + left, bytes, size);
    stream->first = 0;
    stream->filled = left + size;
    return size;
}

size_t byte_stream_line(const struct byte_stream *stream)
{
    size_t left = byte_stream_left(stream);
    const unsigned char *start = byte_stream_front(stream);
    const unsigned char *newline = left == 0 ? NULL : memchr(start, '\n', left);

    if (newline != NULL)
        return (size_t)(newline - start) + 1;
    return stream->is_ended || left == stream->capacity ? left : 0;
}

void skips_add(struct skips *skips, uint64_t at, uint64_t size, bool is_joined)
{
    if (is_joined && size == 0)
        return;
    if (skips->places == 0)
        skips->first = at;
    skips->places += !is_joined || skips->bytes == 0 || skips->end != at;
    skips->bytes += size;
    skips->end = at + size;
}

void skips_merge(struct skips *skips, const struct skips *more, uint64_t start)
{
    if (skips->bytes == 0)
        skips->first = start + more->first;
    skips->bytes += more->bytes;
    skips->places += more->places;
}

void byte_stream_skip(struct byte_stream *stream, size_t size, bool is_joined)
{
    skips_add(&stream->skipped, stream->offset, size, is_joined);
    byte_stream_pass(stream, size);
    check(stream);
}

bool bytes_are_zero(const unsigned char *bytes, size_t size)
{
    return size == 0 ||
           (*bytes == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

bool byte_stream_is_zero(const struct byte_stream *stream)
{
    return bytes_are_zero(byte_stream_front(stream), byte_stream_left(stream));
}

void byte_stream_skip_zeros(struct byte_stream *stream, uint64_t size)
{
    skips_add(&stream->skipped, stream->offset, size, true);
    stream->offset += size;
}
