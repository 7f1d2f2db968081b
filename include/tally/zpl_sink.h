/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_sink.h - the destination of a stream of ZPL events
 *
 *     struct tally_zpl_sink sink = { .write = send_packet, .context = uart };
 *
 * A sink accepts a whole packet (or whole lines of text) or none of it, and
 * never waits. It refuses data it has no room for; those events are counted as
 * lost.
 */
#ifndef TALLY_ZPL_SINK_H
#define TALLY_ZPL_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* Write the bytes. Return true if all were accepted; the caller may then reuse
   them. */
typedef bool (*tally_zpl_sink_fn)(void *context, const void *bytes,
                                  size_t size);

struct tally_zpl_sink {
    tally_zpl_sink_fn write; /* NULL: refuse everything */
    void *context;
};

TALLY_END_DECLS

#endif /* TALLY_ZPL_SINK_H */
