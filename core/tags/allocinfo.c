/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo.c - print the accounts of all tags
 *
 * Rows are collected in a buffer on the stack while the port's lock is held, so
 * that no object is unloaded meanwhile, and passed to the sink without the
 * lock: a sink that blocks does not keep threads from loading objects.
 */
#include "tally/allocinfo.h"

#include <string.h>

#include "core/accounts/mem_profiling.h"
#include "core/base/console_line.h"
#include "core/tags/alloc_tag.h"
#include "format/invariant.h"
#include "format/text/allocinfo_text.h"
#include "tally/port.h"

enum { PIECE_BYTES = TALLY_HAS(OS) ? 8192 : 512 };

/* The public bits are Linux's. */
STATIC_ASSERT((int)ALLOCINFO_WANT_MODULE == ALLOCINFO_FILTER_MODULE &&
              (int)ALLOCINFO_WANT_FUNCTION == ALLOCINFO_FILTER_FUNCTION &&
              (int)ALLOCINFO_WANT_FILE == ALLOCINFO_FILTER_FILE &&
              (int)ALLOCINFO_WANT_LINE == ALLOCINFO_FILTER_LINE &&
              (int)ALLOCINFO_WANT_INACCURATE == ALLOCINFO_FILTER_INACCURATE &&
              (int)ALLOCINFO_WANT_MIN_SIZE == ALLOCINFO_FILTER_MIN_SIZE &&
              (int)ALLOCINFO_WANT_MAX_SIZE == ALLOCINFO_FILTER_MAX_SIZE);

struct allocinfo_writer {
    struct allocinfo_filter filter;
    unsigned version;
    bool has_totals;
    bool has_peaks;
    struct tag_cursor cursor;
    size_t used;
    char piece[PIECE_BYTES];
};

static struct text_view text_of(const char *text)
{
    if (text == NULL)
        return (struct text_view){ "", 0 };
    return (struct text_view){ text, text_length(text) };
}

static void put_names(struct allocinfo_row *row, const struct alloc_tag *tag)
{
    *row = (struct allocinfo_row){
        .file = text_of(tag->file),
        .line = tag->lineno,
        .module = text_of(tag->modname),
        .function = text_of(tag->function),
        .is_inaccurate = (tag->flags & ALLOC_TAG_INACCURATE) != 0,
    };
}

static void put_numbers(struct allocinfo_row *row, const struct alloc_tag *tag,
                        const struct allocinfo_writer *writer)
{
    struct alloc_tag_counters counters = alloc_tag_read(tag);

    row->bytes = (int64_t)counters.bytes;
    row->calls = counters.calls;
    row->has_totals = writer->has_totals;
    row->total_bytes = counters.total_bytes;
    row->total_calls = counters.total_calls;
    row->has_peak = writer->has_peaks;
    row->peak_seen = counters.peak_seen;
    row->unseen_frees = counters.unseen_frees;
    row->is_inaccurate = row->is_inaccurate || row->unseen_frees != 0;
    row->is_unloaded = (tag->flags & ALLOC_TAG_UNLOADED) != 0;
}

/* Write a row; return false if the buffer is full and the row goes into the
   next. Names that do not fit into an empty buffer keep their last bytes, as in
   filters. */
static bool put_row(struct allocinfo_writer *writer, struct allocinfo_row *row)
{
    size_t room = PIECE_BYTES - writer->used;
    size_t size = allocinfo_write_row(writer->piece + writer->used, room,
                                      writer->version, row);

    if (size > room && writer->used > 0)
        return false;
    if (size > room) {
        row->file = allocinfo_last_bytes(row->file);
        row->function = allocinfo_last_bytes(row->function);
        size = allocinfo_write_row(writer->piece, room, writer->version, row);
    }
    writer->used += size;
    return true;
}

static bool put_tag(struct allocinfo_writer *writer,
                    const struct alloc_tag *tag)
{
    struct allocinfo_row row;

    put_names(&row, tag);
    if (!allocinfo_filter_matches_names(&writer->filter, &row))
        return true;
    put_numbers(&row, tag, writer);
    if (!allocinfo_filter_matches_numbers(&writer->filter, &row))
        return true;
    return put_row(writer, &row);
}

/* Fill the buffer; an empty one means the end. */
static void fill(struct allocinfo_writer *writer)
{
    uint32_t key = tally_port_lock();
    struct tag_cursor before = writer->cursor;
    struct alloc_tag *tag;

    while ((tag = tag_cursor_next(&writer->cursor)) != NULL &&
           put_tag(writer, tag))
        before = writer->cursor;
    if (tag != NULL)
        writer->cursor = before;
    tally_port_unlock(key);
}

/* Return non-zero if the row has values that only version 2.0 can express. */
static int is_marked(struct alloc_tag *tag, void *context)
{
    (void)context;
    return (tag->flags & ALLOC_TAG_INACCURATE) != 0 ||
           alloc_tag_read(tag).unseen_frees != 0;
}

static void put_options(struct allocinfo_writer *writer,
                        const struct allocinfo_options *options)
{
    writer->version = options->version;
    if (writer->version == 0)
        writer->version =
            TALLY_HAS(OS) && alloc_tag_for_each(is_marked, NULL) ? 2 : 1;
    writer->has_totals = options->has_totals;
    writer->has_peaks = options->has_peaks;
    writer->filter = (struct allocinfo_filter){
        .mask = options->wanted,
        .module = text_of(options->module),
        .function = text_of(options->function),
        .file = text_of(options->file),
        .line = options->line,
        .is_inaccurate = options->is_inaccurate,
        .min_size = options->min_size,
        .max_size = options->max_size,
    };
}

int allocinfo_write_to(allocinfo_sink_fn sink, void *context,
                       const struct allocinfo_options *options)
{
    static const struct allocinfo_options all = { 0 };
    struct allocinfo_writer writer;
    int error = 0;

    if (!mem_profiling_is_available())
        return -MEM_PROFILING_ENOENT;
    writer.cursor = (struct tag_cursor){ 0 };
    put_options(&writer, options == NULL ? &all : options);
    if (writer.version > 2 || !allocinfo_filter_is_valid(&writer.filter))
        return -MEM_PROFILING_EINVAL;
    writer.used = sizeof ALLOCINFO_HEADER_V1 - 1; /* both have this size */
    memcpy(writer.piece,
           writer.version == 1 ? ALLOCINFO_HEADER_V1 : ALLOCINFO_HEADER_V2,
           writer.used);
    fill(&writer);
    while (error == 0 && writer.used > 0) {
        error = sink(writer.piece, writer.used, context);
        writer.used = 0;
        fill(&writer);
    }
    return error;
}

static int write_to_descriptor(const char *text, size_t size, void *context)
{
    const int *fd = context;

    return tally_port_write(*fd, text, size);
}

int allocinfo_write(int fd)
{
    return allocinfo_write_to(write_to_descriptor, &fd, NULL);
}
