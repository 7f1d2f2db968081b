/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_recognize.h - which layout a stream is in, from its bytes alone
 */
#pragma once

#include "format/ctf/ctf_event.h"
#include "format/ctf/zpl_event.h"

enum { OTHER_RUN = 3 };

/*
 * Look for events in any layout. Returns how many of the first `window` bytes
 * are events in the layout that explains most, which `layout` then is; 0: there
 * are none.
 */
size_t ctf_recognize(const unsigned char *bytes, size_t size, size_t window,
                     struct ctf_layout *layout);

/*
 * Where the first whole packet of Tally's begins, its sum looked at, or `size`
 * when there is none.
 */
size_t ctf_find_packet(const unsigned char *bytes, size_t size);

/* What is here: `size` bytes, read in this layout, where these `others` may
   be. */
struct ctf_view {
    const unsigned char *bytes;
    size_t size;
    const struct ctf_layout *layout;
    const struct ctf_events *others;
};

/*
 * Whether an event begins here in a bare stream that other bytes may be in: it
 * looks like one, and so does what follows, or it could hardly be anything
 * else. Of fewer bytes than two events have it is trusted.
 */
bool ctf_is_event(struct ctf_view at);

/* The event whose head is here; NULL: not known, as the one of memory is. */
const struct ctf_event *ctf_find_other(struct ctf_view at);

/* How many bytes from here on are what a console shows. */
size_t ctf_text_bytes(const unsigned char *bytes, size_t size);

/* What is known before an event. */
struct ctf_before {
    uint32_t time; /* of the last one, */
    bool has_time; /* ... if there was one */
    bool is_sure;  /* many came in a row: the next may be long after them */
    bool is_lost;  /* it may begin anywhere: it takes many in a row to say so */
};

/* ctf_is_event(), or one alone that comes soon after the last one. */
bool ctf_is_event_behind(struct ctf_view at, const struct ctf_before *before);

/*
 * Bytes of the event of another kind that begins here in a bare stream, or of
 * one that its packet tells; 0: there is none. More than there are: it takes
 * more to know.
 */
size_t ctf_other_bytes(struct ctf_view at, const struct ctf_before *before);

/*
 * Bytes of the event whose id says that it is of memory when it is another one:
 * events follow it where that would end, and none where one of memory does. Or
 * 0.
 */
size_t ctf_misnamed_bytes(struct ctf_view at);

/*
 * Whether OTHER_RUN events in a row, or a whole packet, begin here in another
 * layout than `layout`, which it then becomes. With `is_strict` the version,
 * too, must be another: events of a damaged packet are none of a bare stream.
 */
bool ctf_is_other_layout(const unsigned char *bytes, size_t size,
                         struct ctf_layout *layout, bool is_strict);
