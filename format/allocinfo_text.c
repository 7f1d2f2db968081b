/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_text.c - read the text of Linux's /proc/allocinfo
 *
 * A row is fields with single spaces between them, after numbers that are
 * padded on their left:
 *
 *     BYTES CALLS FILE:LINE [MODULE] func:FUNCTION key:value... \n
 */
#include "format/allocinfo_text.h"

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
    row->unseen_frees = 0;
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
        } else if (read_number_pair(pair, LITERAL(ALLOCINFO_TOTAL_CALLS),
                                    &number)) {
            row->total_calls = number;
            has_calls = true;
        } else if (read_number_pair(pair, LITERAL(ALLOCINFO_TOTAL_BYTES),
                                    &number)) {
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
