/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_recognize.c - detect the layout of a stream from its bytes
 *
 * This file is long because a bare stream has no marks: each rule checks the
 * bytes before, in and after an event by the other rules.
 */
#include "format/ctf/ctf_input.h"

#include <string.h>

#include "format/bytes.h"
#include "format/ctf/ctf_stream.h"
#include "format/ctf/zpl_event.h"

static const struct ctf_layout bare_layouts[] = {
    { 1, 4, false }, { 1, 8, false }, { 2, 4, false },
    { 2, 8, false }, { 3, 4, false }, { 3, 8, false },
};

enum { BARE_LAYOUTS = sizeof bare_layouts / sizeof bare_layouts[0] };

/* Return true if the region can exist: within 32 bits, or at the low or high
   end, where 64-bit processors have addresses. */
static bool is_possible(const struct zpl_event *event,
                        const struct ctf_layout *layout)
{
    uint64_t top = event->memory_addr >> 56;

    if (layout->address_bytes == 8)
        return top == 0 || top == 0xff;
    return (uint64_t)event->used + event->unused <= UINT32_MAX;
}

static struct ctf_view behind(struct ctf_view at, size_t length)
{
    at.bytes += length;
    at.size -= length;
    return at;
}

static bool reads_event(struct ctf_view at, struct zpl_event *event)
{
    return zpl_wire_read(at.bytes, at.layout, event);
}

static bool is_possible_event(struct ctf_view at, struct zpl_event *event)
{
    return at.size >= ctf_layout_event_bytes(at.layout) &&
           reads_event(at, event) && is_possible(event, at.layout);
}

const struct ctf_event *ctf_find_other(struct ctf_view at)
{
    const unsigned char *end = at.bytes + ctf_layout_head_bytes(at.layout);

    return ctf_events_find(
        at.others, at.layout->version == 1 ? end[-1] : read_u16le(end - 2));
}

static uint32_t time_of(struct ctf_view at)
{
    return read_u32le(at.bytes + (at.layout->version == 3 ? 4 : 0));
}

enum { UNSURE_STEP = 1 << 28 }; /* nanoseconds between events */

/* Return true if a known event, at most a quarter of a second later, follows
   one of `length`. */
static bool is_followed(struct ctf_view at, size_t length)
{
    struct ctf_view next = behind(at, length);

    return at.size >= length + ctf_layout_head_bytes(at.layout) &&
           ctf_find_other(next) != NULL &&
           time_of(next) - time_of(at) < UNSURE_STEP;
}

/* Return true if an event is here, followed by another of any kind or by the
   end. */
static bool begins_row(struct ctf_view at)
{
    size_t length = ctf_layout_event_bytes(at.layout);
    struct zpl_event event;

    return is_possible_event(at, &event) &&
           (at.size == length ||
            (at.size >= 2 * length &&
             reads_event(behind(at, length), &event)) ||
            is_followed(at, length));
}

bool ctf_is_event(struct ctf_view at)
{
    struct zpl_event event;

    if (!is_possible_event(at, &event))
        return false;
    at.others = zephyr_events(at.layout);
    if (at.layout->version == 3 ||
        at.size < 2 * ctf_layout_event_bytes(at.layout) || begins_row(at))
        return true;
    /* Four zero bytes in the right place are no coincidence; an id may be. */
    return event.memory_region != ZPL_STACK && event.memory_addr != 0;
}

/* Return the size of a packet of layout 3, whatever it contains, or 0 if none
   begins here. */
static size_t packet_3_bytes(const unsigned char *bytes)
{
    size_t bits = read_u16le(bytes + 2);

    return read_u16le(bytes) <= 1 && bits % 8 == 0 && bits >= 14 * 8 ? bits / 8
                                                                     : 0;
}

