/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.h - what a platform supplies
 *
 *     uint64_t tally_port_time_ns(void)
 *     {
 *         return read_cycle_counter() * 1000 / cycles_per_us;
 *     }
 *
 * The whole contract between Tally's core and the machine it runs on, by
 * subject. A port is one folder under ports/ that defines these functions;
 * tests supply a fake one.
 *
 * The core calls them from inside other people's allocators: none of them may
 * allocate through a hooked allocator or change errno, and only
 * tally_port_console() prints. Functions that say "Hosts only" are absent on
 * firmware.
 */
#ifndef TALLY_PORT_H
#define TALLY_PORT_H

#include <stdbool.h> /* for sources of ports and core */
#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

#include "tally/port/memory.h"
#include "tally/port/output.h"
#include "tally/port/program.h"
#include "tally/port/regions.h"
#include "tally/port/threads.h"
#include "tally/port/waiting.h"

TALLY_END_DECLS

#endif /* TALLY_PORT_H */
