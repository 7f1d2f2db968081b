/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_recognize.c - detect the layout of a stream from its bytes */
#include "format/ctf/ctf_input.h"

enum {
    OTHER_RUN = 3,    /* consecutive events of memory show another layout, */
    SURE_MEMORY = 4,  /* ... and the first one, */
    SURE_EVENTS = 16, /* ... as do events of any kind */
    STRANGE = 4,      /* events of memory that no event follows, */
    DENSE = 1024,     /* ... with one of them in so many bytes */
    LINKED = 4096,    /* of so many bytes, or of all, a sixteenth is events */
    ROUND = 64,       /* events of memory, not of stacks alone */
};

/* A stack of no thread: in another layout each region may look like one. */
static bool is_doubtful(const struct zpl_event *event)
{
    return event->memory_region == ZPL_STACK && event->for_thread_id == 0;
}

/* Return true if three consecutive events of memory begin here. */
static bool is_memory_run(const unsigned char *bytes, size_t size,
                          const struct ctf_layout *layout)
{
    size_t length = ctf_layout_event_bytes(layout);
    struct ctf_view at = { bytes, length, layout, NULL, false };
    struct zpl_event event;
    unsigned row = 0;

    while (row < OTHER_RUN && size >= (row + 1) * length &&
           ctf_is_possible(at, &event) && !is_doubtful(&event))
        at.bytes = bytes + ++row * length;
    return row == OTHER_RUN;
}

bool ctf_is_other_layout(const unsigned char *bytes, size_t size,
                         struct ctf_layout *layout)
{
    struct ctf_layout other;
    struct ctf_packet packet;
    size_t known = 0;

