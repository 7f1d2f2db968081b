/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_recognize.c - which layout a stream is in, from its bytes alone
 *
 * This file is long because nothing in a bare stream says what it is: each rule
 * here asks the others what is before an event, in it and behind it.
 */
#include "format/ctf/ctf_recognize.h"

#include <string.h>

#include "format/bytes.h"
#include "format/ctf/ctf_packet.h"
#include "format/ctf/zephyr_events.h"
#include "format/ctf/zpl_event.h"

static const struct ctf_layout bare_layouts[] = {
    { 1, 4, false }, { 1, 8, false }, { 2, 4, false },
    { 2, 8, false }, { 3, 4, false }, { 3, 8, false },
};

enum { BARE_LAYOUTS = sizeof bare_layouts / sizeof bare_layouts[0] };

/*
 * Whether there can be such a region: within 32 bits, or where processors of 64
 * bits have addresses, which is at the low and the high end.
 */
static bool is_possible(const struct zpl_event *event,
                        const struct ctf_layout *layout)
{
    uint64_t top = event->memory_addr >> 56;

    if (layout->address_bytes == 8)
        return top == 0 || top == 0xff;
    return (uint64_t)event->used + event->unused <= UINT32_MAX;
}

static bool is_possible_event(const unsigned char *bytes, size_t size,
                              const struct ctf_layout *layout,
                              struct zpl_event *event)
{
    return size >= ctf_layout_event_bytes(layout) &&
           zpl_wire_read(bytes, layout, event) && is_possible(event, layout);
}

const struct ctf_event *ctf_find_other(const unsigned char *bytes,
                                       const struct ctf_layout *layout,
                                       const struct ctf_events *others)
{
    const unsigned char *id =
        bytes + ctf_layout_head_bytes(layout) - (layout->version == 1 ? 1 : 2);

    return ctf_events_find(others, layout->version == 1 ? *id : read_u16le(id));
}

static uint32_t time_of(const unsigned char *bytes,
                        const struct ctf_layout *layout)
{
    return read_u32le(bytes + (layout->version == 3 ? 4 : 0));
}

enum { UNSURE_STEP = 1 << 28 }; /* nanoseconds from event to event */

/* Whether a known event, a quarter of a second later at most, is behind one of
   `length`. */
static bool is_followed(const unsigned char *bytes, size_t size, size_t length,
                        const struct ctf_layout *layout,
                        const struct ctf_events *others)
{
    return size >= length + ctf_layout_head_bytes(layout) &&
           ctf_find_other(bytes + length, layout, others) != NULL &&
           time_of(bytes + length, layout) - time_of(bytes, layout) <
               UNSURE_STEP;
}

/* Whether an event is here, and behind it another, of whatever kind, or the
   end. */
static bool begins_row(const unsigned char *bytes, size_t size,
                       const struct ctf_layout *layout,
                       const struct ctf_events *others)
{
    size_t length = ctf_layout_event_bytes(layout);
    struct zpl_event event;

    return is_possible_event(bytes, size, layout, &event) &&
           (size == length ||
            (size >= 2 * length &&
             zpl_wire_read(bytes + length, layout, &event)) ||
            is_followed(bytes, size, length, layout, others));
}

bool ctf_is_event(const unsigned char *bytes, size_t size,
                  const struct ctf_layout *layout)
{
    struct zpl_event event;

    if (!is_possible_event(bytes, size, layout, &event))
        return false;
    if (layout->version == 3 || size < 2 * ctf_layout_event_bytes(layout) ||
        begins_row(bytes, size, layout, zephyr_events(layout)))
        return true;
    /* Four zero bytes in the right place are no accident; an id may be. */
    return event.memory_region != ZPL_STACK && event.memory_addr != 0;
}

/* Bytes of a packet of layout 3, whatever is in it, or 0: none begins here. */
static size_t packet_3_bytes(const unsigned char *bytes)
{
    size_t bits = read_u16le(bytes + 2);

    return read_u16le(bytes) <= 1 && bits % 8 == 0 && bits >= 14 * 8 ? bits / 8
                                                                     : 0;
}

