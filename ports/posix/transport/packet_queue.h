/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packet_queue.h - from threads that make packets to the one that sends them
 *
 * A ring of bytes. Threads that put packets in keep each other out by a lock;
 * one thread takes them out, and neither side waits for the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet_queue {
    unsigned char *bytes;
    size_t capacity; /* a power of 2 */
    uint64_t head;   /* bytes that were put in; what is being put in is above */
    uint64_t tail;   /* ... that were taken out */
    size_t left;     /* of the packet that is being taken out */
};

/* `capacity` is a power of 2. */
void packet_queue_open(struct packet_queue *queue, void *bytes,
                       size_t capacity);

/* False when there is no room for all of it. */
bool packet_queue_put(struct packet_queue *queue, const void *bytes,
                      size_t size);

/* Bytes in it, the heads of packets included. */
size_t packet_queue_size(const struct packet_queue *queue);

/*
 * The next bytes of the oldest packet, at `*bytes`: how many, up to its end or
 * the ring's. 0: there is none.
 */
size_t packet_queue_peek(struct packet_queue *queue,
                         const unsigned char **bytes);

/* So many of them are done with. */
void packet_queue_take(struct packet_queue *queue, size_t size);
