/* SPDX-License-Identifier: Apache-2.0 */
/* transport.h - send packets of many threads without waiting */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pass packets from many threads to the one that sends them.
 *
 * The queue is a ring of bytes. Threads that put packets in serialize by a
 * lock; one thread takes them out. Neither side waits for the other.
 */

struct packet_queue {
    unsigned char *bytes;
    size_t capacity; /* a power of 2 */
    uint64_t head;   /* bytes put in; a packet being put in lies above */
    uint64_t tail;   /* bytes taken out */
    size_t left;     /* bytes left of the packet being taken out */
};

/* Open a queue; `capacity` is a power of 2. */
void packet_queue_open(struct packet_queue *queue, void *bytes,
                       size_t capacity);

/* Put in a packet; return false if there is no room for all of it. */
bool packet_queue_put(struct packet_queue *queue, const void *bytes,
                      size_t size);

/* Return the bytes in the queue, packet headers included. */
size_t packet_queue_size(const struct packet_queue *queue);

/* Store the address of the next bytes of the oldest packet in *bytes; return
   their number, up to the packet's end or the ring's. 0: there is none. */
size_t packet_queue_peek(struct packet_queue *queue,
                         const unsigned char **bytes);

/* Remove bytes that were returned by packet_queue_peek(). */
void packet_queue_take(struct packet_queue *queue, size_t size);

/*
 * Send bytes to a target without waiting.
 *
 * Targets are files, named pipes and descriptors. Calls never wait, except for
 * a disk.
 */

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
