/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata.h - what tells CTF readers how the stream beside it lies
 *
 * The file `metadata` of a trace's folder: TSDL 1.8, self-contained. It names a
 * clock of 1 GHz, the head of packets where there are any, and the one event.
 */
#ifndef TALLY_FORMAT_CTF_METADATA_H
#define TALLY_FORMAT_CTF_METADATA_H

#include <stddef.h>
#include <stdint.h>

#include "format/ctf/ctf_layout.h"

/* What a name is given to. */
enum ctf_named {
    CTF_NAMED_THREAD, /* by its id */
    CTF_NAMED_REGION, /* by its address */
};

struct ctf_name {
    const char *name; /* NULL: the list ends here */
    uint64_t number;
    enum ctf_named what;
};

/* What the file says besides the layout. */
struct ctf_surroundings {
    uint64_t clock_zero_ns; /* since 1970 where the clock is 0; 0: not known */
    const char *program;    /* path of its file; NULL: not known */
    uint64_t load_address;  /* addresses in memory less those in its file */
    const struct ctf_name *names; /* NULL: none */
};

enum { CTF_METADATA_CAPACITY = 4096 }; /* is enough without names */

/*
 * Write the text without a NUL and return its length; if that is more than
 * `capacity`, the rest was left out.
 */
size_t ctf_metadata_write(char *out, size_t capacity,
                          const struct ctf_layout *layout,
                          const struct ctf_surroundings *surroundings);

#endif /* TALLY_FORMAT_CTF_METADATA_H */
