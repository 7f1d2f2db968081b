/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_text.c - the text of Linux's /proc/allocinfo
 *
 * A row is fields with single spaces between them, after numbers that are
 * padded on their left:
 *
 *     BYTES CALLS FILE:LINE [MODULE] func:FUNCTION key:value... \n
 */
#include "format/allocinfo_text.h"

#include <string.h>

enum { BYTES_WIDTH = 12, CALLS_WIDTH = 8 };

/* Keys of the pairs that are ours. */
#define TOTAL_CALLS "total_calls:"
#define TOTAL_BYTES "total_bytes:"

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

#define LITERAL(text) ((struct allocinfo_text){ text, sizeof(text) - 1 })

static bool begins_with(const char *bytes, size_t size,
                        struct allocinfo_text text)
{
    return size >= text.length && memcmp(bytes, text.bytes, text.length) == 0;
}

bool allocinfo_has_title(const char *bytes, size_t size)
{
    return begins_with(bytes, size, LITERAL(ALLOCINFO_TITLE));
}

/* Whether the first line ends as on other systems. */
static bool has_carriage_return(const char *bytes, size_t size)
{
    const char *newline = memchr(bytes, '\n', size);

    return newline != NULL && newline > bytes && newline[-1] == '\r';
}

size_t allocinfo_error_place(const char *bytes, size_t size)
{
    const char *newline = memchr(bytes, '\n', size);
    unsigned version;

    return allocinfo_read_header(bytes, size, &version) == ALLOCINFO_E_HEADING
               ? (size_t)(newline + 1 - bytes)
               : 0;
}

int allocinfo_read_header(const char *bytes, size_t size, unsigned *version)
{
    static const char versions[][4] = { "1.0\n", "2.0\n" };
    size_t used = sizeof ALLOCINFO_TITLE - 1;

    if (!allocinfo_has_title(bytes, size))
        return ALLOCINFO_E_TITLE;
    *version = 0;
    for (unsigned i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        if (begins_with(bytes + used, size - used,
                        (struct allocinfo_text){ versions[i], 4 }))
            *version = i + 1;
    }
    if (has_carriage_return(bytes, size))
        return ALLOCINFO_E_CARRIAGE_RETURN;
    if (*version == 0)
        return ALLOCINFO_E_VERSION;
    used += sizeof versions[0];
    if (!begins_with(bytes + used, size - used, LITERAL(ALLOCINFO_HEADING)))
        return ALLOCINFO_E_HEADING;
    return (int)(used + sizeof ALLOCINFO_HEADING - 1);
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

/* FILE:LINE; a colon may be in FILE too. */
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

static bool take_module(struct line *line, struct allocinfo_row *row)
{
    struct allocinfo_text word;

    row->module = (struct allocinfo_text){ 0 };
    if (line->at == line->end || *line->at != '[')
        return true;
    if (!take_word(line, &word) || word.length < 3 ||
        word.bytes[word.length - 1] != ']')
        return false;
    row->module = (struct allocinfo_text){ word.bytes + 1, word.length - 2 };
    return true;
}

static bool take_function(struct line *line, struct allocinfo_row *row)
{
    const struct allocinfo_text prefix = LITERAL("func:");
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

    if (!begins_with(pair.bytes, pair.length, key))
        return false;
    number.at = pair.bytes + key.length;
    return take_digits(&number, value) && number.at == number.end;
}

static bool take_pairs(struct line *line, unsigned version,
                       struct allocinfo_row *row)
{
    const struct allocinfo_text inaccurate = LITERAL("accurate:no");
    bool has_calls = false, has_bytes = false;
    struct allocinfo_text pair;
    uint64_t number;

    row->is_inaccurate = row->is_unloaded = false;
    row->has_peak = row->has_rates = false;
    row->total_calls = row->total_bytes = 0;
    row->pairs = (struct allocinfo_text){ line->at, 0 };
    while (line->at < line->end) {
        if (version < 2 || !take_word(line, &pair) ||
            memchr(pair.bytes, ':', pair.length) == NULL)
            return false;
        row->pairs.length =
            (size_t)(pair.bytes + pair.length - row->pairs.bytes);
        if (pair.length == inaccurate.length &&
            begins_with(pair.bytes, pair.length, inaccurate)) {
            row->is_inaccurate = true;
        } else if (read_number_pair(pair, LITERAL(TOTAL_CALLS), &number)) {
            row->total_calls = number;
            has_calls = true;
        } else if (read_number_pair(pair, LITERAL(TOTAL_BYTES), &number)) {
            row->total_bytes = number;
            has_bytes = true;
        }
    }
    row->has_totals = has_calls && has_bytes;
    return true;
}

int64_t allocinfo_read_row(const char *bytes, size_t size, unsigned version,
                           struct allocinfo_row *row)
{
    const char *newline = memchr(bytes, '\n', size);
    struct line line = { .at = bytes, .end = newline };
    struct allocinfo_text place;

    if (newline == NULL)
        return ALLOCINFO_E_CUT;
    if (has_carriage_return(bytes, size))
        return ALLOCINFO_E_CARRIAGE_RETURN;
    skip_spaces(&line);
    if (!take_signed(&line, &row->bytes) || !take_space(&line))
        return ALLOCINFO_E_ROW;
    skip_spaces(&line);
    if (!take_digits(&line, &row->calls) || !take_space(&line) ||
        !take_word(&line, &place) || !split_place(place, row) ||
        !take_module(&line, row) || !take_function(&line, row) ||
        !take_pairs(&line, version, row))
        return ALLOCINFO_E_ROW;
    return newline + 1 - bytes;
}

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
    if (row->is_unloaded)
        put_literal(out, " unloaded:yes");
    if (row->has_totals) {
        put_number_pair(out, TOTAL_CALLS, row->total_calls);
        put_number_pair(out, TOTAL_BYTES, row->total_bytes);
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
