/* SPDX-License-Identifier: Apache-2.0 */
/* gzip_stream.c - see gzip_stream.h */
#include "tool/exporters/gzip_stream.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tool/tables/memory.h"

enum { BUFFER_SIZE = 1 << 16, GZIP_WINDOW = 15 + 16, LEVEL = 6 };

struct gzip_stream {
    FILE *out;
    z_stream zlib;
    unsigned char in[BUFFER_SIZE]; /* not packed yet */
    size_t in_size;
    unsigned char packed[BUFFER_SIZE];
};

struct gzip_stream *gzip_stream_open(FILE *out)
{
    struct gzip_stream *stream = memory_zeroed(1, sizeof *stream);

    stream->out = out;
    if (deflateInit2(&stream->zlib, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        memory_end();
    return stream;
}

static void pack(struct gzip_stream *stream, int flush)
{
    stream->zlib.next_in = stream->in;
    stream->zlib.avail_in = (uInt)stream->in_size;
    do {
        stream->zlib.next_out = stream->packed;
        stream->zlib.avail_out = sizeof stream->packed;
        deflate(&stream->zlib, flush);
        fwrite(stream->packed, 1,
               sizeof stream->packed - stream->zlib.avail_out, stream->out);
    } while (stream->zlib.avail_out == 0);
    stream->in_size = 0;
}

void gzip_stream_write(struct gzip_stream *stream, const void *bytes,
                       size_t size)
{
    const unsigned char *from = bytes;

    while (size > 0) {
        size_t room = sizeof stream->in - stream->in_size;
        size_t part = size < room ? size : room;

        memcpy(stream->in + stream->in_size, from, part);
        stream->in_size += part;
        from += part;
        size -= part;
        if (stream->in_size == sizeof stream->in)
            pack(stream, Z_NO_FLUSH);
    }
}

void gzip_stream_print(struct gzip_stream *stream, const char *format, ...)
{
    char text[256];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        gzip_stream_write(stream, text,
                          (size_t)length < sizeof text ? (size_t)length
                                                       : sizeof text - 1);
}

void gzip_stream_close(struct gzip_stream *stream)
{
    pack(stream, Z_FINISH);
    deflateEnd(&stream->zlib);
    free(stream);
}
