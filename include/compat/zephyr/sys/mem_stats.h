/* SPDX-License-Identifier: Apache-2.0 */
/* mem_stats.h - tally/mem_stats.h under its Zephyr path */
#include "tally/mem_stats.h"
