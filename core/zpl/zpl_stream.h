/* SPDX-License-Identifier: Apache-2.0 */
/* zpl_stream.h - the stream of ZPL events: functions for hosts */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ctf/zpl_event.h"
#include "tally/config.h"
#include "tally/zpl.h"

/* Format by configuration; a build by Kconfig has no other. */
enum {
    ZPL_TEXT_IS_CONFIGURED = TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT) ||
                             !TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_CTF),
    ZPL_FORMAT_IS_FIXED = TALLY_CONFIG(CONFIG_TALLY_KCONFIG),
    ZPL_HAS_NO_NAMES =
        ZPL_FORMAT_IS_FIXED &&
        (ZPL_TEXT_IS_CONFIGURED || TALLY_CONFIG(CONFIG_TALLY_ZPL_PACKETS)),
};

/* Return true if the stream is text. zpl_stream_layout() returns the layout of
   a binary one. */
static inline bool zpl_stream_is_text(const struct tally_zpl_stream *stream)
{
    return ZPL_FORMAT_IS_FIXED || stream->format == TALLY_ZPL_CONFIGURED
               ? ZPL_TEXT_IS_CONFIGURED
               : stream->format == TALLY_ZPL_PLAINTEXT;
}

static inline struct ctf_layout
zpl_stream_layout(const struct tally_zpl_stream *stream)
{
    uint8_t version =
        stream->layout == 0 ? CONFIG_ZPL_CTF_LAYOUT : stream->layout;

    return (struct ctf_layout){
        .version = version,
        .address_bytes = sizeof(uintptr_t),
        .has_packets =
            !zpl_stream_is_text(stream) && !stream->is_bare && version < 3,
    };
}

/* Return true if names are sent in this round of a stream, from 0: soon, and
   again for late readers. */
static inline bool zpl_stream_names_are_due(uint32_t round)
{
    enum { EVERY = 16 };

    return round % EVERY == 0 || (round < EVERY && (round & (round - 1)) == 0);
}

/* Send the stream's metadata within the stream, if it has packets: `packet` as
   in ctf_writer_describe(). */
void zpl_stream_describe(void *packet, uint32_t size);

/* Reset a forked child, on hosts: no stream is open, and the lock is free. */
void zpl_stream_forked(void);
