/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_damage.c - find events again behind damage
 *
 * Bytes are lost, changed or added on a wire. Most ids are known, so that a
 * wrong start often looks like an event, too. Three rules tell:
 *
 *   - several events in a row, in the order of their times, are intact
 *   - a memory event is intact if its region, with this size, is known
 *   - an event before damage is intact if its time is not after the next one's
 */
#include "format/ctf/ctf_input.h"

#include <string.h>

enum {
    SURE_ROW = CTF_SURE_ROW,
    FEW = 3,           /* ... if the bytes end behind them */
    WINDOW = 4096,     /* bytes to look at */
    LARGEST_REST = 64, /* bytes of an incomplete event */
    CTF_KNOWN = 64,    /* memory events to compare with */
};

static bool is_text(struct ctf_view at, size_t length)
{
    return ctf_text_bytes(at.bytes, length) == length;
}

/*
 * Return true if events in a row begin here, from the last time on, or at any
 * time. Letters must be close to their predecessors.
 */
static bool begins_row(struct ctf_view at, const struct ctf_before *before,
                       bool has_last)
{
    const uint64_t range = UINT64_MAX >> (64 - 8 * at.form->time.bytes);
    uint64_t passed = 0, last = before->time;
    unsigned row = 0, count = 0;

    for (; row < SURE_ROW && at.size > 0; count++) {
        size_t length = ctf_event_here(at);
        uint64_t step;

        if (length > at.size)
            return count >= FEW && at.size < LARGEST_REST;
        if (length == 0 || (ctf_is_pure(before) && !ctf_is_memory(at)))
            return false;
        step = count == 0 && !has_last
                   ? 0
                   : ctf_elapsed(at.form, last, ctf_time_of(at));
        if ((step > range - passed) ||
            (step > range / SURE_ROW && is_text(at, length)))
            return false;
        passed += step;
        last = ctf_time_of(at);
        row += ctf_is_memory(at) ? SURE_ROW / 2 : 1;
        at = ctf_view_behind(at, length);
    }
    return count > 1;
}

/* Return the offset behind the first byte at which a row begins, or at.size. */
static size_t find_row(struct ctf_view at, const struct ctf_before *before,
                       bool has_last)
{
    size_t i = 1;

    while (i < at.size && !begins_row(ctf_view_behind(at, i), before, has_last))
        i++;
    return i == at.size && has_last ? find_row(at, before, false) : i;
}

struct known_regions {
    struct zpl_event events[CTF_KNOWN];
    unsigned count;
};

/* Add the memory events of the row that begins here. */
static void add_known(struct known_regions *known, struct ctf_view at)
{
    size_t length;

    while (known->count < CTF_KNOWN && at.size > 0 &&
           (length = ctf_event_here(at)) > 0 && length <= at.size) {
        if (ctf_is_memory(at))
            ctf_memory_read(at, &known->events[known->count++]);
        at = ctf_view_behind(at, length);
    }
}

/* Return true if console output, up to a memory event, begins here. */
static bool begins_text(struct ctf_view at)
{
    size_t text = ctf_text_bytes(at.bytes, at.size), i = 1;

    if (at.form->is_declared || text == 0)
        return false;
    while (i <= text && i + at.form->head_bytes <= at.size &&
           (!ctf_is_memory(ctf_view_behind(at, i)) ||
            ctf_event_here(ctf_view_behind(at, i)) == 0))
        i++;
    return i <= text || text >= SURE_ROW;
}

/* Return true if a memory event of a known region, of its size, is here, or one
   before console output or another form. */
static bool is_known(const struct known_regions *known, struct ctf_view at)
{
    struct zpl_event event;
    unsigned i = 0;

    if (at.size < at.form->memory_bytes || at.form->memory_bytes == 0 ||
        !ctf_is_memory(at) || ctf_event_here(at) == 0)
        return false;
    ctf_memory_read(at, &event);
    while (i < known->count &&
           (known->events[i].memory_addr != event.memory_addr ||
            known->events[i].memory_region != event.memory_region ||
            known->events[i].for_thread_id != event.for_thread_id ||
            known->events[i].used + known->events[i].unused !=
                event.used + event.unused))
        i++;
    at = ctf_view_behind(at, at.form->memory_bytes);
    return i < known->count || begins_text(at) || ctf_begins_other(at);
}

/* Return true if the event here is later than `last`, and not after `next`. */
static bool fits(struct ctf_view at, uint64_t last, struct ctf_view next)
{
    return ctf_elapsed(at.form, last, ctf_time_of(at)) <=
           ctf_elapsed(at.form, last, ctf_time_of(next));
}

/* Judge an event in step, before intact bytes at `next`; NULL: there are
   none. */
static bool is_intact(struct ctf_view at, size_t length,
                      const struct ctf_before *before,
                      const struct ctf_view *next)
{
    uint64_t last = before->has_time ? before->time : ctf_time_of(at);
    struct ctf_view behind = ctf_view_behind(at, length);

    if (next != NULL && behind.bytes == next->bytes &&
        (at.form->is_declared || !is_text(at, length)))
        return true;
    if (next != NULL && !fits(at, last, *next))
        return false;
    if (ctf_is_pure(before) && !ctf_is_memory(at))
        return false;
    if (ctf_is_memory(at) && before->recent_next >= FEW)
        return false; /* of a region that only damage may have made */
    return !ctf_is_memory(at) ||
           (behind.size >= at.form->head_bytes && ctf_event_here(behind) > 0 &&
            (next == NULL || fits(behind, ctf_time_of(at), *next)));
}

/* Return true if the events behind `next` end at the same unknown id. */
static bool recurs(struct ctf_view next, uint64_t id)
{
    size_t length = next.form->head_bytes;

    while (next.size >= next.form->head_bytes &&
           (length = ctf_event_here(next)) > 0 && length <= next.size)
        next = ctf_view_behind(next, length);
    return length == 0 && ctf_id_of(next) == id;
}

size_t ctf_damaged_bytes(struct ctf_view at, const struct ctf_before *before,
                         size_t *unknown)
{
    size_t head = at.form->head_bytes, length, next;
    struct known_regions known = { 0 };
    struct ctf_view behind;
    bool is_other = false;

    *unknown = 0;
    if (at.size > WINDOW)
        at.size = WINDOW;
    length = ctf_event_here(at);
    if (begins_row(at, before, before->has_time))
        return 0;
    next = find_row(at, before, before->has_time);
    known.count =
        before->recent_next < CTF_RECENT ? before->recent_next : CTF_RECENT;
    memcpy(known.events, before->recent, sizeof before->recent);
    if (next < at.size)
        add_known(&known, ctf_view_behind(at, next));
    if (is_known(&known, at))
        return 0;
    for (size_t i = 1; i < next; i++) {
        struct ctf_view here = ctf_view_behind(at, i);

        is_other = ctf_begins_other(here);
        if (is_other || is_known(&known, here))
            next = i;
    }
    behind = ctf_view_behind(at, next);
    if (!before->is_in_step || length > next)
        return next;
    if (length > 0)
        return is_other || is_intact(at, length, before,
                                     behind.size < head ? NULL : &behind)
                   ? 0
                   : next;
    if (is_other || ctf_is_pure(before) || !before->has_time || next < head ||
        behind.size < head || ctf_is_memory(at) || is_text(at, head) ||
        !fits(at, before->time, behind) ||
        (ctf_id_of(at) != before->unknown_id && !recurs(behind, ctf_id_of(at))))
        return next;
    *unknown = next;
    return 0;
}
