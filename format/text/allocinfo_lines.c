/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_lines.c - read the rows of an allocinfo text
 *
 * This file is long because a row may be complete, truncated, rounded, behind a
 * prefix or among a log's messages, and each line is classified first.
 */
#include "format/text/allocinfo_text.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

enum { PADDED_WIDTH = 12 }; /* bytes of a kernel's size, at least */

const char *allocinfo_error_why(int error)
{
    static const char *const sentences[] = {
#define ALLOCINFO_ERROR_TEXT(name, value, why) [-(value)] = why,
        ALLOCINFO_ERROR_LIST(ALLOCINFO_ERROR_TEXT)
#undef ALLOCINFO_ERROR_TEXT
    };
    int count = (int)(sizeof sentences / sizeof sentences[0]);

    return error <= 0 && error > -count ? sentences[-error]
                                        : "an unknown error";
}

static void skip_spaces(struct cursor *line)
{
    while (cursor_byte(line, ' '))
        continue;
}

static bool take_space(struct cursor *line)
{
    return line->next < line->end && *line->next++ == ' ';
}

/* Parse up to the next space, which is consumed; control bytes are refused. The
   last space of a row may be missing: editors strip it. */
static bool take_word(struct cursor *line, struct text_view *word)
{
    word->bytes = line->next;
    while (line->next < line->end && (unsigned char)*line->next > ' ')
        line->next++;
    word->length = (size_t)(line->next - word->bytes);
    return word->length > 0 && (line->next == line->end || take_space(line));
}

/* Split FILE:LINE; FILE may contain colons and spaces. */
static bool split_place(struct text_view word, struct allocinfo_row *row)
{
    size_t colon = word.length;
    struct cursor number = { .end = word.bytes + word.length };

    while (colon > 0 && word.bytes[colon - 1] != ':')
        colon--;
    if (colon < 2)
        return false;
    number.next = word.bytes + colon;
    row->file = (struct text_view){ word.bytes, colon - 1 };
    return cursor_number(&number, 10, &row->line) && number.next == number.end;
}

/* Parse FILE:LINE [MODULE] and the space after it: all before " func:". Other
   bytes are not part of a name. */
static bool take_place(struct cursor *line, struct allocinfo_row *row)
{
    struct text_view place = { line->next, 0 };
    const char *end = text_find(line->next, line->end, " func:");
    const char *bracket;

    if (end == line->end)
        return false;
    for (const char *at = line->next; at < end; at++) {
        if ((unsigned char)*at < ' ')
            return false;
    }
    line->next = end + 1;
    bracket = text_find(place.bytes, end, " [");
    if (bracket != end && end[-1] == ']') {
        row->module =
            (struct text_view){ bracket + 2, (size_t)(end - bracket) - 3 };
        if (row->module.length == 0 ||
            memchr(row->module.bytes, ' ', row->module.length) != NULL)
            return false;
        end = bracket;
    }
    place.length = (size_t)(end - place.bytes);
    return split_place(place, row);
}

/* Read the number after the key; return false for another pair or no number. */
static bool read_number_pair(struct text_view pair, const char *key,
                             uint64_t *value)
{
    struct cursor cursor = cursor_over(pair);
    uint64_t number;

    if (!cursor_text(&cursor, key) || !cursor_number(&cursor, 10, &number) ||
        cursor.next != cursor.end)
        return false;
    *value = number;
    return true;
}

static bool take_pairs(struct cursor *line, unsigned version,
                       struct allocinfo_row *row)
{
    bool has_calls = false, has_bytes = false;
    struct text_view pair;

    row->pairs = (struct text_view){ line->next, 0 };
    while (line->next < line->end) {
        if (version == 1 || !take_word(line, &pair) ||
            memchr(pair.bytes, ':', pair.length) == NULL)
            return false;
        row->pairs.length =
            (size_t)(pair.bytes + pair.length - row->pairs.bytes);
        row->is_inaccurate |= text_is(pair, "accurate:no");
        has_calls |=
            read_number_pair(pair, ALLOCINFO_TOTAL_CALLS, &row->total_calls);
        has_bytes |=
            read_number_pair(pair, ALLOCINFO_TOTAL_BYTES, &row->total_bytes);
    }
    row->has_totals = has_calls && has_bytes;
    return true;
}

/* Skip a byte order mark and the prefix of grep: a file's name, a number or
   both, as in "/proc/allocinfo:12:". */
