/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zephyr_events.h - the events of Zephyr's own tracing, and Zephelin's
 *
 * What stands between ZPL's memory events in a stream of CONFIG_TRACING_CTF.
 */
#pragma once

#include "format/ctf/ctf_event.h"
#include "format/ctf/zpl_event.h"

/* What zephyr.tsdl, zephelin_1.tsdl (layout 1) and zephelin_3.tsdl (from 3 on)
   hold. */
extern const char zephyr_tsdl[], zephelin_1_tsdl[], zephelin_3_tsdl[];

enum { ZEPHYR_METADATA_CAPACITY = 32768 }; /* is enough */

/*
 * Write them as TSDL, which needs ctf_metadata_write()'s types before it, and
 * return its length.
 */
size_t zephyr_metadata_write(char *out, size_t capacity,
                             const struct ctf_layout *layout);

/* The table of them all in a stream of this layout; made when first asked
   for. */
const struct ctf_events *zephyr_events(const struct ctf_layout *layout);
