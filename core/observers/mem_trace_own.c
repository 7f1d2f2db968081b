/* SPDX-License-Identifier: Apache-2.0 */
/* mem_trace_own.c - the trace's state, outside the recorder */
#include <stddef.h>

#include "core/observers/mem_trace.h"
#include "tally/port.h"

static uint32_t lock;

struct mem_trace mem_trace_own = {
    .lock = &lock,
#if __STDC_HOSTED__
    .thread = tally_port_thread,
#endif
    .descriptor = 1,
};
