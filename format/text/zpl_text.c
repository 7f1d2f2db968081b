/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text.c - one ZPL event, one line of text
 *
 * The line is the payload's list, field by field, with what stands around each.
 */
#include "format/text/zpl_text.h"

#include <string.h>

/* What is left of a line. */
struct cursor {
    const char *next;
    const char *end;
};

static const char *const region_names[] = {
#define REGION_NAME(name, value, text) [value] = (text),
    ZPL_MEMORY_REGION_LIST(REGION_NAME)
#undef REGION_NAME
};
_Static_assert(sizeof region_names / sizeof region_names[0] == ZPL_REGION_COUNT,
               "each region has a name");

const char *zpl_text_region(unsigned region)
{
    return region < ZPL_REGION_COUNT ? region_names[region] : NULL;
}

static char *put_text(char *out, const char *text)
{
    while (*text != '\0')
        *out++ = *text++;
    return out;
}

static char *put_region(char *out, uint8_t region)
{
    const char *name = zpl_text_region(region);

    return put_text(out, name == NULL ? "<unknown>" : name);
}

/* Four bits at a time: firmware has no division of 64 bits. */
static char *put_address(char *out, uint64_t address)
{
    unsigned shift = 0;

    out = put_text(out, "0x");
    while (shift < 60 && address >> (shift + 4) != 0)
        shift += 4;
    for (;; shift -= 4) {
        *out++ = "0123456789abcdef"[address >> shift & 15];
        if (shift == 0)
            return out;
    }
}

static char *put_u32(char *out, uint32_t value)
{
    char digits[10];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

size_t zpl_text_write(char *out, const struct zpl_event *event)
{
    char *start = out;

    out = put_text(out, ZPL_TEXT_EVENT);
#define PUT(kind, name, before, behind) \
    out = put_text(out, before);        \
    out = put_##kind(out, event->name); \
    out = put_text(out, behind);
    ZPL_MEMORY_PAYLOAD_LIST(PUT)
#undef PUT
    *out++ = '\n';
    return (size_t)(out - start);
}

static bool get_text(struct cursor *cursor, const char *text)
{
    const char *next = cursor->next;

    for (; *text != '\0'; text++, next++) {
        if (next == cursor->end || *next != *text)
            return false;
    }
    cursor->next = next;
    return true;
}

static int digit_of(const struct cursor *cursor, unsigned base)
{
    char letter = cursor->next < cursor->end ? *cursor->next : ' ';

    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (base == 16 && letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    if (base == 16 && letter >= 'A' && letter <= 'F')
        return letter - 'A' + 10;
    return -1;
}

/* Decimal, or behind 0x. */
static bool get_number(struct cursor *cursor, uint64_t most, uint64_t *value)
{
    unsigned base = get_text(cursor, "0x") ? 16 : 10;
    uint64_t number = 0;
    int digit = digit_of(cursor, base);

    if (digit < 0)
        return false;
    for (; digit >= 0; digit = digit_of(cursor, base)) {
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, (unsigned)digit, &number) ||
            number > most)
            return false;
        cursor->next++;
    }
    *value = number;
    return true;
}

static bool get_region(struct cursor *cursor, uint8_t *region)
{
    for (unsigned i = 0; i < ZPL_REGION_COUNT; i++) {
        if (get_text(cursor, region_names[i])) {
            *region = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool get_address(struct cursor *cursor, uint64_t *address)
{
    return get_number(cursor, UINT64_MAX, address);
}

static bool get_u32(struct cursor *cursor, uint32_t *value)
{
    uint64_t number;

    if (!get_number(cursor, UINT32_MAX, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool get_event(struct cursor *cursor, struct zpl_event *event)
{
    *event = (struct zpl_event){ .time_ns = ZPL_EVENT_NO_TIME };
#define GET(kind, name, before, behind)                                   \
    if (!get_text(cursor, before) || !get_##kind(cursor, &event->name) || \
        !get_text(cursor, behind))                                        \
        return false;
    ZPL_MEMORY_PAYLOAD_LIST(GET)
#undef GET
    /* White space, a terminal's escape code or the end; no letter or point. */
    return cursor->next == cursor->end || (unsigned char)*cursor->next <= ' ';
}

enum zpl_text_line zpl_text_read(const char *line, size_t length,
                                 struct zpl_event *event)
{
    const size_t name = sizeof ZPL_TEXT_EVENT - 1;
    enum zpl_text_line found = ZPL_TEXT_OTHER;

    for (size_t i = 0; length >= name && i <= length - name; i++) {
        struct cursor cursor = { line + i + name, line + length };

        if (line[i] != 'z' || memcmp(line + i, ZPL_TEXT_EVENT, name) != 0)
            continue;
        if (get_event(&cursor, event))
            return ZPL_TEXT_READ;
        found = ZPL_TEXT_DAMAGED; /* the next one in this line may be whole */
    }
    return found;
}
