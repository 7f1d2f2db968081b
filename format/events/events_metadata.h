/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_metadata.h - what tells CTF readers how a stream of events_wire.h lies
 *
 * The file `metadata` in the folder of a trace: TSDL 1.8, self-contained. Tally
 * itself needs only the stream, and from here when it was.
 */
#pragma once

#include "format/ctf/ctf_metadata.h"

enum { EVENTS_METADATA_CAPACITY = 16384 }; /* is enough, with any path */

/*
 * Write the text without a NUL and return its length; if that is more than
 * `capacity`, the rest was left out.
 */
size_t events_metadata_write(char *out, size_t capacity,
                             const struct ctf_surroundings *surroundings);
