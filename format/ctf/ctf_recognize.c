/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_recognize.c - detect the form of a stream from its bytes */
#include "format/ctf/ctf_input.h"

#include <string.h>

#include "format/bytes.h"
#include "format/ctf/ctf_stream.h"

enum {
    VERSIONS = 3,
    ENOUGH_BYTES = 16384,    /* to judge a stream with few memory events */
    ENOUGH_OTHERS = 8,       /* events of a stream without memory events */
    LARGEST_STACK = 1 << 30, /* larger ones are letters, or part of a table */
    ROW_BYTES = 2048,        /* to look for a row in */
};

/* Events that follow one another in a form. */
struct chain {
    size_t bytes;
    unsigned events, memory;
    unsigned vouched; /* memory events that look like real ones */
    unsigned in_row;  /* ... of these before the clock wraps */
    unsigned shape;
    uint64_t elapsed; /* time that passes */
    unsigned reach;   /* 0: not to the last byte; 2: exactly */
};

size_t ctf_text_bytes(const unsigned char *bytes, size_t size)
{
    size_t i = 0;

    while (i < size && (bytes[i] >= ' ' || bytes[i] == '\033' ||
                        (bytes[i] >= '\b' && bytes[i] <= '\r')))
        i++;
    return i;
}

/* Return true if the region can exist: at the low or high end, where 64-bit
   processors have addresses; and a stack has a thread. */
static bool vouches(struct ctf_view at)
{
    struct zpl_event event;
    uint64_t top, size;

    ctf_memory_read(at, &event);
    top = event.memory_addr >> 56;
    size = (uint64_t)event.used + event.unused;
    return (top == 0 || top == 0xff) &&
           (event.memory_region != ZPL_STACK ||
            (event.for_thread_id != 0 && size <= LARGEST_STACK));
}

static struct chain follow(struct ctf_view at)
{
    struct chain chain = { 0 };
    uint64_t last = 0, time;
    size_t length;

    while (at.size > 0) {
        length = ctf_event_here(at);
        if (length == 0 || length > at.size)
            break;
        time = ctf_time_of(at);
        if (chain.events++ > 0)
            chain.elapsed += ctf_elapsed(at.form, last, time);
        last = time;
        if (ctf_is_memory(at)) {
            chain.memory++;
            if (vouches(at)) {
                chain.vouched++;
                chain.in_row += chain.elapsed <= UINT32_MAX;
            }
        }
        chain.bytes += length;
        at = ctf_view_behind(at, length);
    }
    if (at.size == 0)
        chain.reach = 2;
    else if (at.size < CTF_LARGEST_OTHER && length > at.size)
        chain.reach = 1;
    return chain;
}

/* Return the form of a version with Zephyr's events. */
static struct ctf_form form_of(unsigned version)
{
    static const struct ctf_events *const others[] = { NULL, &zephyr_events_1,
                                                       &zephyr_events_2,
                                                       &zephyr_events_3 };
    struct ctf_form form = ctf_form_of(version);

    form.others = others[version];
    return form;
}

/* Return the number of memory events in a row that are no coincidence. Events
   of version 3 state their size as well. */
static unsigned sure_row(const struct ctf_form *form)
{
    return form->bits.bytes > 0 ? 2 : 3;
}

struct candidates {
    const unsigned char *bytes;
    size_t size;
    bool is_ended, is_unknown;
    enum ctf_recognized found;
    struct chain best;
    struct ctf_form *form; /* of the best */
};

/* Chains that are equal in all else are of the usual shape. */
static bool is_better(const struct chain *chain, const struct chain *best)
{
    if (chain->vouched != best->vouched)
        return chain->vouched > best->vouched;
    if (chain->reach != best->reach)
        return chain->reach > best->reach;
    if (chain->elapsed != best->elapsed)
        return chain->elapsed < best->elapsed;
    return chain->shape < best->shape;
}

static void consider(struct candidates *all, const struct ctf_form *form,
                     unsigned shape)
{
    struct chain chain =
        follow((struct ctf_view){ all->bytes, all->size, form });
    bool has_enough = all->is_ended || all->size >= ENOUGH_BYTES;
    bool is_whole = chain.reach > 0 && chain.vouched * 2 > chain.memory;

    chain.shape = shape;
    if (form->memory_bytes == 0) {
        is_whole = chain.reach > 0 && chain.events >= ENOUGH_OTHERS;
        has_enough |= all->size >= ROW_BYTES;
    } else if (chain.in_row >= sure_row(form)) {
        is_whole = has_enough = true;
    }
    if (!has_enough && chain.reach > 0 && all->found != CTF_FOUND)
        all->found = CTF_MORE;
    if (!has_enough || !is_whole)
        return;
    if (all->found == CTF_FOUND && !is_better(&chain, &all->best))
        return;
    all->found = CTF_FOUND;
    all->best = chain;
    *all->form = *form;
}

