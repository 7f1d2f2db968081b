/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata.h - what tells CTF readers how the stream beside it lies
 *
 * The file `metadata` of a trace's folder: TSDL 1.8, self-contained. It names a
 * clock of 1 GHz, the head of packets where there are any, and the one event.
 */
#pragma once

#include "format/ctf/tsdl_writer.h"
#include "format/ctf/zpl_event.h"

enum { CTF_METADATA_CAPACITY = 4096 }; /* is enough without names */

/*
 * Write the text without a NUL and return its length; if that is more than
 * `capacity`, the rest was left out.
 */
size_t ctf_metadata_write(char *out, size_t capacity,
                          const struct ctf_layout *layout,
                          const struct ctf_surroundings *surroundings);
