/* SPDX-License-Identifier: Apache-2.0 */
/* allocinfo_lines.c - see allocinfo_lines.h */
#include "format/allocinfo_lines.h"

#include <string.h>

static size_t length_of(const char *bytes, size_t size)
{
    const char *newline = memchr(bytes, '\n', size);
    size_t length = newline != NULL ? (size_t)(newline - bytes) : size;

    return length > 0 && bytes[length - 1] == '\r' ? length - 1 : length;
}

/* 1 or 2; 0: it is no title, or of another version. */
static unsigned version_of(const char *bytes, size_t size)
{
    size_t title = sizeof ALLOCINFO_TITLE - 1;

    if (!allocinfo_has_title(bytes, size) ||
        length_of(bytes, size) != title + 3 ||
        memcmp(bytes + title + 1, ".0", 2) != 0)
        return 0;
    return bytes[title] == '1' || bytes[title] == '2'
               ? (unsigned)(bytes[title] - '0')
               : 0;
}

static bool is_heading(const char *bytes, size_t size)
{
    size_t length = sizeof ALLOCINFO_HEADING - 2;

    return length_of(bytes, size) == length &&
           memcmp(bytes, ALLOCINFO_HEADING, length) == 0;
}

static bool is_report(const char *title, const char *end)
{
    static const char profiling[] = " (profiling is currently turned ";
    const char *next = title + sizeof ALLOCINFO_LOG_TITLE - 1;
    size_t left = (size_t)(end - next);

    return (left > 1 && next[0] == ':' &&
            (next[1] == '\n' || next[1] == '\r')) ||
           (left >= sizeof profiling - 1 &&
            memcmp(next, profiling, sizeof profiling - 1) == 0);
}

/* The last report of a log; NULL: there is none. */
static const char *find_report(const char *bytes, size_t size)
{
    const char *last = NULL, *next = bytes, *end = bytes + size;

    while ((next = allocinfo_find(next, (size_t)(end - next),
                                  ALLOCINFO_LITERAL(ALLOCINFO_LOG_TITLE))) !=
           NULL) {
        if (is_report(next, end))
            last = next;
        next++;
    }
    return last;
}

bool allocinfo_lines_are(const char *bytes, size_t size)
{
    struct allocinfo_row row;

    return allocinfo_has_title(bytes, size) || is_heading(bytes, size) ||
           allocinfo_read_row(bytes, size, 2, &row) > 0 ||
           find_report(bytes, size) != NULL;
}

static void skip_line(struct allocinfo_lines *lines)
{
    const char *at = lines->bytes + lines->at;
    const char *newline = memchr(at, '\n', lines->size - lines->at);

    lines->at =
        newline != NULL ? (size_t)(newline + 1 - lines->bytes) : lines->size;
    lines->number++;
}

void allocinfo_lines_open(struct allocinfo_lines *lines, const char *bytes,
                          size_t size)
{
    const char *title =
        allocinfo_find(bytes, size, ALLOCINFO_LITERAL(ALLOCINFO_TITLE));
    const char *report = title == NULL ? find_report(bytes, size) : NULL;

    *lines = (struct allocinfo_lines){
        .bytes = bytes,
        .size = size,
        .version = 2,
        .is_log = report != NULL,
    };
    if (title != NULL) {
        unsigned version = version_of(title, size - (size_t)(title - bytes));

        lines->version = version != 0 ? version : 2;
    }
    while (report != NULL && lines->at <= (size_t)(report - bytes))
        skip_line(lines);
}

/* In a log a report ends at the first line that is no row. */
static int take_row(struct allocinfo_lines *lines, struct allocinfo_row *row)
{
    const char *at = lines->bytes + lines->at;
    size_t size = lines->size - lines->at;
    int64_t used = lines->is_log
                       ? allocinfo_read_log_row(at, size, row)
                       : allocinfo_read_row(at, size, lines->version, row);

    if (lines->is_log && used <= 0)
        return 0;
    if (used == ALLOCINFO_E_CUT) {
        lines->is_cut = true;
        return 0;
    }
    if (used <= 0)
        return (int)used;
    lines->row = lines->at;
    lines->at += (size_t)used;
    lines->number++;
    return 1;
}

int allocinfo_lines_next(struct allocinfo_lines *lines,
                         struct allocinfo_row *row)
{
    while (lines->at < lines->size) {
        const char *at = lines->bytes + lines->at;
        size_t size = lines->size - lines->at;

        if (allocinfo_has_title(at, size)) {
            if (version_of(at, size) == 0)
                return ALLOCINFO_E_VERSION;
        } else if (!is_heading(at, size)) {
            return take_row(lines, row);
        }
        skip_line(lines);
    }
    return 0;
}
