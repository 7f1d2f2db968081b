/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_damage.c - the best division of damaged bytes into events
 *
 * Every event is worth the bits of evidence that it is no coincidence; each
 * place where events break off costs BREAK bits. The division worth the most is
 * found from the end of the bytes backwards. Of its events of memory those are
 * certain whose region, with the same size and thread, was seen before or
 * occurs twice, and those that lie in step between two others of memory, or the
 * clean ends of the stream. The bytes of any other may come from two events.
 */
#include "format/ctf/ctf_input.h"

enum {
    BREAK = 24,
    NEVER = -(1 << 28), /* value of bytes that are no event */
    STACK = 16,         /* id and region */
    REGION = 32,        /* ... and no thread */
    KNOWN = 24,
    WEAK = 4,
    PACKET = 16,
    SURE_TEXT = 24, /* letters that no damage makes */
    TEXT = 8,       /* letters that are a console's, as are fewer with a
                       newline */
};

static uint32_t *region_of(struct ctf_guess *guess,
                           const struct zpl_event *event, uint32_t *key)
{
    uint64_t hash = event->memory_addr * 4 + event->memory_region;

    hash = (hash ^ (hash >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    hash += (uint64_t)event->used + event->unused;
    hash = (hash ^ (hash >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
    hash += event->for_thread_id;
    hash = (hash ^ (hash >> 32)) * UINT64_C(0x94D049BB133111EB);
    *key = (uint32_t)(hash >> 32) | 1;
    return &guess->regions[hash % CTF_GUESS_REGIONS];
}

void ctf_guess_learn(struct ctf_guess *guess, const struct zpl_event *event)
{
    uint32_t key, *place = region_of(guess, event, &key);

    *place = key;
}

bool ctf_guess_knows(struct ctf_guess *guess, const struct zpl_event *event)
{
    uint32_t key, *place = region_of(guess, event, &key);

    return *place == key;
}

/* Regions that occur twice in these bytes are known from now on. */
static void learn_pairs(struct ctf_guess *guess, struct ctf_view at)
{
    static const uint32_t once[CTF_GUESS_REGIONS];
    struct zpl_event event;
    uint32_t key, *place;

    memcpy(guess->once, once, sizeof once);
    for (; at.size > 0; at.bytes++, at.size--) {
        if (!ctf_is_possible(at, &event))
            continue;
        place = region_of(guess, &event, &key);
        if (guess->once[place - guess->regions] == key)
            *place = key;
        guess->once[place - guess->regions] = key;
    }
}

/* Return the bits of evidence in an event that is not of memory. */
static int32_t weigh_other(struct ctf_view at, size_t size)
{
    struct ctf_view next = { at.bytes + size, at.size - size, at.layout, NULL,
                             false };
    bool is_near = ctf_is_near(at, next);
    size_t head = ctf_layout_head_bytes(at.layout);

    if (at.layout->version == 3)
        return ctf_find_other(at) == NULL ? NEVER : PACKET;
    if (!is_near && ctf_text_bytes(at.bytes, size) >= head)
        return NEVER;
    return (is_near ? WEAK : -WEAK) + (head == 5 ? 0 : 2 * WEAK);
}

static int32_t highest(int32_t one, int32_t other)
{
    return one > other ? one : other;
}

/* Weigh the event at byte `i`; return what it is worth behind other bytes,
   where a weak one is likely a coincidence. */
static int32_t weigh(struct ctf_guess *guess, struct ctf_view at, size_t i,
                     bool is_end)
{
    struct zpl_event event;
    bool is_memory;
    size_t size = ctf_event_size(at, &event, &is_memory);
    size_t zeros = ctf_layout_event_bytes(at.layout);
    int32_t value, end = BREAK;

    guess->event[i] = NEVER;
    if (size > at.size) /* the rest has not come, or is cut off */
        return guess->event[i] = is_end ? -BREAK : 0;
    if (size == 0)
        return NEVER;
    if (!is_memory)
        value = weigh_other(at, size);
    else if ((event.memory_region == ZPL_STACK && event.for_thread_id == 0) ||
             (uint64_t)event.used + event.unused > CTF_LARGEST_REGION)
        value = WEAK;
    else
        value = event.memory_region == ZPL_STACK ? STACK : REGION;
    if (value == NEVER)
        return NEVER;
    if (is_memory && ctf_guess_knows(guess, &event))
        value += KNOWN;
    if (at.size - size >= zeros && bytes_are_zero(at.bytes + size, zeros))
        end = 0;
    guess->event[i] =
        value + highest(guess->event[i + size], guess->skipped[i + size] - end);
    return guess->event[i] - (value <= WEAK ? 2 * WEAK : 0);
}

/* Return the number of bytes behind events that are no damage: unwritten zeros,
   or a console's output. */
static size_t clean_bytes(struct ctf_view at)
{
    size_t length = ctf_layout_event_bytes(at.layout), zeros = 0, text;

    while (zeros < at.size && at.bytes[zeros] == 0)
        zeros++;
    if (zeros >= length || at.is_declared)
        return zeros >= length ? zeros : 0;
    text = ctf_ascii_bytes(at.bytes, at.size);
    return text >= TEXT || memchr(at.bytes, '\n', text) != NULL ? text : 0;
}

/* Mark the events that are certain. */
static void mark(struct ctf_guess *guess, struct ctf_view at, bool is_end,
                 bool is_in_step, bool is_anchored)
{
    bool none,
        *open = &none; /* event of an unknown region, until it is certain */
    size_t i = 0, size = 0, clean_end = is_anchored ? SIZE_MAX : 0;
    struct zpl_event event;
    bool is_memory;

    memset(guess->is_event, 0, sizeof guess->is_event);
    for (; i < at.size; i += size) {
        struct ctf_view here = ctf_view_from(at, i);

        size = 1;
        if (is_in_step && ctf_begins_other_layout(here))
            return;
        if (is_in_step ? guess->event[i] < guess->skipped[i] - BREAK ||
                             guess->event[i] < NEVER / 2
                       : guess->skipped[i] == guess->skipped[i + 1]) {
            if (is_in_step) {
                clean_end = i + clean_bytes(here);
                if (clean_end - i >= SURE_TEXT)
                    open = &none;
            }
            is_in_step = false;
            continue;
        }
        if (!is_in_step && i > clean_end)
            *open = is_anchored = false;
        is_in_step = true;
        size = ctf_event_size(here, &event, &is_memory);
        guess->is_event[i] = size <= here.size || !is_end;
        if (size > here.size) {
            if (is_end && !ctf_is_memory_id(here))
                *open = false;
            return;
        }
        if (!is_memory)
            continue;
        open = &none;
        if (!ctf_guess_knows(guess, &event)) {
            guess->is_event[i] = is_anchored;
            open = is_anchored ? &guess->is_event[i] : open;
        }
        is_anchored = true;
    }
    if (!is_in_step && i > clean_end)
        *open = false;
}

void ctf_guess_open(struct ctf_guess *guess, struct ctf_view at, bool is_end,
                    bool is_in_step, bool is_anchored)
{
    size_t i = at.size;
    int32_t value;

    learn_pairs(guess, at);
    guess->event[i] = guess->skipped[i] = 0;
    while (i-- > 0) {
        value = weigh(guess, ctf_view_from(at, i), i, is_end);
        guess->skipped[i] = highest(value, guess->skipped[i + 1]);
    }
    mark(guess, at, is_end, is_in_step, is_anchored);
}
