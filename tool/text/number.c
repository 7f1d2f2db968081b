/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - print and parse numbers for people
 */
#include "tool/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Return the absolute value, also of INT64_MIN. */
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

char *number_address(char out[NUMBER_SIZE], uint64_t address)
{
    snprintf(out, NUMBER_SIZE, "0x%" PRIx64, address);
    return out;
}

const char *number_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

char *number_sentence(char *out, size_t size, const char *sentence,
                      uint64_t count)
{
    bool is_other = false; /* skip the form that does not fit */
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

#define SECOND UINT64_C(1000000000)

/* Units with their sizes in the smallest unit; NULL ends the list. */
struct unit {
    const char *name;
    uint64_t size;
};

static bool parse_quantity(const char *text, const struct unit *unit,
                           uint64_t *value)
{
    double fraction = 0, place = 0.1;
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoumax(text, &end, 10);
    if (*end == '.') {
        if (!isdigit((unsigned char)*++end))
            return false;
        for (; isdigit((unsigned char)*end); end++, place /= 10)
            fraction += (*end - '0') * place;
    }
    end += end[0] == ' ' && end[1] != '\0';
    while (unit->name != NULL && strcasecmp(end, unit->name) != 0)
        unit++;
    return unit->name != NULL && errno == 0 &&
           !__builtin_mul_overflow(*value, unit->size, value) &&
           !__builtin_add_overflow(
               *value, (uint64_t)(fraction * (double)unit->size + 0.5), value);
}

bool parse_bytes(const char *text, uint64_t *bytes)
{
    static const struct unit units[] = { { "", 1 },
                                         { "B", 1 },
                                         { "K", UINT64_C(1) << 10 },
                                         { "KB", UINT64_C(1) << 10 },
                                         { "KiB", UINT64_C(1) << 10 },
                                         { "M", UINT64_C(1) << 20 },
                                         { "MB", UINT64_C(1) << 20 },
                                         { "MiB", UINT64_C(1) << 20 },
                                         { "G", UINT64_C(1) << 30 },
                                         { "GB", UINT64_C(1) << 30 },
                                         { "GiB", UINT64_C(1) << 30 },
                                         { "T", UINT64_C(1) << 40 },
                                         { "TB", UINT64_C(1) << 40 },
                                         { "TiB", UINT64_C(1) << 40 },
                                         { NULL, 0 } };

    return parse_quantity(text, units, bytes);
}

bool parse_duration(const char *text, uint64_t *ns)
{
    static const struct unit units[] = {
        { "", SECOND },          { "ns", 1 },
        { "us", 1000 },          { "ms", 1000000 },
        { "s", SECOND },         { "m", 60 * SECOND },
        { "min", 60 * SECOND },  { "h", 3600 * SECOND },
        { "d", 86400 * SECOND }, { NULL, 0 }
    };

    return parse_quantity(text, units, ns) && *ns < UINT64_C(1) << 62;
}

bool parse_count(const char *text, uint64_t most, uint64_t *count)
{
    return text[strspn(text, "0123456789")] == '\0' &&
           parse_bytes(text, count) && *count <= most;
}
