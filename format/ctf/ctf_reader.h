/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_reader.h - ZPL events out of a CTF stream, in any layout, damaged or not
 *
 * Used as byte_stream.h shows. Whatever the bytes are: they are only read, in
 * constant memory, and what is no event is skipped and counted. Zephyr's own
 * events, or those of the metadata, may stand between, and a stream of another
 * layout may follow. In Tally's packets every damaged one is known as such and
 * left out whole. In a bare stream damage shows where an event no longer looks
 * like one; reading goes on with the next that does.
 *
 * Times are made whole: in packets from the packet's, in a bare stream by
 * adding up the steps, of which each is taken to be below 2^32 ns.
 */
#pragma once

#include "format/byte_stream.h"
#include "format/ctf/ctf_metadata_reader.h"
#include "format/ctf/ctf_packet.h"
#include "format/ctf/zpl_event.h"

enum { CTF_READER_CAPACITY = 2 * CTF_PACKET_LIMIT };

/* The fields before `facts` may be read at any time; the rest is private. */
struct ctf_reader {
    struct ctf_layout layout; /* version 0: not known yet */
    struct byte_stream in;    /* to be fed; tells what was skipped */
    uint64_t events;          /* that were read */
    uint64_t other_events;    /* that are known, and not of memory */
    uint64_t lost_packets;    /* that are missing between them */
    uint64_t discarded;       /* events that the writer says it lost */
    uint64_t profiler_us;     /* what the writer says it took in all */
    bool is_cut;              /* the stream ends within a packet */
    bool has_changed;         /* its layout, on the way */

    /* To be set: next stops at events of other kinds, too. */
    bool tells_others;

    /*
     * Of what next said last: another event, its fields and, if it is known,
     * what they are. Bytes that were skipped.
     */
    const unsigned char *other, *passed;
    size_t other_size, passed_size;
    const struct ctf_events *others;
    const struct ctf_event *other_event;

    /* The metadata that a packet brought, until more is fed; or NULL. */
    const unsigned char *description;
    size_t description_size;

    const struct ctf_metadata_facts *facts;
    uint64_t fed; /* when next was called last */
    uint64_t last_ns, before_ns;
    uint64_t text_end;  /* of what a console shows */
    size_t tried;       /* bytes that showed no layout */
    size_t packet_left; /* bytes of the open packet's events to be read */
    size_t trailer;     /* ... and then stepped over */
    uint64_t in_row;    /* events since something was skipped */
    uint32_t sequence, packet_discarded, packet_profiler_us;
    bool is_in_step; /* the last event ended where the next one begins */
    bool has_time;
    bool has_sequence;
    unsigned char bytes[CTF_READER_CAPACITY];
};

/*
 * `facts` as ctf_metadata_read() found them, to be kept as long as the reader,
 * or NULL: the bytes will show. A packet of Tally's tells its layout itself.
 */
void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts);

/*
 * The next event; false: feed more, or after the end: that was all. Of another
 * kind, in `other`, only the time is known.
 */
bool ctf_reader_next(struct ctf_reader *reader, struct zpl_event *event);