/* Without a look at what surrounds it. */
static size_t plain_bytes(const unsigned char *bytes, size_t size,
                          const struct ctf_layout *layout,
                          const struct ctf_events *others)
{
    size_t head = ctf_layout_head_bytes(layout), length, packet;
    const struct ctf_event *other;

    if (size < head)
        return head;
    other = ctf_find_other(bytes, layout, others);
    packet = layout->version == 3 ? packet_3_bytes(bytes) : 0;
    if (layout->version == 3 && packet == 0)
        return 0;
    if (other == NULL) /* one of memory would be as long as that is */
        return read_u16le(bytes + 12) == ZPL_MEMORY_EVENT_ID_3 ? 0 : packet;
    length = head + ctf_event_bytes(others, other, bytes + head, size - head);
    return packet == 0 || packet == length || length > size ? length : 0;
}

static bool is_of_text(unsigned char byte)
{
    return byte >= ' ' || (byte >= '\b' && byte <= '\r') || byte == '\033';
}

size_t ctf_text_bytes(const unsigned char *bytes, size_t size)
{
    size_t i = 0;

    while (i < size && is_of_text(bytes[i]))
        i++;
    return i;
}

enum {
    SURE_ROW = 8,
    FAIR_ROW = 3,
    SURE_STEP = INT32_MAX,
    TEXT = 16, /* no event is all of letters for so long */
    NEAR_STEP = 1 << 26,
    LARGEST_STACK = 1 << 30,
};

/*
 * How many events of whatever kind follow each other: SURE_ROW are enough, and
 * so are two at the end. No time steps back, nor far, the first one's from
 * `last`: what is no event has one between its neighbours' by accident alone.
 */
static unsigned row_from(const unsigned char *bytes, size_t size,
                         const struct ctf_layout *layout,
                         const struct ctf_events *others, uint32_t last,
                         uint32_t step)
{
    const size_t head = ctf_layout_head_bytes(layout);
    unsigned row = 0;
    size_t at = 0;

    for (; row < SURE_ROW && size - at >= head; row++) {
        size_t length = ctf_layout_event_bytes(layout);
        struct zpl_event event;

        if (time_of(bytes + at, layout) - last > (row > 0 ? step : SURE_STEP))
            break;
        if (size - at < length || !zpl_wire_read(bytes + at, layout, &event))
            length = plain_bytes(bytes + at, size - at, layout, others);
        if (length == 0 || length > size - at)
            break;
        last = time_of(bytes + at, layout);
        at += length;
    }
    return row > 1 && at == size ? SURE_ROW : row;
}

/* Letters in place of sizes are none. */
static bool is_modest(const struct zpl_event *event)
{
    return (uint64_t)event->used + event->unused <= LARGEST_STACK;
}

/* Whether it comes soon after the last one. */
static bool is_near(const unsigned char *bytes, const struct ctf_layout *layout,
                    const struct ctf_before *before)
{
    return before->has_time &&
           time_of(bytes, layout) - before->time < NEAR_STEP;
}

bool ctf_is_event_behind(const unsigned char *bytes, size_t size,
                         const struct ctf_layout *layout,
                         const struct ctf_before *before)
{
    struct zpl_event event;

    return ctf_is_event(bytes, size, layout) ||
           (zpl_wire_read(bytes, layout, &event) &&
            is_near(bytes, layout, before) && event.for_thread_id != 0 &&
            is_modest(&event));
}

