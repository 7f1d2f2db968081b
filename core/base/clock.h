/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the port's clock, which never goes back here */
#pragma once

#include <stdint.h>

#include "tally/config.h"
#include "tally/port.h"

/* Return the port's time, or the latest one returned before if that is later.
   The clock of an operating system never goes back. */
#if TALLY_HAS(OS)
#define tally_time_ns() tally_port_time_ns()
#else
uint64_t tally_time_ns(void);
#endif
