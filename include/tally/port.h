/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.h - the functions that a platform supplies
 *
 *     uint64_t tally_port_time_ns(void)
 *     {
 *         return read_cycle_counter() * 1000 / cycles_per_us;
 *     }
 *
 * The complete interface between Tally's core and its platform, split by
 * subject. A port is one folder under ports/ that defines these functions;
 * tests supply a fake port.
 *
 * The core calls them inside the program's allocator: they must not allocate
 * through a hooked allocator or change errno, and only tally_port_console()
 * prints. Functions marked "Hosts only" do not exist on firmware.
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
