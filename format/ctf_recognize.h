/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_recognize.h - which layout a stream is in, from its bytes alone
 */
#ifndef TALLY_FORMAT_CTF_RECOGNIZE_H
#define TALLY_FORMAT_CTF_RECOGNIZE_H

#include "format/ctf_layout.h"

/*
 * Look for events in any layout. Returns how many of the bytes are events in the
 * layout that explains most, which `layout` then is; 0: there are none.
 */
size_t ctf_recognize(const unsigned char *bytes, size_t size,
                     struct ctf_layout *layout);

/*
 * Where the first whole packet of Tally's begins, its sum looked at, or `size`
 * when there is none.
 */
size_t ctf_find_packet(const unsigned char *bytes, size_t size);

/*
 * Whether an event begins here in a bare stream that other bytes may be in: it
 * looks like one, and so does what follows, or it could hardly be anything
 * else. `size` is what there is; less than two events are trusted.
 */
bool ctf_is_event(const unsigned char *bytes, size_t size,
                  const struct ctf_layout *layout);

#endif /* TALLY_FORMAT_CTF_RECOGNIZE_H */