static void skip_prefix(struct cursor *line)
{
    cursor_text(line, BYTE_ORDER_MARK);
    for (const char *at = line->next; at < line->end && *at != ' '; at++) {
        if (*at == ':' || (*at == '-' && at + 1 < line->end && at[1] == ' '))
            line->next = at + 1;
    }
}

/* Set *line to the line without prefix, newline and carriage return; return its
   length with all. */
static size_t take_line(const char *bytes, size_t size, struct cursor *line)
{
    const char *newline = memchr(bytes, '\n', size);

    *line = (struct cursor){ bytes, newline != NULL ? newline : bytes + size };
    if (line->end > bytes && line->end[-1] == '\r')
        line->end--;
    skip_prefix(line);
    return newline != NULL ? (size_t)(newline + 1 - bytes) : size;
}

/* Return (whole + part / scale) << shift, rounded down, without a division. */
static uint64_t scaled(uint64_t whole, uint64_t part, uint32_t scale, int shift)
{
    for (; shift > 0; shift--) {
        part *= 2;
        whole = 2 * whole + (part >= scale);
        part -= part >= scale ? scale : 0;
    }
    return whole;
}

/* Parse "11.0 MiB " or "336 B " of a log; elsewhere "4096 ", or "2.8M " and so
   on of numfmt. -1: 8 EiB or more in a log, which is a negative count. */
static bool take_size(struct cursor *line, bool is_log,
                      struct allocinfo_row *row)
{
    static const char units[] = "BKMGTPE";
    bool is_negative = !is_log && cursor_byte(line, '-');
    uint64_t whole, part = 0;
    uint32_t scale = 1;
    const char *point, *unit = units;
    int shift;

    if (!cursor_number(line, 10, &whole))
        return false;
    if (cursor_byte(line, '.') || (!is_log && cursor_byte(line, ','))) {
        point = line->next;
        if (!cursor_number(line, 10, &part) || line->next - point > 3)
            return false;
        for (; point < line->next; point++)
            scale *= 10;
    }
    if ((is_log && !take_space(line)) || line->next == line->end)
        return false;
    if (is_log || scale > 1 || *line->next != ' ')
        unit = memchr(units, *line->next++, sizeof units - 1);
    if (unit == NULL || (unit != units && whole > 99999) ||
        (is_log && unit != units && !cursor_text(line, "iB")))
        return false;
    if (!is_log && !cursor_text(line, "iB"))
        (void)(cursor_byte(line, 'i') || cursor_byte(line, 'B'));
    row->has_unit = line->next[-1] > '9';
    shift = 10 * (int)(unit - units);
    if (is_log && shift == 60 && whole >= 8 && whole <= 16) {
        row->bytes = -1;
        return take_space(line);
    }
    if (whole > ((uint64_t)INT64_MAX >> shift) + (is_negative && shift == 0))
        return false;
    whole = scaled(whole, part, scale, shift);
    row->rounding = scaled(0, 1, scale, shift);
    row->bytes = (int64_t)(is_negative ? 0 - whole : whole);
    return take_space(line);
}

static bool take_calls(struct cursor *line, struct allocinfo_row *row)
{
    skip_spaces(line);
    return cursor_number(line, 10, &row->calls) && take_space(line);
}

/* Parse everything after the numbers. */
static bool take_names(struct cursor *line, unsigned version,
                       struct allocinfo_row *row)
{
    return take_place(line, row) && cursor_text(line, "func:") &&
           take_word(line, &row->function) && take_pairs(line, version, row);
}

/* Return 1; 0 for another message; a negative error for a damaged row. */
static int find_log_row(struct cursor line, struct allocinfo_row *row)
{
    for (const char *at = line.next; at < line.end; at++) {
        struct cursor rest = { at, line.end };

        /* The text before a row is a time, a host name and so on. */
        if (*at == ' ' || (at > line.next && at[-1] != ' ') ||
            !take_size(&rest, true, row) || !take_calls(&rest, row))
            continue;
        if (!take_names(&rest, ALLOCINFO_LOG, row) ||
            memchr(row->function.bytes, '"', row->function.length) != NULL)
            return -1; /* for example a log in JSON */
        if (row->bytes < 0 && !row->is_inaccurate)
            row->pairs.length = 0; /* else they would say that the row is
                                      accurate */
        row->is_inaccurate |= row->bytes < 0;
        row->bytes = row->bytes < 0 ? 0 : row->bytes;
        return 1;
    }
    return take_names(&line, ALLOCINFO_LOG, row) ? -1 : 0;
}

