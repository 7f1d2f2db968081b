/* SPDX-License-Identifier: Apache-2.0 */
/* timing.h - the clock of Zephyr's own events since 4.5 */
#pragma once

#include <stdint.h>

uint64_t timing_ns_get(void);
