/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_text.c - the rows of Linux's /proc/allocinfo, read and written
 *
 * A row is fields with single spaces between them, after numbers that are
 * padded on their left:
 *
 *     BYTES CALLS FILE:LINE [MODULE] func:FUNCTION key:value... \n
 *
 * This file is long because both ways follow this form.
 */
#include "format/text/allocinfo_text.h"

#include <string.h>

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

const char *allocinfo_find(const char *bytes, size_t size,
                           struct allocinfo_text text)
{
    const char *end = bytes + size;

    while ((size_t)(end - bytes) >= text.length &&
           (bytes = memchr(bytes, *text.bytes,
                           (size_t)(end - bytes) - text.length + 1)) != NULL) {
        if (memcmp(bytes, text.bytes, text.length) == 0)
            return bytes;
        bytes++;
    }
    return NULL;
}

static bool begins_with(const char *bytes, size_t size,
                        struct allocinfo_text text)
{
    return size >= text.length && memcmp(bytes, text.bytes, text.length) == 0;
}

bool allocinfo_has_title(const char *bytes, size_t size)
{
    return begins_with(bytes, size, ALLOCINFO_LITERAL(ALLOCINFO_TITLE));
}

/* What is left of one line, without its newline. */
struct line {
    const char *at;
    const char *end;
};

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Digits, as many as there are; false if there are none or too many. */
static bool take_digits(struct line *line, uint64_t *value)
{
    const char *first = line->at;

    *value = 0;
    for (; line->at < line->end && is_digit(*line->at); line->at++) {
        uint64_t digit = (uint64_t)(*line->at - '0');

        if (*value > UINT64_MAX / 10 || *value * 10 > UINT64_MAX - digit)
            return false;
        *value = *value * 10 + digit;
    }
    return line->at > first;
}

