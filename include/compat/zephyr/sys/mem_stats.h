/* SPDX-License-Identifier: Apache-2.0 */
/* mem_stats.h - where Zephyr has what tally/mem_stats.h declares */
#ifndef TALLY_COMPAT_ZEPHYR_SYS_MEM_STATS_H
#define TALLY_COMPAT_ZEPHYR_SYS_MEM_STATS_H

#include "tally/mem_stats.h"

#endif /* TALLY_COMPAT_ZEPHYR_SYS_MEM_STATS_H */
