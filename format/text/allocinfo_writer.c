/* SPDX-License-Identifier: Apache-2.0 */
/* allocinfo_writer.c - write rows of allocinfo_text.h, and compare their names */
#include "format/text/allocinfo_text.h"

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
