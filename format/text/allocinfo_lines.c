/* SPDX-License-Identifier: Apache-2.0 */
/* allocinfo_lines.c - see allocinfo_lines.h */
#include "format/text/allocinfo_lines.h"

#include <string.h>

static size_t line_size(const char *bytes, size_t size)
{
    const char *newline = memchr(bytes, '\n', size);

    return newline != NULL ? (size_t)(newline + 1 - bytes) : size;
}

static bool is_line(const char *bytes, size_t size, struct allocinfo_text line)
{
    size = line_size(bytes, size);
    size -= size > 0 && bytes[size - 1] == '\n';
    size -= size > 0 && bytes[size - 1] == '\r';
    return size == line.length && memcmp(bytes, line.bytes, size) == 0;
}

static bool is_heading(const char *bytes, size_t size)
{
    const struct allocinfo_text heading = { ALLOCINFO_HEADING,
                                            sizeof ALLOCINFO_HEADING - 2 };

    return is_line(bytes, size, heading);
}

/* 1 or 2; 0: it is no title, or of another version. */
static unsigned version_of(const char *bytes, size_t size)
{
    if (is_line(bytes, size, ALLOCINFO_LITERAL(ALLOCINFO_TITLE "1.0")))
        return 1;
    return is_line(bytes, size, ALLOCINFO_LITERAL(ALLOCINFO_TITLE "2.0")) ? 2
                                                                          : 0;
}

static bool has_row(const char *bytes, size_t size, unsigned version)
{
    struct allocinfo_row row;
    size_t length;

    for (; size > 0; bytes += length, size -= length) {
        length = line_size(bytes, size);
        if (allocinfo_read_row(bytes, length, version, &row) > 0)
            return true;
    }
    return false;
}

bool allocinfo_lines_have_row(const void *bytes, size_t size)
{
    return has_row(bytes, size, 2) || has_row(bytes, size, ALLOCINFO_LOG);
}

bool allocinfo_lines_are(const void *bytes, size_t size)
{
    return allocinfo_has_title(bytes, size) || is_heading(bytes, size) ||
           has_row(bytes, line_size(bytes, size), 2);
}

/* Of how many reports a log has rows, and the line of the last one's title. */
static uint64_t find_reports(const char *bytes, size_t size, const char **last)
{
    const struct allocinfo_text text = ALLOCINFO_LITERAL("Memory allocations");
    const char *title = NULL, *at = bytes, *end = bytes + size;
    struct allocinfo_row row;
    uint64_t count = 0;

    for (size_t length; at < end; at += length) {
        length = line_size(at, (size_t)(end - at));
        if (allocinfo_find(at, length, text) != NULL) {
            title = at;
        } else if (title != NULL &&
                   allocinfo_read_row(at, length, ALLOCINFO_LOG, &row) > 0) {
            *last = title;
            title = NULL;
            count++;
        }
    }
    /* A log keeps so much and no more: the title may be gone. */
    return count > 0 ? count : has_row(bytes, size, ALLOCINFO_LOG);
}

static void skip_line(struct allocinfo_lines *lines)
{
    lines->at += line_size(lines->bytes + lines->at, lines->size - lines->at);
    lines->number++;
}

void allocinfo_lines_open(struct allocinfo_lines *lines, const char *bytes,
                          size_t size)
{
    const char *title =
        allocinfo_find(bytes, size, ALLOCINFO_LITERAL(ALLOCINFO_TITLE));
    const char *report = NULL;

    *lines = (struct allocinfo_lines){
        .bytes = bytes,
        .size = size,
        .version = 2,
    };
    if (title != NULL && version_of(title, size - (size_t)(title - bytes)) == 1)
        lines->version = 1;
    if (title == NULL && !has_row(bytes, size, 2))
        lines->remarks.reports = find_reports(bytes, size, &report);
    while (report != NULL && lines->at <= (size_t)(report - bytes))
        skip_line(lines);
}

/* 1; 0 if the line is to be skipped; or an error. */
static int take_row(struct allocinfo_lines *lines, struct allocinfo_row *row)
{
    struct allocinfo_remarks *remarks = &lines->remarks;
    const char *at = lines->bytes + lines->at;
    size_t length = line_size(at, lines->size - lines->at);
    unsigned version = remarks->reports != 0 ? ALLOCINFO_LOG : lines->version;
    int64_t used = allocinfo_read_row(at, length, version, row);

    /* A message that is cut may be a row if the one before it is one. */
    if (used == 0 && (lines->others > 0 || at[length - 1] == '\n')) {
        lines->others++;
        return 0;
    }
    remarks->is_cut = used == 0 || used == ALLOCINFO_E_CUT;
    if (used <= 0)
        return remarks->is_cut ? 0 : (int)used;
    remarks->is_unended = at[length - 1] != '\n';
    remarks->skipped += lines->others;
    remarks->below_zero +=
        version == ALLOCINFO_LOG && row->is_inaccurate && row->bytes == 0;
    lines->others = 0;
    lines->row = lines->at;
    skip_line(lines);
    return 1;
}

int allocinfo_lines_next(struct allocinfo_lines *lines,
                         struct allocinfo_row *row)
{
    while (lines->at < lines->size) {
        const char *at = lines->bytes + lines->at;
        size_t size = lines->size - lines->at;
        int status;

        if (allocinfo_has_title(at, size)) {
            if (version_of(at, size) == 0)
                return ALLOCINFO_E_VERSION;
        } else if (!is_heading(at, size) &&
                   (status = take_row(lines, row)) != 0) {
            return status;
        }
        skip_line(lines);
    }
    return 0;
}
