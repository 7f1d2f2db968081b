/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_ram.h - keep a stream of ZPL events in memory for a debugger
 *
 *     static unsigned char trace[8192];
 *     ...
 *     stream.sink = tally_zpl_ram_open(trace, sizeof trace);
 *
 * and later, in gdb,
 *
 *     dump binary memory FILE tally_zpl_ram.bytes \
 *         tally_zpl_ram.bytes+tally_zpl_ram.size
 *
 * When the buffer is full, further packets are dropped and counted.
 */
#ifndef TALLY_ZPL_RAM_H
#define TALLY_ZPL_RAM_H

#include <stdint.h>

#include "tally/zpl_sink.h"

TALLY_BEGIN_DECLS

struct tally_zpl_ram {
    unsigned char *bytes;
    uint32_t capacity;
    uint32_t size;    /* bytes of whole packets in the buffer */
    uint32_t refused; /* packets dropped */
};

extern struct tally_zpl_ram tally_zpl_ram;

/* Return the sink; earlier contents are discarded. Set `size` to 0 to empty
   it. */
struct tally_zpl_sink tally_zpl_ram_open(void *bytes, uint32_t capacity);

TALLY_END_DECLS

#endif /* TALLY_ZPL_RAM_H */
