/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_wire.h - a ZPL event as bytes, field by field, in any layout
 *
 * The bytes are those of tally/zpl_event.h's structs on a little-endian target
 * with addresses of that width, whatever this machine has.
 */
#ifndef TALLY_FORMAT_ZPL_WIRE_H
#define TALLY_FORMAT_ZPL_WIRE_H

#include <stdbool.h>

#include "format/ctf/ctf_layout.h"
#include "format/ctf/zpl_event.h"

/*
 * Write ctf_layout_event_bytes() bytes, with `time_ns` for the event's. Where the
 * time has 32 bits on the wire the upper ones are left out, and so are an
 * address's.
 */
void zpl_wire_write(unsigned char *out, const struct ctf_layout *layout,
                    const struct zpl_event *event, uint64_t time_ns);

/*
 * Read as many. The time is what is on the wire: with 32 bits the caller adds
 * the rest. False when these bytes cannot be an event of this layout: another
 * id, no such region, or a thread's id where there is no stack; `event` is then
 * not to be used.
 */
bool zpl_wire_read(const unsigned char *bytes, const struct ctf_layout *layout,
                   struct zpl_event *event);

#endif /* TALLY_FORMAT_ZPL_WIRE_H */