size_t ctf_other_bytes(const unsigned char *bytes, size_t size,
                       const struct ctf_layout *layout,
                       const struct ctf_events *others,
                       const struct ctf_before *before)
{
    size_t length = plain_bytes(bytes, size, layout, others);
    size_t head = ctf_layout_head_bytes(layout);
    size_t text = ctf_text_bytes(bytes, size < TEXT ? size : TEXT);
    struct zpl_event event;
    bool is_before;
    unsigned row;

    if (length == 0 || length > size)
        return length > CTF_EVENT_LIMIT ? 0 : length;
    /* Not all of it is; but escape is an id, too. */
    is_before = !before->is_lost &&
                ((text < TEXT && text < length) || bytes[head - 1] < ' ') &&
                is_near(bytes, layout, before) && size - length >= 2 &&
                ctf_text_bytes(bytes + length, 2) == 2;
    if (text == TEXT && !is_before)
        return 0;
    row = row_from(bytes, size, layout, others,
                   before->has_time ? before->time : time_of(bytes, layout),
                   before->is_sure ? SURE_STEP : UNSURE_STEP);
    if (before->is_lost && row < SURE_ROW)
        return 0;
    if (row == SURE_ROW && is_near(bytes, layout, before))
        return length;
    for (size_t i = 1; i < length; i++) {
        if (begins_row(bytes + i, size - i, layout, others))
            return 0;
    }
    if (row == SURE_ROW || is_before)
        return length;
    if (text >= head)
        return row < FAIR_ROW ? 0 : length;
    /* What follows is an event, as far as it is there. */
    if (size - length < CTF_EVENT_LARGEST ||
        zpl_wire_read(bytes + length, layout, &event))
        return length;
    if (layout->version == 3)
        return packet_3_bytes(bytes + length) == 0 ? 0 : length;
    if (before->is_sure
            ? ctf_find_other(bytes + length, layout, others) != NULL &&
                  time_of(bytes, layout) - before->time <=
                      time_of(bytes + length, layout) - before->time
            : is_followed(bytes, size, length, layout, others))
        return length;
    return 0;
}

/* Whether an event of another kind may be of `length`. */
static bool is_as_long(const unsigned char *bytes, size_t length,
                       const struct ctf_layout *layout,
                       const struct ctf_events *others)
{
    size_t size = length - ctf_layout_head_bytes(layout);
    unsigned i = 0;

    while (size <= length && i < others->count &&
           ctf_event_bytes(others, &others->items[i], bytes + length - size,
                           size) != size)
        i++;
    return size <= length && i < others->count;
}

size_t ctf_misnamed_bytes(const unsigned char *bytes, size_t size,
                          const struct ctf_layout *layout,
                          const struct ctf_events *others)
{
    size_t i = ctf_layout_head_bytes(layout), head = i;
    size_t length = ctf_layout_event_bytes(layout);
    uint32_t begin = time_of(bytes, layout), end;
    const struct ctf_before before = { .time = begin, .has_time = true };
    struct zpl_event event;

    if (size < length + head ||
        (is_possible_event(bytes, size, layout, &event) &&
         ((is_modest(&event) &&
           (ctf_text_bytes(bytes + length, 2) == 2 ||
            ctf_other_bytes(bytes + length, size - length, layout, others,
                            &before) > 0)) ||
          is_possible_event(bytes + length, size - length, layout, &event) ||
          row_from(bytes + length, size - length, layout, others, begin,
                   UNSURE_STEP) >= FAIR_ROW)))
        return 0;
    while (i + head <= size &&
           (time_of(bytes + i, layout) - begin >= UNSURE_STEP ||
            row_from(bytes + i, size - i, layout, others, begin, UNSURE_STEP) <
                SURE_ROW))
        i++;
    if (i + head > size || !is_as_long(bytes, i, layout, others))
        return 0;
    /* Or it is one of memory, and a byte of the other behind it is wrong. */
    end = time_of(bytes + i, layout);
    return i > length &&
                   is_as_long(bytes + length, i - length, layout, others) &&
                   time_of(bytes + length, layout) - begin <= end - begin
               ? 0
               : i;
}

enum {
    LONG_CHAIN = 1024
}; /* bytes that are no accident without any of memory */

/*
 * Bytes that are events in this layout. Others among themselves are believed
 * when many come in a few seconds.
 */
