/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.h - a place that bytes are sent to without waiting
 *
 * A file, a named pipe, a descriptor. Nothing waits, except for a disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct transport {
    int fd;           /* -1: no reader is there; else poll it for room */
    bool is_borrowed; /* the descriptor is the program's, and may block */
};

/* Open what `target` names, as tally/zpl.h has it: file:, fd:, -. 0, or a
   negative errno. */
int transport_open(struct transport *transport, const char *target);
void transport_close(struct transport *transport);

/* Send some of the bytes: how many; 0: not now, or never if `fd` is -1 then,
   for the reader is gone. */
size_t transport_write(struct transport *transport, const void *bytes,
                       size_t size);
