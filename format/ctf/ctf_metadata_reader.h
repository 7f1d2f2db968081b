/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata_reader.h - what a metadata file says of the stream beside it
 *
 * Of Tally's own files or another's, whatever else is traced in it: as much of
 * TSDL as tells where events begin and end, and what their fields are. Types
 * are integers, enums, floating point, structs, arrays of these and sequences
 * whose length is an earlier field, and strings as fields; an event with others
 * is left out of the list.
 */
#pragma once

#include "format/ctf/ctf_event.h"
#include "format/ctf/ctf_metadata.h"
#include "format/ctf/zpl_event.h"

struct ctf_metadata_facts {
    struct ctf_layout layout;
    uint64_t clock_hertz;     /* 1 to 10^9; not said: 10^9 */
    struct text_view program; /* length 0: not said */
    uint64_t load_address;
    uint64_t sample_interval; /* format/events/events_metadata.h; 0: not said */
    struct ctf_events others; /* of the stream, besides zpl_memory */
};

/*
 * Read it all; names stay in `text`. False when it has no event "zpl_memory",
 * or one that lies in none of the layouts: other fields, another order, other
 * values of the enum. Zephyr's own, which has none, is taken as if it had.
 */
bool ctf_metadata_read(const char *text, size_t size,
                       struct ctf_metadata_facts *facts);

/*
 * The next name that the file gives, from `*position` 0 on: 1, or 0 when there
 * are no more.
 */
int ctf_metadata_next_name(const char *text, size_t size, size_t *position,
                           enum ctf_named *what, uint64_t *number,
                           struct text_view *name);
