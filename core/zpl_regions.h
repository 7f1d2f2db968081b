/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_regions.h - every stack, heap, k_heap and slab, as events
 */
#ifndef TALLY_CORE_ZPL_REGIONS_H
#define TALLY_CORE_ZPL_REGIONS_H

#include <stdint.h>

/* One event for each region there is, in ZPL's order. Returns how many. */
uint32_t zpl_regions_emit(void);

#endif /* TALLY_CORE_ZPL_REGIONS_H */
