/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.h - send bytes to a target without waiting
 *
 * Targets are files, named pipes and descriptors. Calls never wait, except for
 * a disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct transport {
    int fd;           /* -1: there is no reader; otherwise poll it for room */
    bool is_borrowed; /* the descriptor is the program's, and may block */
};

/* Open `target`, as in tally/zpl.h: file:, fd:, -. Return 0 or a negative
   errno. */
int transport_open(struct transport *transport, const char *target);
void transport_close(struct transport *transport);

/* Send some of the bytes; return their number. 0: not now; or never, if `fd` is
   -1 afterwards: the reader is gone. */
size_t transport_write(struct transport *transport, const void *bytes,
                       size_t size);