static bool take_signed(struct line *line, int64_t *value)
{
    bool is_negative = line->at < line->end && *line->at == '-';
    uint64_t magnitude;

    if (is_negative)
        line->at++;
    if (!take_digits(line, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + is_negative)
        return false;
    *value = (int64_t)(is_negative ? 0 - magnitude : magnitude);
    return true;
}

static void skip_spaces(struct line *line)
{
    while (line->at < line->end && *line->at == ' ')
        line->at++;
}

static bool take_space(struct line *line)
{
    return line->at < line->end && *line->at++ == ' ';
}

/*
 * What stands before the next space, which is taken too; no control bytes. The
 * last space of a row is what editors take away.
 */
static bool take_word(struct line *line, struct allocinfo_text *word)
{
    word->bytes = line->at;
    while (line->at < line->end && (unsigned char)*line->at > ' ')
        line->at++;
    word->length = (size_t)(line->at - word->bytes);
    return word->length > 0 && (line->at == line->end || take_space(line));
}

/* FILE:LINE; a colon may be in FILE, and a space. */
static bool split_place(struct allocinfo_text word, struct allocinfo_row *row)
{
    size_t colon = word.length;
    struct line number = { .end = word.bytes + word.length };

    while (colon > 0 && word.bytes[colon - 1] != ':')
        colon--;
    if (colon < 2)
        return false;
    number.at = word.bytes + colon;
    row->file = (struct allocinfo_text){ word.bytes, colon - 1 };
    return take_digits(&number, &row->line) && number.at == number.end;
}

/*
 * FILE:LINE [MODULE], and the space behind it: all before " func:". Other bytes
 * than these are no part of a name.
 */
static bool take_place(struct line *line, struct allocinfo_row *row)
{
    struct allocinfo_text place = { line->at, 0 };
    const char *end = allocinfo_find(line->at, (size_t)(line->end - line->at),
                                     ALLOCINFO_LITERAL(" func:"));
    const char *bracket;

    row->module = (struct allocinfo_text){ 0 };
    if (end == NULL)
        return false;
    for (const char *at = line->at; at < end; at++) {
        if ((unsigned char)*at < ' ')
            return false;
    }
    line->at = end + 1;
    bracket = allocinfo_find(place.bytes, (size_t)(end - place.bytes),
                             ALLOCINFO_LITERAL(" ["));
    if (bracket != NULL && end[-1] == ']') {
        row->module =
            (struct allocinfo_text){ bracket + 2, (size_t)(end - bracket) - 3 };
        if (row->module.length == 0 ||
            memchr(row->module.bytes, ' ', row->module.length) != NULL)
            return false;
        end = bracket;
    }
    place.length = (size_t)(end - place.bytes);
    return split_place(place, row);
}

static bool take_function(struct line *line, struct allocinfo_row *row)
{
    const struct allocinfo_text prefix = ALLOCINFO_LITERAL("func:");
    struct allocinfo_text word;

    if (!take_word(line, &word) || word.length == prefix.length ||
        !begins_with(word.bytes, word.length, prefix))
        return false;
    row->function = (struct allocinfo_text){ word.bytes + prefix.length,
                                             word.length - prefix.length };
    return true;
}

/* The number behind the key; false if it is another pair, or no number. */
static bool read_number_pair(struct allocinfo_text pair,
                             struct allocinfo_text key, uint64_t *value)
{
    struct line number = { .end = pair.bytes + pair.length };
    uint64_t digits;

    if (!begins_with(pair.bytes, pair.length, key))
        return false;
    number.at = pair.bytes + key.length;
    if (!take_digits(&number, &digits) || number.at != number.end)
        return false;
    *value = digits;
    return true;
}

static bool take_pairs(struct line *line, unsigned version,
                       struct allocinfo_row *row)
{
    const struct allocinfo_text inaccurate = ALLOCINFO_LITERAL("accurate:no");
    bool has_calls = false, has_bytes = false;
    struct allocinfo_text pair;

    row->is_inaccurate = row->is_unloaded = false;
    row->unseen_frees = 0;
    row->has_peak = row->has_rates = false;
    row->total_calls = row->total_bytes = 0;
    row->pairs = (struct allocinfo_text){ line->at, 0 };
    while (line->at < line->end) {
        if (version == 1 || !take_word(line, &pair) ||
            memchr(pair.bytes, ':', pair.length) == NULL)
            return false;
        row->pairs.length =
            (size_t)(pair.bytes + pair.length - row->pairs.bytes);
        row->is_inaccurate |= allocinfo_compare_texts(pair, inaccurate) == 0;
        has_calls |= read_number_pair(
            pair, ALLOCINFO_LITERAL(ALLOCINFO_TOTAL_CALLS), &row->total_calls);
        has_bytes |= read_number_pair(
            pair, ALLOCINFO_LITERAL(ALLOCINFO_TOTAL_BYTES), &row->total_bytes);
    }
    row->has_totals = has_calls && has_bytes;
    return true;
}

/* Without its newline, and a carriage return before that. Its length with
   both. */
static size_t take_line(const char *bytes, size_t size, struct line *line)
{
    const char *newline = memchr(bytes, '\n', size);

    *line = (struct line){ bytes, newline != NULL ? newline : bytes + size };
    if (line->end > bytes && line->end[-1] == '\r')
        line->end--;
    return newline != NULL ? (size_t)(newline + 1 - bytes) : size;
}

static bool take_calls(struct line *line, struct allocinfo_row *row)
{
    skip_spaces(line);
    return take_digits(line, &row->calls) && take_space(line);
}

/* All behind the numbers. */
static bool take_names(struct line *line, unsigned version,
                       struct allocinfo_row *row)
{
    return take_place(line, row) && take_function(line, row) &&
           take_pairs(line, version, row);
}

/* "11.0 MiB " or "336 B "; -1: 8 EiB or more, as counts below zero are
   printed. */
static bool take_rounded(struct line *line, int64_t *bytes)
{
    static const char units[] = "BKMGTPE";
    uint64_t whole, part = 0;
    uint32_t scale = 1;
    const char *point, *unit;
    int shift;

    if (!take_digits(line, &whole) || whole > 99999)
        return false;
    if (line->at < line->end && *line->at == '.') {
        point = ++line->at;
        if (!take_digits(line, &part) || line->at - point > 3)
            return false;
        for (; point < line->at; point++)
            scale *= 10;
    }
    if (!take_space(line) || line->at == line->end)
        return false;
    unit = memchr(units, *line->at++, sizeof units - 1);
    if (unit == NULL)
        return false;
    if (unit != units && !begins_with(line->at, (size_t)(line->end - line->at),
                                      ALLOCINFO_LITERAL("iB")))
        return false;
    line->at += unit != units ? 2 : 0;
    shift = 10 * (int)(unit - units);
    if (shift == 60 && whole >= 8 && whole <= 16) {
        *bytes = -1;
        return take_space(line);
    }
    if (whole > (uint64_t)INT64_MAX >> shift)
        return false;
    /* In 2^-20 of a unit, for which 32 bits are enough. */
    part = (uint32_t)(part << 20) / scale;
    *bytes = (int64_t)((whole << shift) + (shift < 20 ? part >> (20 - shift)
                                                      : part << (shift - 20)));
    return take_space(line);
}

/* 1; 0: it is another message; below zero: it looks like a row, and is none. */
static int find_log_row(struct line line, struct allocinfo_row *row)
{
    for (const char *at = line.at; at < line.end; at++) {
        struct line rest = { at, line.end };

        /* What stands before is a time, a host's name and the like. */
        if (*at == ' ' || (at > line.at && at[-1] != ' ') ||
            !take_rounded(&rest, &row->bytes) || !take_calls(&rest, row))
            continue;
        if (!take_names(&rest, ALLOCINFO_LOG, row) ||
            memchr(row->function.bytes, '"', row->function.length) != NULL)
            return -1; /* a log in JSON, for one */
        row->is_inaccurate |= row->bytes < 0;
        row->bytes = row->bytes < 0 ? 0 : row->bytes;
        return 1;
    }
    return take_names(&line, ALLOCINFO_LOG, row) ? -1 : 0;
}

static bool take_row(struct line line, unsigned version,
                     struct allocinfo_row *row)
{
    skip_spaces(&line);
    return take_signed(&line, &row->bytes) && take_space(&line) &&
           take_calls(&line, row) && take_names(&line, version, row);
}

int64_t allocinfo_read_row(const char *bytes, size_t size, unsigned version,
                           struct allocinfo_row *row)
{
    struct line line;
    size_t length = take_line(bytes, size, &line);
    bool is_ended = length > 0 && bytes[length - 1] == '\n';
    int found = version == ALLOCINFO_LOG       ? find_log_row(line, row)
                : take_row(line, version, row) ? 1
                                               : -1;

    /* What is cut may end in a number. */
    if (found > 0 &&
        (is_ended || row->pairs.length == 0 || bytes[length - 1] == ' '))
        return (int64_t)length;
    if (found == 0)
        return 0;
    return is_ended ? ALLOCINFO_E_ROW : ALLOCINFO_E_CUT;
}

enum { BYTES_WIDTH = 12, CALLS_WIDTH = 8 };

/* Where a row grows; `length` goes on counting where `capacity` ends. */
struct output {
    char *bytes;
    size_t capacity;
    size_t length;
};

static void put(struct output *out, char character)
{
    if (out->length < out->capacity)
        out->bytes[out->length] = character;
    out->length++;
}

static void put_literal(struct output *out, const char *text)
{
    while (*text != '\0')
        put(out, *text++);
}

char allocinfo_byte(char byte)
{
    unsigned char value = (unsigned char)byte;

    return value <= ' ' || value == 0x7f ? '_' : byte;
}

int allocinfo_compare_texts(struct allocinfo_text a, struct allocinfo_text b)
{
    for (size_t i = 0; i < a.length && i < b.length; i++) {
        unsigned char left = (unsigned char)allocinfo_byte(a.bytes[i]);
        unsigned char right = (unsigned char)allocinfo_byte(b.bytes[i]);

        if (left != right)
            return left < right ? -1 : 1;
    }
    return (a.length > b.length) - (a.length < b.length);
}

static void put_text(struct output *out, struct allocinfo_text text)
{
    if (text.length == 0)
        put(out, '?');
    for (size_t i = 0; i < text.length; i++)
        put(out, allocinfo_byte(text.bytes[i]));
}

/*
 * The digits of a number, by subtraction: small processors have no division of
 * 64 bits. Returns how many there are.
 */
static size_t split_digits(uint64_t value, char digits[20])
{
    uint64_t tens[20] = { 1 };
    size_t count = 0;

    for (size_t i = 1; i < sizeof tens / sizeof tens[0]; i++)
        tens[i] = tens[i - 1] * 10;
    for (size_t power = sizeof tens / sizeof tens[0]; power-- > 0;) {
        char digit = '0';

        for (; value >= tens[power]; value -= tens[power])
            digit++;
        if (digit != '0' || count > 0 || power == 0)
            digits[count++] = digit;
    }
    return count;
}

static void put_number(struct output *out, uint64_t value, bool is_negative,
                       size_t width)
{
    char digits[20];
    size_t count = split_digits(value, digits);

    for (size_t i = count + is_negative; i < width; i++)
        put(out, ' ');
    if (is_negative)
        put(out, '-');
    for (size_t i = 0; i < count; i++)
        put(out, digits[i]);
}

static void put_number_pair(struct output *out, const char *key, uint64_t value)
{
    put(out, ' ');
    put_literal(out, key);
    put_number(out, value, false, 0);
}

static void put_pairs(struct output *out, const struct allocinfo_row *row)
{
    if (row->pairs.length > 0) {
        put(out, ' ');
        for (size_t i = 0; i < row->pairs.length; i++)
            put(out, row->pairs.bytes[i]);
        return;
    }
    if (row->is_inaccurate)
        put_literal(out, " accurate:no");
    if (row->unseen_frees != 0)
        put_number_pair(out, "unseen_frees:", row->unseen_frees);
    if (row->is_unloaded)
        put_literal(out, " unloaded:yes");
    if (row->has_totals) {
        put_number_pair(out, ALLOCINFO_TOTAL_CALLS, row->total_calls);
        put_number_pair(out, ALLOCINFO_TOTAL_BYTES, row->total_bytes);
    }
    if (row->has_peak)
        put_number_pair(out, "peak_seen:", row->peak_seen);
    if (row->has_rates) {
        put_number_pair(out, "calls_per_second:", row->calls_per_second);
        put_number_pair(out, "bytes_per_second:", row->bytes_per_second);
    }
}

size_t allocinfo_write_row(char *bytes, size_t capacity, unsigned version,
                           const struct allocinfo_row *row)
{
    struct output out = { .bytes = bytes, .capacity = capacity };
    bool is_negative = row->bytes < 0;
    uint64_t magnitude = (uint64_t)row->bytes;

    put_number(&out, is_negative ? 0 - magnitude : magnitude, is_negative,
               BYTES_WIDTH);
    put(&out, ' ');
    put_number(&out, row->calls, false, CALLS_WIDTH);
    put(&out, ' ');
    put_text(&out, row->file);
    put(&out, ':');
    put_number(&out, row->line, false, 0);
    put(&out, ' ');
    if (row->module.length > 0) {
        put(&out, '[');
        put_text(&out, row->module);
        put_literal(&out, "] ");
    }
    put_literal(&out, "func:");
    put_text(&out, row->function);
    if (version >= 2)
        put_pairs(&out, row);
    put_literal(&out, " \n");
    return out.length;
}
