/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_regions.h - every stack, heap, k_heap and slab, as events
 */
#ifndef TALLY_CORE_ZPL_REGIONS_H
#define TALLY_CORE_ZPL_REGIONS_H

#include <stdint.h>

/* One event for each region there is, in ZPL's order. Returns how many;
   `*unseen` is how many threads have stacks that cannot be found. */
uint32_t zpl_regions_emit(uint32_t *unseen);

#endif /* TALLY_CORE_ZPL_REGIONS_H */
