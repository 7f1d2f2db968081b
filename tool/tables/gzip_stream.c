/* SPDX-License-Identifier: Apache-2.0 */
/* gzip_stream.c - see tables.h */
#include "tool/tables/tables.h"

#include <zlib.h>

enum { BUFFER_SIZE = 1 << 16, GZIP_WINDOW = 15 + 16, LEVEL = 6 };

struct gzip_stream {
    FILE *out;
    z_stream zlib;
    char in[BUFFER_SIZE]; /* bytes to compress */
    unsigned char packed[BUFFER_SIZE];
};

static void pack(struct gzip_stream *stream, int flush)
{
    do {
        stream->zlib.next_out = stream->packed;
        stream->zlib.avail_out = sizeof stream->packed;
        deflate(&stream->zlib, flush);
        fwrite(stream->packed, 1,
               sizeof stream->packed - stream->zlib.avail_out, stream->out);
    } while (stream->zlib.avail_out == 0);
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    struct gzip_stream *stream = cookie;

    stream->zlib.next_in = (z_const Bytef *)bytes;
    stream->zlib.avail_in = (uInt)size;
    pack(stream, Z_NO_FLUSH);
    return (ssize_t)size;
}

static int finish(void *cookie)
{
    struct gzip_stream *stream = cookie;

    pack(stream, Z_FINISH);
    deflateEnd(&stream->zlib);
    free(stream);
    return 0;
}

FILE *gzip_stream_open(FILE *out)
{
    const cookie_io_functions_t calls = { .write = take, .close = finish };
    struct gzip_stream *stream = memory_zeroed(1, sizeof *stream);
    FILE *file;

    stream->out = out;
    if (deflateInit2(&stream->zlib, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        exit_out_of_memory();
    file = memory_or_exit(fopencookie(stream, "w", calls));
    setvbuf(file, stream->in, _IOFBF, sizeof stream->in);
    return file;
}