/* Consider the header of `form` with all shapes of the memory event. */
static void consider_shapes(struct candidates *all, struct ctf_form form)
{
    struct chain others;
    struct ctf_view behind;

    form.memory_bytes = 0;
    others = follow((struct ctf_view){ all->bytes, all->size, &form });
    behind = (struct ctf_view){ all->bytes + others.bytes,
                                all->size - others.bytes, &form };
    if (behind.size < form.head_bytes || !ctf_is_memory(behind)) {
        consider(all, &form, 0);
        return;
    }
    all->is_unknown = true;
    for (unsigned shape = 0; shape < CTF_SHAPES; shape++) {
        if (ctf_form_set_shape(&form, shape))
            consider(all, &form, shape);
    }
}

enum ctf_recognized ctf_recognize(const unsigned char *bytes, size_t size,
                                  bool is_ended, const struct ctf_form *base,
                                  struct ctf_form *form)
{
    struct candidates all = {
        .bytes = bytes,
        .size = size,
        .is_ended = is_ended,
        .form = form,
    };

    if (base != NULL)
        consider_shapes(&all, *base);
    for (unsigned version = 1; base == NULL && version <= VERSIONS; version++)
        consider_shapes(&all, form_of(version));
    return all.found == CTF_NO_EVENTS && all.is_unknown ? CTF_UNKNOWN_SHAPE
                                                        : all.found;
}

/* Find the shape of a row of memory events that begins here. */
static bool find_row(struct ctf_view at, struct ctf_form form,
                     struct ctf_form *found)
{
    const struct ctf_form *known = at.form;
    struct chain chain;
    unsigned most = 0;

    at.form = &form;
    if (at.size < form.head_bytes || !ctf_is_memory(at))
        return false;
    for (unsigned shape = 0; shape < CTF_SHAPES; shape++) {
        if (!ctf_form_set_shape(&form, shape) ||
            (form.layout.version == known->layout.version &&
             form.memory_bytes == known->memory_bytes) ||
            at.size < (size_t)form.memory_bytes * sure_row(&form))
            continue;
        chain = follow(at);
        if (chain.in_row < sure_row(&form) || chain.vouched <= most)
            continue;
        most = chain.vouched;
        *found = form;
    }
    return most > 0;
}

/* Return true if the id of a memory event may be here. */
static bool has_id(const unsigned char *bytes, size_t size)
{
    return size >= CTF_EVENT_SMALLEST &&
           (bytes[4] == ZPL_MEMORY_EVENT_ID_1 ||
            read_u16le(bytes + 12) == ZPL_MEMORY_EVENT_ID_3);
}

bool ctf_begins_row(const unsigned char *bytes, size_t size,
                    struct ctf_form *form)
{
    struct ctf_form known = *form;
    struct ctf_view at = { bytes, size < ROW_BYTES ? size : ROW_BYTES, &known };

    if (!form->is_declared && !has_id(bytes, size))
        return false;
    /* A row of this form is none of another. */
    if (known.memory_bytes > 0 && follow(at).in_row >= sure_row(&known))
        return false;
    if (known.layout.version > 0 && known.memory_bytes == 0 &&
        find_row(at, known, form))
        return true;
    if (known.is_declared)
        return false;
    for (unsigned version = 1; version <= VERSIONS; version++) {
        if (find_row(at, form_of(version), form))
            return true;
    }
    return false;
}

bool ctf_begins_packet(const unsigned char *bytes, size_t size,
                       struct ctf_layout *layout)
{
    struct ctf_packet packet;

    return size >= CTF_PACKET_HEAD && *bytes == (CTF_MAGIC & 0xff) &&
           ctf_packet_read(bytes, &packet, layout) &&
           packet.packet_size / 8 <= size &&
           ctf_packet_read_trailer(bytes, &packet);
}

size_t ctf_find_packet(const unsigned char *bytes, size_t size)
{
    struct ctf_layout layout;
    size_t at = 0;

    while (at < size && !ctf_begins_packet(bytes + at, size - at, &layout))
        at++;
    return at;
}

bool ctf_begins_other(struct ctf_view at)
{
    struct ctf_layout layout;
    struct ctf_form form;

    if (at.form->is_declared)
        return false;
    if (!has_id(at.bytes, at.size))
        return ctf_begins_packet(at.bytes, at.size, &layout);
    form = *at.form;
    return ctf_begins_row(at.bytes, at.size, &form);
}
