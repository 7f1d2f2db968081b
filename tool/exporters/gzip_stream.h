/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip_stream.h - bytes, packed, into a file
 *
 * The packed bytes depend on the bytes alone: no name and no time is in them.
 */
#ifndef TALLY_TOOL_EXPORTERS_GZIP_STREAM_H
#define TALLY_TOOL_EXPORTERS_GZIP_STREAM_H

#include <stddef.h>
#include <stdio.h>

struct gzip_stream;

/* `out` must stay; its errors stay in it. */
struct gzip_stream *gzip_stream_open(FILE *out);
void gzip_stream_write(struct gzip_stream *stream, const void *bytes,
                       size_t size);
void gzip_stream_print(struct gzip_stream *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Write the end. */
void gzip_stream_close(struct gzip_stream *stream);

#endif /* TALLY_TOOL_EXPORTERS_GZIP_STREAM_H */
