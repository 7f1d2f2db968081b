/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.h - a place that bytes are sent to without waiting
 *
 * A file, a pipe, a connection, a serial device. Opening may take up to two
 * seconds, for a connection; nothing else waits, except a disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* The peer to connect to again. */
struct transport_peer {
    struct sockaddr_storage address;
    socklen_t size; /* 0: no peer */
    bool is_called; /* `fd` is being connected */
    int fd;
    uint64_t next_ns;  /* not before that */
    uint64_t delay_ns; /* until the time after that */
};

struct transport {
    int fd;           /* -1: no reader is there */
    int listener;     /* -1: none */
    bool is_borrowed; /* the descriptor is the program's */
    bool may_block;   /* ... so it is asked before each write */
    struct transport_peer peer;
};

/*
 * Open what `target` names, as tally/zpl.h has it: file:, fd:, -, tcp:,
 * listen:, serial:. 0, or a negative errno.
 */
int transport_open(struct transport *transport, const char *target);
void transport_close(struct transport *transport);

/* Whether a reader is there. Accepts a new one, and reconnects to the peer of
   tcp: when it has gone. */
bool transport_is_ready(struct transport *transport);

/*
 * Send some of the bytes: how many; 0: not now. Below 0: the reader is gone,
 * and a new one is to get whole packets only.
 */
int64_t transport_write(struct transport *transport, const void *bytes,
                        size_t size);

/* The descriptor to wait for, and for what (poll's events); -1: none. */
int transport_poll(const struct transport *transport, short *events);
