/* SPDX-License-Identifier: Apache-2.0 */
/* mem_stats.h - where Zephyr has what tally/mem_stats.h declares */
#include "tally/mem_stats.h"