/* Return the size of the event here, without checking its surroundings. */
static size_t plain_bytes(struct ctf_view at)
{
    size_t head = ctf_layout_head_bytes(at.layout), length, packet = 0;
    const struct ctf_event *other;

    if (at.size < head)
        return head;
    if (at.layout->version == 3) {
        packet = packet_3_bytes(at.bytes);
        if (packet == 0)
            return 0;
    }
    other = ctf_find_other(at);
    if (other == NULL) /* a memory event would have the layout's size */
        return read_u16le(at.bytes + 12) == ZPL_MEMORY_EVENT_ID_3 ? 0 : packet;
    length = head +
             ctf_event_bytes(at.others, other, at.bytes + head, at.size - head);
    return packet == 0 || packet == length || length > at.size ? length : 0;
}

size_t ctf_text_bytes(const unsigned char *bytes, size_t size)
{
    size_t i = 0;

    while (i < size && (bytes[i] >= ' ' || bytes[i] == '\033' ||
                        (bytes[i] >= '\b' && bytes[i] <= '\r')))
        i++;
    return i;
}

enum {
    SURE_ROW = 8,
    FAIR_ROW = 3,
    SURE_STEP = INT32_MAX,
    TEXT = 16, /* longest run of letters in an event */
    NEAR_STEP = 1 << 26,
    LARGEST_STACK = 1 << 30,
};

/*
 * Count consecutive events of any kind: SURE_ROW are enough, or two at the end.
 * Times must not step back or far, the first one's from `last`: bytes that are
 * not events pass that test only by coincidence.
 */
static unsigned row_from(struct ctf_view at, uint32_t last, uint32_t step)
{
    const size_t head = ctf_layout_head_bytes(at.layout);
    unsigned row = 0;

    for (; row < SURE_ROW && at.size >= head; row++) {
        size_t length = ctf_layout_event_bytes(at.layout);
        struct zpl_event event;

        if (time_of(at) - last > (row > 0 ? step : SURE_STEP))
            break;
        if (at.size < length || !reads_event(at, &event))
            length = plain_bytes(at);
        if (length == 0 || length > at.size)
            break;
        last = time_of(at);
        at = behind(at, length);
    }
    return row > 1 && at.size == 0 ? SURE_ROW : row;
}

/* Letters in place of the sizes exceed this. */
static bool is_modest(const struct zpl_event *event)
{
    return (uint64_t)event->used + event->unused <= LARGEST_STACK;
}

/* Return true if the event comes soon after the last one. */
static bool is_near(struct ctf_view at, const struct ctf_before *before)
{
    return before->has_time && time_of(at) - before->time < NEAR_STEP;
}

bool ctf_is_event_behind(struct ctf_view at, const struct ctf_before *before)
{
    struct zpl_event event;

    return ctf_is_event(at) ||
           (reads_event(at, &event) && is_near(at, before) &&
            event.for_thread_id != 0 && is_modest(&event));
}

size_t ctf_other_bytes(struct ctf_view at, const struct ctf_before *before)
{
    size_t length = plain_bytes(at);
    struct ctf_view next = behind(at, length);
    size_t head = ctf_layout_head_bytes(at.layout);
    size_t text = ctf_text_bytes(at.bytes, at.size < TEXT ? at.size : TEXT);
    struct zpl_event event;
    bool is_before;
    unsigned row;

    if (length == 0 || length > at.size)
        return length > CTF_EVENT_LIMIT ? 0 : length;
    /* The event is incomplete; but escape is an id, too. */
    is_before = !before->is_lost &&
                ((text < TEXT && text < length) || at.bytes[head - 1] < ' ') &&
                is_near(at, before) && next.size >= 2 &&
                ctf_text_bytes(next.bytes, 2) == 2;
    if (text == TEXT && !is_before)
        return 0;
    row = row_from(at, before->has_time ? before->time : time_of(at),
                   before->is_sure ? SURE_STEP : UNSURE_STEP);
    if (before->is_lost && row < SURE_ROW)
        return 0;
    if (row == SURE_ROW && is_near(at, before))
        return length;
    for (size_t i = 1; i < length; i++) {
        if (begins_row(behind(at, i)))
            return 0;
    }
    if (row == SURE_ROW || is_before)
        return length;
    if (text >= head)
        return row < FAIR_ROW ? 0 : length;
    /* The following bytes are an event, as far as they are there. */
    if (next.size < CTF_EVENT_LARGEST || reads_event(next, &event))
        return length;
    if (at.layout->version == 3)
        return packet_3_bytes(next.bytes) == 0 ? 0 : length;
    if (before->is_sure
            ? ctf_find_other(next) != NULL &&
                  time_of(at) - before->time <= time_of(next) - before->time
            : is_followed(at, length))
        return length;
    return 0;
}

