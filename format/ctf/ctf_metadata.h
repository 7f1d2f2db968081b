/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata.h - write the metadata of a ZPL stream
 *
 * This is the file `metadata` in a trace's folder: TSDL 1.8, self-contained. It
 * declares a clock of 1 GHz, the packet header if the stream has packets, and
 * the event.
 */
#pragma once

#include "format/ctf/tsdl_writer.h"
#include "format/ctf/zpl_event.h"

enum { CTF_METADATA_CAPACITY = 4096 }; /* enough for metadata without names */

/* Write the text without a NUL; return its length. If that exceeds `capacity`,
   the text was truncated. */
size_t ctf_metadata_write(char *out, size_t capacity,
                          const struct ctf_layout *layout,
                          const struct ctf_surroundings *surroundings);
