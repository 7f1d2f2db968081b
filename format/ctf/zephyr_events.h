/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zephyr_events.h - events of Zephyr's and Zephelin's own tracing
 *
 * These events lie between ZPL's memory events in a stream of
 * CONFIG_TRACING_CTF.
 */
#pragma once

#include "format/ctf/ctf_event.h"
#include "format/ctf/zpl_event.h"

/* Contents of zephyr.tsdl, zephelin_1.tsdl (layout 1) and zephelin_3.tsdl
   (layout 3 and later). */
extern const char zephyr_tsdl[], zephelin_1_tsdl[], zephelin_3_tsdl[];

enum { ZEPHYR_METADATA_CAPACITY = 32768 }; /* enough for all of them */

/* Write the events as TSDL, to follow ctf_metadata_write()'s types; return the
   length. */
size_t zephyr_metadata_write(char *out, size_t capacity,
                             const struct ctf_layout *layout);

/* Return the table of the events in a stream of this layout, built on first
   use. */
const struct ctf_events *zephyr_events(const struct ctf_layout *layout);