static bool take_row(struct cursor line, unsigned version,
                     struct allocinfo_row *row)
{
    skip_spaces(&line);
    return take_size(&line, false, row) && take_calls(&line, row) &&
           take_names(&line, version, row);
}

int64_t allocinfo_read_row(const char *bytes, size_t size, unsigned version,
                           struct allocinfo_row *row)
{
    struct cursor line;
    size_t length = take_line(bytes, size, &line);
    bool is_ended = length > 0 && bytes[length - 1] == '\n';
    int found;

    *row = (struct allocinfo_row){ 0 };
    found = version == ALLOCINFO_LOG       ? find_log_row(line, row)
            : take_row(line, version, row) ? 1
                                           : -1;
    /* A truncated row may end within a number. */
    if (found > 0 &&
        (is_ended || row->pairs.length == 0 || bytes[length - 1] == ' '))
        return (int64_t)length;
    if (found == 0)
        return 0;
    return is_ended ? ALLOCINFO_E_ROW : ALLOCINFO_E_CUT;
}

/* Kinds of lines that are not rows. */
enum heading { NO_HEADING, SEPARATOR, COLUMNS, TITLE_1, TITLE_2, OTHER_TITLE };

static enum heading heading_of(const char *bytes, size_t size)
{
    struct cursor line;
    struct text_view text;

    take_line(bytes, size, &line);
    text = (struct text_view){ line.next, (size_t)(line.end - line.next) };
    if (text_is(text, ALLOCINFO_COLUMNS))
        return COLUMNS;
    if (text_is(text, ALLOCINFO_TITLE "1.0"))
        return TITLE_1;
    if (text_is(text, ALLOCINFO_TITLE "2.0"))
        return TITLE_2;
    if (text_is(text, "--"))
        return SEPARATOR; /* of groups of grep -C */
    return cursor_text(&line, ALLOCINFO_TITLE) ? OTHER_TITLE : NO_HEADING;
}

static size_t line_size(const char *bytes, size_t size)
{
    struct cursor line;

    return take_line(bytes, size, &line);
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
    return heading_of(bytes, size) > SEPARATOR ||
           has_row(bytes, line_size(bytes, size), 2);
}

/* Count the reports in a log that have rows; store the title line of the last
   one. */
static uint64_t find_reports(const char *bytes, size_t size, const char **last)
{
    const char *title = NULL, *at = bytes, *end = bytes + size;
    struct allocinfo_row row;
    uint64_t count = 0;

    for (size_t length; at < end; at += length) {
        length = line_size(at, (size_t)(end - at));
        if (text_find(at, at + length, "Memory allocations") != at + length) {
            title = at;
        } else if (title != NULL &&
                   allocinfo_read_row(at, length, ALLOCINFO_LOG, &row) > 0) {
            *last = title;
            title = NULL;
            count++;
        }
    }
    /* Old lines of a log are dropped: the title may be gone. */
    return count > 0 ? count : has_row(bytes, size, ALLOCINFO_LOG);
}

static void skip_line(struct allocinfo_lines *lines)
{
    lines->at += line_size(lines->bytes + lines->at, lines->size - lines->at);
    lines->number++;
}

/* Return true for a blank line, a shell's prompt or farewell, or a fence of
   Markdown. */
static bool is_apart(const char *bytes, size_t size)
{
    struct cursor line, rest;

    take_line(bytes, size, &line);
    skip_spaces(&line);
    rest = line;
    if (cursor_text(&rest, "logout") || cursor_text(&rest, "exit"))
        skip_spaces(&rest);
    if (rest.next == rest.end)
        return true;
    line.end = text_find(line.next, line.end, " func:");
    if (cursor_digit(&line) < 10 || heading_of(bytes, size) != NO_HEADING)
        return false;
    for (const char *at = line.next; at < line.end; at++) {
        if (memchr("$#%>`", *at, 5) != NULL &&
            (at + 1 == line.end || at[1] == ' '))
            return true;
    }
    return false;
}

/* Return true for the end of a row or title whose beginning was cut off. */
static bool is_end_of_row(const char *bytes, size_t size)
{
    struct text_view word;
    struct cursor line;
    bool is_end;

    take_line(bytes, size, &line);
    if (text_find(bytes, line.end, " version: ") < line.end)
        return heading_of(bytes, size) == NO_HEADING;
    skip_spaces(&line);
    is_end = !is_apart(bytes, size) && take_word(&line, &word);
    while (is_end && line.next < line.end)
        is_end = take_word(&line, &word) &&
                 (word.bytes[0] == '[' ||
                  memchr(word.bytes, ':', word.length) != NULL);
    return is_end;
}

