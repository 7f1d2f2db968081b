/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text.c - write a ZPL event as a line of text
 *
 * The line has the fields of the payload's list, each with its text before and
 * after it.
 */
#include "format/text/zpl_text.h"

#include "format/invariant.h"
#include "format/text_out.h"

static const char *const region_names[] = {
#define REGION_NAME(name, value, text) [value] = (text),
    ZPL_MEMORY_REGION_LIST(REGION_NAME)
#undef REGION_NAME
};
/* Each region has a name. */
STATIC_ASSERT(sizeof region_names / sizeof region_names[0] == ZPL_REGION_COUNT);

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

static char *put_address(char *out, uint64_t address)
{
    return text_put_digits(put_text(out, "0x"), (text_word)address, 16);
}

static char *put_u32(char *out, uint32_t value)
{
    return text_put_digits(out, value, 10);
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
