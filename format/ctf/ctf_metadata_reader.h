/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata_reader.h - read the metadata of a CTF stream
 *
 * The metadata may be Tally's or another program's, with other events besides.
 * The reader supports the part of TSDL that describes the bounds and fields of
 * events: integers, enums, floating point, structs, arrays, sequences whose
 * length is an earlier field, and strings as fields. Events with other types
 * are left out of the list.
 */
#pragma once

#include "format/ctf/ctf_event.h"
#include "format/ctf/ctf_metadata.h"
#include "format/ctf/zpl_event.h"

struct ctf_metadata_facts {
    struct ctf_layout layout;
    uint64_t clock_hertz;     /* 1 to 10^9; default 10^9 */
    struct text_view program; /* length 0: unknown */
    uint64_t load_address;
    uint64_t sample_interval; /* bytes, format/events/events_metadata.h; 0:
                                 unknown */
    struct ctf_events others; /* events of the stream other than zpl_memory */
};

/*
 * Read the metadata; names point into `text`. Return false if there is no event
 * "zpl_memory", or its fields, their order or its enum match none of the
 * layouts. Zephyr's own metadata, which lack the event, are accepted.
 */
bool ctf_metadata_read(const char *text, size_t size,
                       struct ctf_metadata_facts *facts);

/* Return 1 and the next name in the file, or 0 at the end. `*position` starts
   at 0. */
int ctf_metadata_next_name(const char *text, size_t size, size_t *position,
                           enum ctf_named *what, uint64_t *number,
                           struct text_view *name);
