/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_text.c - write the rows of Linux's /proc/allocinfo
 *
 * A row has fields separated by single spaces, after left-padded numbers:
 *
 *     BYTES CALLS FILE:LINE [MODULE] func:FUNCTION key:value... \n
 */
#include "format/text/allocinfo_text.h"

#include "format/text_out.h"

enum { BYTES_WIDTH = 12, CALLS_WIDTH = 8 };

char allocinfo_shown(char byte)
{
    unsigned char value = (unsigned char)byte;

    return value <= ' ' || value == 0x7f ? '_' : byte;
}

int allocinfo_compare_texts(struct text_view a, struct text_view b)
{
    for (size_t i = 0; i < a.length && i < b.length; i++) {
        unsigned char left = (unsigned char)allocinfo_shown(a.bytes[i]);
        unsigned char right = (unsigned char)allocinfo_shown(b.bytes[i]);

        if (left != right)
            return left < right ? -1 : 1;
    }
    return (a.length > b.length) - (a.length < b.length);
}

static void put_name(struct text_out *out, struct text_view text)
{
    if (text.length == 0)
        text_put(out, "?");
    for (size_t i = 0; i < text.length; i++)
        text_put_bytes(out, &(char){ allocinfo_shown(text.bytes[i]) }, 1);
}

/* Split a number into digits by subtraction: small processors cannot divide 64
   bits. Return the number of digits. */
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

static void put_number(struct text_out *out, uint64_t value, bool is_negative,
                       size_t width)
{
    char digits[20];
    size_t count = split_digits(value, digits);

    for (size_t i = count + is_negative; i < width; i++)
        text_put(out, " ");
    if (is_negative)
        text_put(out, "-");
    text_put_bytes(out, digits, count);
}

static void put_number_pair(struct text_out *out, const char *key,
                            uint64_t value)
{
    text_put(out, " ");
    text_put(out, key);
    put_number(out, value, false, 0);
}

static void put_pairs(struct text_out *out, const struct allocinfo_row *row)
{
    if (row->pairs.length > 0) {
        text_put(out, " ");
        text_put_bytes(out, row->pairs.bytes, row->pairs.length);
        return;
    }
    if (row->is_inaccurate)
        text_put(out, " accurate:no");
    if (row->unseen_frees != 0)
        put_number_pair(out, "unseen_frees:", row->unseen_frees);
    if (row->is_unloaded)
        text_put(out, " unloaded:yes");
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
    struct text_out out = { .out = bytes, .capacity = capacity };
    bool is_negative = row->bytes < 0;
    uint64_t magnitude = (uint64_t)row->bytes;

    put_number(&out, is_negative ? 0 - magnitude : magnitude, is_negative,
               BYTES_WIDTH);
    text_put(&out, " ");
    put_number(&out, row->calls, false, CALLS_WIDTH);
    text_put(&out, " ");
    put_name(&out, row->file);
    text_put(&out, ":");
    put_number(&out, row->line, false, 0);
    text_put(&out, " ");
    if (row->module.length > 0) {
        text_put(&out, "[");
        put_name(&out, row->module);
        text_put(&out, "] ");
    }
    text_put(&out, "func:");
    put_name(&out, row->function);
    if (version >= 2)
        put_pairs(&out, row);
    text_put(&out, " \n");
    return out.length;
}