/* Leave out lines before and behind the rows that are none, and what a console
   had before the title. */
static void trim(struct allocinfo_lines *lines, const char *title)
{
    struct allocinfo_remarks *remarks = &lines->remarks;
    const char *bytes = lines->bytes;
    size_t last = lines->size, before = (size_t)(title - bytes);

    if (before == lines->size || has_row(bytes, before, 2))
        before = 0;
    while (memchr(bytes + lines->at, '\n', before - lines->at) != NULL) {
        skip_line(lines);
        remarks->apart++;
    }

    while (last > 0 && is_apart(bytes + last, lines->size - last)) {
        remarks->apart += last < lines->size;
        lines->size = last;
        for (last--; last > 0 && bytes[last - 1] != '\n';)
            last--;
    }
    remarks->is_headless = before == 0 && is_end_of_row(bytes, lines->size);
    if (remarks->is_headless)
        skip_line(lines);
    while (lines->at < lines->size &&
           is_apart(bytes + lines->at, lines->size - lines->at)) {
        skip_line(lines);
        remarks->apart++;
    }
}

void allocinfo_lines_open(struct allocinfo_lines *lines, const char *bytes,
                          size_t size)
{
    const char *end = bytes + size, *report = NULL;
    const char *title = text_find(bytes, end, ALLOCINFO_TITLE);

    *lines = (struct allocinfo_lines){
        .bytes = bytes,
        .size = size,
        .version = 2,
        .remarks.apart =
            cursor_text(&(struct cursor){ bytes, end }, BYTE_ORDER_MARK),
    };
    if (heading_of(title, (size_t)(end - title)) == TITLE_1)
        lines->version = 1;
    if (title == end && !has_row(bytes, size, 2))
        lines->remarks.reports = find_reports(bytes, size, &report);
    else
        trim(lines, title);
    while (report != NULL && lines->at <= (size_t)(report - bytes))
        skip_line(lines);
}

/* Return 1; 0 if the line must be skipped; or an error. */
static int take_line_row(struct allocinfo_lines *lines,
                         struct allocinfo_row *row)
{
    struct allocinfo_remarks *remarks = &lines->remarks;
    const char *at = lines->bytes + lines->at;
    struct cursor line;
    size_t length = take_line(at, lines->size - lines->at, &line);
    bool is_log = remarks->reports != 0;
    bool is_prefixed = line.next > at && (line.next[-1] & 0x80) == 0;
    int64_t used = allocinfo_read_row(
        at, length, is_log ? ALLOCINFO_LOG : lines->version, row);

    /* All rows have a prefix, or none but the first, which may be cut. */
    if (used > 0 && !is_log && lines->row > 0 &&
        is_prefixed != (remarks->prefixes > 0))
        return ALLOCINFO_E_ROW;
    /* A truncated message counts as a row if the previous line is a row. */
    if (used == 0 && (lines->others > 0 || at[length - 1] == '\n')) {
        lines->others++;
        return 0;
    }
    remarks->is_cut = used == 0 || used == ALLOCINFO_E_CUT;
    if (used <= 0)
        return remarks->is_cut ? 0 : (int)used;
    remarks->is_unended = at[length - 1] != '\n';
    remarks->skipped += lines->others;
    remarks->below_zero += is_log && row->is_inaccurate && row->bytes == 0;
    if (!is_log) {
        remarks->prefixes += is_prefixed;
        remarks->rounded += row->rounding != 0;
        remarks->rounding += row->rounding;
        remarks->is_bare |= line.next == lines->bytes && *at != ' ' &&
                            length < lines->size && at[length] == ' ' &&
                            memchr(at, ' ', PADDED_WIDTH) != NULL;
    }
    lines->others = 0;
    lines->row = (size_t)(line.next - lines->bytes);
    skip_line(lines);
    return 1;
}

int allocinfo_lines_next(struct allocinfo_lines *lines,
                         struct allocinfo_row *row)
{
    while (lines->at < lines->size) {
        const char *at = lines->bytes + lines->at;
        size_t size = lines->size - lines->at;
        enum heading heading;
        int status;

        heading = heading_of(at, size);
        if (heading == OTHER_TITLE)
            return ALLOCINFO_E_VERSION;
        if (heading >= TITLE_1 && lines->has_title)
            return ALLOCINFO_E_SECOND;
        lines->has_title |= heading >= TITLE_1;
        if (heading == NO_HEADING && (status = take_line_row(lines, row)) != 0)
            return status;
        skip_line(lines);
    }
    return 0;
}
