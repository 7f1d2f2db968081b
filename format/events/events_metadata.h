/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_metadata.h - write the metadata of a stream of events_wire.h
 *
 * This is the file `metadata` in a trace's folder: TSDL 1.8, self-contained.
 * Tally itself reads only the start time from it.
 */
#pragma once

#include "format/ctf/ctf_metadata.h"

enum { EVENTS_METADATA_CAPACITY = 16384 }; /* enough with any path */

/* Write the text without a NUL; return its length. If that exceeds `capacity`,
   the text was truncated. */
size_t events_metadata_write(char *out, size_t capacity,
                             const struct ctf_surroundings *surroundings);