static size_t covered(const unsigned char *bytes, size_t size,
                      const struct ctf_layout *layout)
{
    const struct ctf_events *others = zephyr_events(layout);
    size_t length = ctf_layout_event_bytes(layout);
    size_t sum = 0, memory = 0;
    uint64_t elapsed = 0;
    uint32_t last = 0;
    bool is_in_step = true;

    for (size_t i = 0; i + length <= size;) {
        size_t other = 0;

        if (ctf_is_event(bytes + i, size - i, layout)) {
            memory++;
            other = length;
        } else if (is_in_step) {
            other = ctf_other_bytes(
                bytes + i, size - i, layout, others,
                &(struct ctf_before){ .time = last, .has_time = sum > 0 });
        }
        is_in_step = other > 0 && other <= size - i;
        if (is_in_step) {
            elapsed += sum > 0 ? time_of(bytes + i, layout) - last : 0;
            last = time_of(bytes + i, layout);
        }
        sum += is_in_step ? other : 0;
        i += is_in_step ? other : 1;
    }
    return memory > 0 || (sum >= LONG_CHAIN && elapsed <= UINT32_MAX) ? sum : 0;
}

bool ctf_is_other_layout(const unsigned char *bytes, size_t size,
                         struct ctf_layout *layout, bool is_strict)
{
    struct ctf_layout other;
    struct ctf_packet packet;
    struct zpl_event event;
    unsigned row;

    if (!layout->has_packets && size >= CTF_PACKET_HEAD &&
        ctf_packet_read(bytes, &packet, &other) &&
        packet.packet_size / 8 <= size &&
        ctf_packet_read_trailer(bytes, &packet)) {
        *layout = other;
        return true;
    }
    for (size_t i = 0; i < BARE_LAYOUTS; i++) {
        size_t length = ctf_layout_event_bytes(&bare_layouts[i]);

        if ((bare_layouts[i].version == layout->version &&
             (is_strict ||
              (!layout->has_packets &&
               bare_layouts[i].address_bytes == layout->address_bytes))) ||
            size < OTHER_RUN * length)
            continue;
        for (row = 0;
             row < OTHER_RUN && is_possible_event(bytes + row * length, length,
                                                  &bare_layouts[i], &event);)
            row++;
        if (row == OTHER_RUN) {
            *layout = bare_layouts[i];
            return true;
        }
    }
    return false;
}

/* Where a head begins at or behind `from`, or `size`. */
static size_t find_head(const unsigned char *bytes, size_t from, size_t size,
                        struct ctf_packet *packet, struct ctf_layout *layout)
{
    while (size - from >= CTF_PACKET_HEAD) {
        const unsigned char *magic = memchr(bytes + from, CTF_MAGIC & 0xff,
                                            size - from - CTF_PACKET_HEAD + 1);

        if (magic == NULL)
            return size;
        from = (size_t)(magic - bytes);
        if (ctf_packet_read(magic, packet, layout))
            return from;
        from++;
    }
    return size;
}

size_t ctf_find_packet(const unsigned char *bytes, size_t size)
{
    struct ctf_layout layout;
    struct ctf_packet packet;

    for (size_t at = 0;; at++) {
        size_t length;

        at = find_head(bytes, at, size, &packet, &layout);
        if (at == size)
            return size;
        length = packet.packet_size / 8;
        if (length <= size - at && ctf_packet_read_trailer(bytes + at, &packet))
            return at;
    }
}

size_t ctf_recognize(const unsigned char *bytes, size_t size, size_t window,
                     struct ctf_layout *layout)
{
    struct ctf_packet packet;
    size_t most = 0;
    size_t at = ctf_find_packet(bytes, window);

    /* A whole one, or one that is cut off: what comes before is skipped. */
    at = find_head(bytes, at < window ? at : 0, window, &packet, layout);
    if (at < window)
        return window - at;
    for (size_t i = 0; i < BARE_LAYOUTS; i++) {
        size_t sum = covered(bytes, window, &bare_layouts[i]);

        /* Short addresses and long ones begin alike: which of them goes on? */
        if (sum > 0 && sum >= window / 2)
            sum = window + covered(bytes, size, &bare_layouts[i]);
        if (sum > most) {
            most = sum;
            *layout = bare_layouts[i];
        }
    }
    return most < window ? most : window;
}
