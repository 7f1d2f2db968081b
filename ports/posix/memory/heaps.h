/* SPDX-License-Identifier: Apache-2.0 */
/* heaps.h - libc's arenas */
#pragma once

#include "tally/port.h"

/* Call `tell` for each arena, and for all mapped blocks as one. */
void heaps_each_region(tally_port_region_fn tell, void *context);
