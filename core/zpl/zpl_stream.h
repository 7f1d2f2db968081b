/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_stream.h - the one stream of ZPL events, as the profiler sees it
 */
#ifndef TALLY_CORE_ZPL_STREAM_H
#define TALLY_CORE_ZPL_STREAM_H

#include <stdint.h>

#include "tally/zpl.h"

/* The profiler's time, as packets state it from now on. */
void zpl_stream_set_profiler_us(uint32_t profiler_us);

/* The figures that the stream knows: events, discarded, packets. */
void zpl_stream_figures(struct tally_zpl_figures *figures);

/*
 * Send the stream's metadata in the stream, if that is of packets: `packet` as
 * ctf_writer_describe() takes it.
 */
void zpl_stream_describe(void *packet, uint32_t size);

/* In a forked child, on hosts: no stream is open, and the lock is free. */
void zpl_stream_forked(void);

#endif /* TALLY_CORE_ZPL_STREAM_H */