    if (!layout->has_packets && size >= CTF_PACKET_HEAD &&
        ctf_packet_read(bytes, &packet, &other) &&
        packet.packet_size / 8 <= size &&
        ctf_packet_read_trailer(bytes, &packet)) {
        *layout = other;
        return true;
    }
    /* Stacks alone may be events of two layouts of one size. */
    if (!layout->has_packets && is_memory_run(bytes, size, layout))
        known = ctf_layout_event_bytes(layout);
    for (unsigned i = 0; i < ZPL_USUAL_LAYOUTS; i++) {
        const struct ctf_layout usual = zpl_natural_layout(i);

        if (ctf_layout_event_bytes(&usual) != known &&
            is_memory_run(bytes, size, &usual)) {
            *layout = usual;
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

/* Events that follow each other. */
struct run {
    size_t bytes, memory_bytes; /* of all, and up to the last one of memory */
    unsigned events;
    int memory;     /* events of memory, less doubtful ones */
    bool is_broken; /* other bytes follow, not the end */
};

/* Measure the events that begin here, up to `most` of memory. */
static struct run run_from(struct ctf_view at, int most)
{
    struct run run = { 0 };
    struct zpl_event event;
    bool is_memory;

    while (at.size > 0 && run.memory < most) {
        size_t size = ctf_event_size(at, &event, &is_memory);

        run.is_broken = size == 0 || run.memory <= -SURE_MEMORY;
        if (run.is_broken || size > at.size)
            break;
        run.bytes += size;
        run.events++;
        if (is_memory) {
            run.memory += is_doubtful(&event) ? -1 : 1;
            run.memory_bytes = run.bytes;
        }
        at = ctf_view_from(at, size);
    }
    return run;
}

/* Events of memory anywhere among the bytes */
struct scan {
    unsigned memory, doubtful;
    unsigned links; /* ... that others of memory follow in step; packets that
                       state their sizes count twice, */
    size_t bytes;   /* ... and in how many bytes */
};

static struct scan scan(struct ctf_view at)
{
    uint16_t id = zpl_memory_id(at.layout);
    size_t id_at =
        ctf_layout_head_bytes(at.layout) - (at.layout->version == 1 ? 1 : 2);
    bool is_sized = at.layout->version == 3;
    struct scan scan = { 0 };
    struct zpl_event event;

    while (at.size > id_at) {
        const unsigned char *found =
            memchr(at.bytes + id_at, id & 0xff, at.size - id_at);

        if (found == NULL)
            break;
        at = ctf_view_from(at, (size_t)(found - at.bytes) - id_at);
        if (ctf_is_possible(at, &event)) {
            struct run run = run_from(at, 2);

            scan.memory++;
            scan.doubtful += is_doubtful(&event);
            if (run.memory == 2) {
                scan.links += is_sized ? 2 : 1;
                scan.bytes += is_sized ? LINKED : run.bytes / 2;
            }
        }
        at = ctf_view_from(at, 1);
    }
    return scan;
}

static int region_at(const struct ctf_layout *layout)
{
    return layout->shape == NULL ? (int)ctf_layout_head_bytes(layout)
                                 : layout->shape->memory_region.at;
}

/* Return the bytes of an event that are no field's, and show nothing. */
static int padding(const struct ctf_layout *layout)
{
    const struct zpl_shape *shape = layout->shape;

    return shape == NULL
               ? 0
               : shape->bytes - shape->head - shape->memory_region.bytes -
                     shape->memory_addr.bytes - 12;
}

/* Return how many events of memory are doubtful in a layout. */
static unsigned doubts(struct ctf_view at, const struct ctf_layout *layout)
{
    at.layout = layout;
    at.others = zephyr_events(layout);
    return scan(at).doubtful;
}

/* Tell whether the layout of the view is likelier than the best so far. Of two
   with as many events of memory, one may swallow some of them as parts of
   others, or take bytes of fields for padding: heaps look like stacks then. */
static bool is_likelier(struct ctf_view at, const struct run *run,
                        const struct run *best, const struct ctf_layout *so_far)
{
    unsigned doubtful, doubtful_so_far;

    if (run->memory != best->memory)
        return run->memory > best->memory;
    if (run->memory < SURE_MEMORY)
        return run->bytes > best->bytes;
    if (run->memory_bytes != best->memory_bytes)
        return run->memory_bytes < best->memory_bytes;
    doubtful = doubts(at, at.layout);
    doubtful_so_far = doubts(at, so_far);
    if (doubtful != doubtful_so_far)
        return doubtful < doubtful_so_far;
    if (padding(at.layout) != padding(so_far))
        return padding(at.layout) < padding(so_far);
    return run->bytes > best->bytes;
}

/* Return true if a layout with fields elsewhere has as many events. */
static bool has_rival(struct ctf_view at, struct ctf_layout best, int memory)
{
    struct ctf_layout rival;

    at.layout = &rival;
    for (unsigned i = 0; (rival = zpl_natural_layout(i)).version != 0; i++) {
        at.others = zephyr_events(&rival);
        if ((region_at(&rival) != region_at(&best) ||
             rival.address_bytes != best.address_bytes) &&
            run_from(at, ROUND).memory == memory)
            return true;
    }
    return false;
}

enum ctf_finding ctf_recognize(const unsigned char *bytes, size_t size,
                               bool is_end, struct ctf_layout *layout)
{
    struct ctf_view at = { bytes, size, NULL, NULL, false };
    unsigned most_memory = 0, most_links = 0;
    int second = 0;
    struct scan seen;
    bool is_alone, is_short;
    struct run run, longest = { .is_broken = true };
    struct ctf_layout natural;
    struct ctf_packet packet;
    size_t head = ctf_find_packet(bytes, size);

    /* Whole or truncated packet: bytes before it are skipped. */
    if (find_head(bytes, head < size ? head : 0, size, &packet, layout) < size)
        return CTF_FOUND;
    at.layout = &natural;
    *layout = zpl_natural_layout(0);
    for (unsigned i = 0; (natural = zpl_natural_layout(i)).version != 0; i++) {
        at.others = zephyr_events(&natural);
        run = run_from(at, ROUND);
        if (is_likelier(at, &run, &longest, layout)) {
            second = longest.memory;
            longest = run;
            *layout = natural;
        } else if (run.memory > second) {
            second = run.memory;
        }
    }
    if (!is_end && size < CTF_GUESS_BYTES && longest.memory > 0 &&
        has_rival(at, *layout, longest.memory))
        return CTF_UNDECIDED;
    /* At the end two events suffice, if they are none in other layouts, or one
       that is all of the stream. Short ones of other kinds show little. */
    is_alone = longest.events == (unsigned)longest.memory;
    is_short = longest.memory < 2 && longest.events < SURE_EVENTS / 2;
    if (longest.memory >= SURE_MEMORY || longest.events >= SURE_EVENTS ||
        (is_end && !longest.is_broken &&
         (longest.memory >
              second + (is_short || (longest.bytes < size && !is_alone)) ||
          (longest.bytes == size && longest.events == 1 &&
           layout->shape == NULL))))
        return CTF_FOUND;
    if (!is_end && size < CTF_GUESS_BYTES)
        return CTF_NOTHING;
    for (unsigned i = 0; (natural = zpl_natural_layout(i)).version != 0; i++) {
        at.others = zephyr_events(&natural);
        seen = scan(at);
        if (seen.links > most_links &&
            seen.bytes >= (size < LINKED ? size : LINKED) / 16) {
            most_links = seen.links;
            *layout = natural;
        }
        if (seen.memory > most_memory)
            most_memory = seen.memory;
    }
    if (most_links > 1)
        return CTF_FOUND;
    return most_memory >= STRANGE && most_memory >= size / DENSE ? CTF_STRANGE
                                                                 : CTF_NOTHING;
}
