/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_metadata.h - what tells CTF readers how a stream of events_wire.h lies
 *
 * The file `metadata` in the folder of a trace: TSDL 1.8, self-contained. Tally
 * itself needs only the stream, and from here when it was.
 */
#ifndef TALLY_FORMAT_EVENTS_METADATA_H
#define TALLY_FORMAT_EVENTS_METADATA_H

#include <stddef.h>
#include <stdint.h>

/* What the file says besides. */
struct events_surroundings {
    uint64_t clock_zero_ns; /* since 1970 where the clock is 0; 0: not known */
    const char *program;    /* path of its file; NULL: not known */
    uint64_t load_address;  /* addresses in memory less those in its file */
    uint32_t process;       /* its number; 0: not known */
    /* Bytes between samples: calls are those of sampled blocks; 0: of all. */
    uint64_t sample_interval;
};

enum { EVENTS_METADATA_CAPACITY = 16384 }; /* is enough, with any path */

/*
 * Write the text without a NUL and return its length; if that is more than
 * `capacity`, the rest was left out.
 */
size_t events_metadata_write(char *out, size_t capacity,
                             const struct events_surroundings *surroundings);

#endif /* TALLY_FORMAT_EVENTS_METADATA_H */
