/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_event.h - one ZPL memory event, whatever form it came in or goes out in
 *
 * The fields of tally/zpl_event.h's list, at a width that holds all layouts,
 * and the time without a wrap.
 */
#ifndef TALLY_FORMAT_ZPL_EVENT_H
#define TALLY_FORMAT_ZPL_EVENT_H

#include <stdint.h>

#include "tally/zpl_event.h"

enum { ZPL_REGION_COUNT = 4 };

/* The time of an event that came without one: a line of text. */
#define ZPL_EVENT_NO_TIME UINT64_MAX

struct zpl_event {
    uint64_t time_ns; /* since the zero of the writer's clock */
    uint64_t memory_addr;
    uint32_t used, unused; /* bytes */
    uint32_t for_thread_id;
    uint8_t memory_region; /* enum zpl_memory_region, below ZPL_REGION_COUNT */
};

#endif /* TALLY_FORMAT_ZPL_EVENT_H */
