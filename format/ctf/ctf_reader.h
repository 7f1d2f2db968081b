/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_reader.h - read ZPL events from a CTF stream, in any layout, even if
 * damaged
 *
 * See byte_stream.h for its use. The reader takes any bytes, in constant
 * memory; bytes that are not events are skipped and counted. Zephyr's own
 * events, or those of the metadata, may lie between, and a stream of another
 * layout may follow. Damaged packets of Tally are detected and skipped whole.
 * In a bare stream, damage shows as bytes that do not look like an event;
 * reading continues at the next plausible event.
 *
 * Times are extended to 64 bits: in packets by the packet's time, in a bare
 * stream by adding up steps, each of which is assumed to be below 2^32 ns.
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
    struct byte_stream in;    /* input; counts skipped bytes */
    uint64_t events;          /* events read */
    uint64_t other_events;    /* known events other than zpl_memory */
    uint64_t lost_packets;    /* packets missing in the sequence */
    uint64_t discarded;       /* events that the writer reports as lost */
    uint64_t profiler_us;     /* microseconds the writer spent, as it reports */
    bool is_cut;              /* the stream ends within a packet */
    bool has_changed;         /* the layout changed within the stream */

    /* Input: also return events of other kinds. */
    bool tells_others;

    /* Result of the last call: another event, its fields and, if known, their
       description; skipped bytes. */
    const unsigned char *other, *passed;
    size_t other_size, passed_size;
    const struct ctf_events *others;
    const struct ctf_event *other_event;

    /* Metadata in a packet, valid until more is fed; or NULL. */
    const unsigned char *description;
    size_t description_size;

    const struct ctf_metadata_facts *facts;
    uint64_t fed; /* bytes fed at the last call */
    uint64_t last_ns, before_ns;
    uint64_t text_end;  /* end of console output */
    size_t tried;       /* bytes that showed no layout */
    size_t packet_left; /* unread bytes of events in the open packet */
    size_t trailer;     /* ... followed by this many bytes of trailer */
    uint64_t in_row;    /* consecutive events since the last skip */
    uint32_t sequence, packet_discarded, packet_profiler_us;
    bool is_in_step; /* the last event ended where the next one begins */
    bool has_time;
    bool has_sequence;
    unsigned char bytes[CTF_READER_CAPACITY];
};

/* Open a reader. `facts` are from ctf_metadata_read() and must outlive the
   reader; NULL: detect the layout. Tally's packets state their layout. */
void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts);

/* Read the next event; return false if more must be fed or the stream has
   ended. For other kinds, in `other`, only the time is set. */
bool ctf_reader_next(struct ctf_reader *reader, struct zpl_event *event);
