/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_stream.h - the one stream of ZPL events, for hosts
 */
#pragma once

#include <stdint.h>

#include "tally/zpl.h"

/*
 * Send the stream's metadata in the stream, if that is of packets: `packet` as
 * ctf_writer_describe() takes it.
 */
void zpl_stream_describe(void *packet, uint32_t size);

/* In a forked child, on hosts: no stream is open, and the lock is free. */
void zpl_stream_forked(void);
