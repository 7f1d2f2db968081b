/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - numbers as people read them
 */
#include "tool/text/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of a negative number; -INT64_MIN has no int64_t. */
static uint64_t magnitude(int64_t value)
{
    return value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
}

static char *group_digits(char out[NUMBER_SIZE], uint64_t value,
                          bool is_negative)
{
    char digits[24];
    size_t length;
    char *end = out;

    snprintf(digits, sizeof digits, "%" PRIu64, value);
    length = strlen(digits);
    if (is_negative)
        *end++ = '-';
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = '\0';
    return out;
}

char *number_signed(char out[NUMBER_SIZE], int64_t value)
{
    return group_digits(out, magnitude(value), value < 0);
}

char *number_unsigned(char out[NUMBER_SIZE], uint64_t value)
{
    return group_digits(out, value, false);
}

char *number_growth(char out[NUMBER_SIZE], int64_t value)
{
    out[0] = '+';
    number_signed(value > 0 ? out + 1 : out, value);
    return out;
}

const char *number_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

char *number_sentence(char *out, size_t size, const char *sentence,
                      uint64_t count)
{
    bool is_other = false; /* the form that does not fit */
    size_t length = 0;

    for (; *sentence != '\0' && length + 1 < size; sentence++) {
        if (*sentence == '[')
            is_other = count != 1;
        else if (*sentence == '|')
            is_other = count == 1;
        else if (*sentence == ']')
            is_other = false;
        else if (!is_other)
            out[length++] = *sentence;
    }
    out[length] = '\0';
    return out;
}

char *number_bytes(char out[NUMBER_SIZE], int64_t bytes)
{
    static const char *const units[] = { "B",   "KiB", "MiB", "GiB",
                                         "TiB", "PiB", "EiB" };
    double value = (double)magnitude(bytes);
    size_t unit = 0;

    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(out, NUMBER_SIZE, "%s%.*f %s", bytes < 0 ? "-" : "",
             unit == 0 ? 0 : 1, value, units[unit]);
    return out;
}

bool parse_bytes(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    unsigned shift = 0;
    const char *unit;
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *bytes = strtoumax(text, &end, 10);
    unit = *end == '\0' ? NULL : strchr(units, *end);
    if (unit != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (errno != 0 || *end != '\0' || *bytes > UINT64_MAX >> shift)
        return false;
    *bytes <<= shift;
    return true;
}

bool parse_duration(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {
        { "ns", 1 },   { "ms", 1e6 },   { "s", 1e9 },
        { "m", 60e9 }, { "h", 3600e9 },
    };
    size_t digits = strspn(text, "0123456789.");
    char *unit;
    double number = strtod(text, &unit);

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (digits == 0 || unit != text + digits ||
            strcmp(unit, units[i].name) != 0 || number * units[i].ns >= 0x1p62)
            continue;
        *ns = (uint64_t)(number * units[i].ns);
        return true;
    }
    return false;
}

bool parse_count(const char *text, uint64_t most, uint64_t *count)
{
    return text[strspn(text, "0123456789")] == '\0' &&
           parse_bytes(text, count) && *count <= most;
}