/* Return true if an event of another kind may have this length. */
static bool is_as_long(struct ctf_view at, size_t length)
{
    size_t size = length - ctf_layout_head_bytes(at.layout);
    unsigned i = 0;

    while (size <= length && i < at.others->count &&
           ctf_event_bytes(at.others, &at.others->items[i],
                           at.bytes + length - size, size) != size)
        i++;
    return size <= length && i < at.others->count;
}

size_t ctf_misnamed_bytes(struct ctf_view at)
{
    size_t i = ctf_layout_head_bytes(at.layout), head = i;
    size_t length = ctf_layout_event_bytes(at.layout);
    uint32_t begin = time_of(at);
    const struct ctf_before before = { .time = begin, .has_time = true };
    struct ctf_view next = behind(at, length);
    struct zpl_event event;

    if (at.size < length + head ||
        (is_possible_event(at, &event) &&
         ((is_modest(&event) && (ctf_text_bytes(next.bytes, 2) == 2 ||
                                 ctf_other_bytes(next, &before) > 0)) ||
          is_possible_event(next, &event) ||
          row_from(next, begin, UNSURE_STEP) >= FAIR_ROW)))
        return 0;
    while (i + head <= at.size &&
           (time_of(behind(at, i)) - begin >= UNSURE_STEP ||
            row_from(behind(at, i), begin, UNSURE_STEP) < SURE_ROW))
        i++;
    if (i + head > at.size || !is_as_long(at, i))
        return 0;
    /* Or it is a memory event, and a byte of the event after it is wrong. */
    return i > length && is_as_long(next, i - length) &&
                   time_of(next) - begin <= time_of(behind(at, i)) - begin
               ? 0
               : i;
}

enum {
    LONG_CHAIN = 1024
}; /* bytes that cannot be a coincidence, without a memory event */

/* Count the bytes that are events in this layout. Runs of only other events
   count if many occur within a few seconds. */
static size_t covered(const unsigned char *bytes, size_t size,
                      const struct ctf_layout *layout)
{
    struct ctf_view at = { bytes, size, layout, zephyr_events(layout) };
    size_t length = ctf_layout_event_bytes(layout);
    size_t sum = 0, memory = 0;
    uint64_t elapsed = 0;
    uint32_t last = 0;
    bool is_in_step = true;

    while (at.size >= length) {
        size_t other = 0;

        if (ctf_is_event(at)) {
            memory++;
            other = length;
        } else if (is_in_step) {
            other = ctf_other_bytes(
                at, &(struct ctf_before){ .time = last, .has_time = sum > 0 });
        }
        is_in_step = other > 0 && other <= at.size;
        if (is_in_step) {
            elapsed += sum > 0 ? time_of(at) - last : 0;
            last = time_of(at);
        }
        sum += is_in_step ? other : 0;
        at = behind(at, is_in_step ? other : 1);
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
             row < OTHER_RUN &&
             is_possible_event((struct ctf_view){ bytes + row * length, length,
                                                  &bare_layouts[i], NULL },
                               &event);)
            row++;
        if (row == OTHER_RUN) {
            *layout = bare_layouts[i];
            return true;
        }
    }
    return false;
}

/* Return the offset of a packet header at or after `from`, or `size`. */
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

    /* Whole or truncated packet: bytes before it are skipped. */
    at = find_head(bytes, at < window ? at : 0, window, &packet, layout);
    if (at < window)
        return window - at;
    for (size_t i = 0; i < BARE_LAYOUTS; i++) {
        size_t sum = covered(bytes, window, &bare_layouts[i]);

        /* Short and long addresses begin alike: choose the one that goes on. */
        if (sum > 0 && sum >= window / 2)
            sum = window + covered(bytes, size, &bare_layouts[i]);
        if (sum > most) {
            most = sum;
            *layout = bare_layouts[i];
        }
    }
    return most < window ? most : window;
}
