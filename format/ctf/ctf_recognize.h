/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_recognize.h - detect the layout of a stream from its bytes */
#pragma once

#include "format/ctf/ctf_event.h"
#include "format/ctf/zpl_event.h"

enum { OTHER_RUN = 3 };

/*
 * Find the layout that explains the most of the first `window` bytes; store it
 * in *layout. Return the number of bytes that are its events; 0: there are
 * none.
 */
size_t ctf_recognize(const unsigned char *bytes, size_t size, size_t window,
                     struct ctf_layout *layout);

/* Return the offset of the first complete packet of Tally's with a valid sum,
   or `size`. */
size_t ctf_find_packet(const unsigned char *bytes, size_t size);

/* `size` bytes, read in this layout, possibly with these other events. */
struct ctf_view {
    const unsigned char *bytes;
    size_t size;
    const struct ctf_layout *layout;
    const struct ctf_events *others;
};

/*
 * Return true if an event begins here in a bare stream that may contain other
 * bytes: it looks like one, and so do the following bytes, or it could hardly
 * be anything else. With fewer bytes than two events have, looking like one is
 * enough.
 */
bool ctf_is_event(struct ctf_view at);

/* Return the event whose header is here; NULL if its id is unknown or that of
   memory. */
const struct ctf_event *ctf_find_other(struct ctf_view at);

/* Return the number of bytes from here on that are console output. */
size_t ctf_text_bytes(const unsigned char *bytes, size_t size);

/* Knowledge about the bytes before an event. */
struct ctf_before {
    uint32_t time; /* time of the last event, */
    bool has_time; /* ... if there was one */
    bool is_sure;  /* many came in a row: the next may be much later */
    bool is_lost;  /* the start of events is unknown: only a long run is
                      trusted */
};

/* Like ctf_is_event(), but also accept a single event soon after the last
   one. */
bool ctf_is_event_behind(struct ctf_view at, const struct ctf_before *before);

/*
 * Return the size of an event of another kind that begins here in a bare
 * stream, or that its packet states; 0: there is none. A result above the
 * available size asks for more bytes.
 */
size_t ctf_other_bytes(struct ctf_view at, const struct ctf_before *before);

/*
 * Return the size of an event that has the id of a memory event but is another:
 * events follow at its end, and none at the end of a memory event. Else return
 * 0.
 */
size_t ctf_misnamed_bytes(struct ctf_view at);

/*
 * Return true, and set *layout, if OTHER_RUN consecutive events or a complete
 * packet begin here in another layout than *layout. With `is_strict` the
 * version must differ: events of a damaged packet are not those of a bare
 * stream.
 */
bool ctf_is_other_layout(const unsigned char *bytes, size_t size,
                         struct ctf_layout *layout, bool is_strict);
