/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_sink.h - where a stream of ZPL events goes
 *
 *     struct tally_zpl_sink sink = { .write = send_packet, .context = uart };
 *
 * A sink takes a whole packet (or whole lines of text) or none of it, and never
 * waits: what it has no room for it refuses, and the events are counted as
 * lost.
 */
#ifndef TALLY_ZPL_SINK_H
#define TALLY_ZPL_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* True when all bytes were taken; they are the caller's again afterwards. */
typedef bool (*tally_zpl_sink_fn)(void *context, const void *bytes,
                                  size_t size);

struct tally_zpl_sink {
    tally_zpl_sink_fn write; /* NULL: everything is refused */
    void *context;
};

TALLY_END_DECLS

#endif /* TALLY_ZPL_SINK_H */
