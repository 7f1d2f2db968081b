/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packet_queue.c - pass packets from many threads to the one that sends them
 *
 *     | size u32 | packet ... | size u32 | packet ... |
 */
#include "ports/posix/transport/transport.h"

#include <string.h>

void packet_queue_open(struct packet_queue *queue, void *bytes, size_t capacity)
{
    *queue = (struct packet_queue){ .bytes = bytes, .capacity = capacity };
}

static void copy_in(struct packet_queue *queue, uint64_t position,
                    const void *bytes, size_t size)
{
    size_t at = (size_t)position & (queue->capacity - 1);
    size_t first = queue->capacity - at;

    if (first > size)
        first = size;
    memcpy(queue->bytes + at, bytes, first);
    memcpy(queue->bytes, (const unsigned char *)bytes + first, size - first);
}

bool packet_queue_put(struct packet_queue *queue, const void *bytes,
                      size_t size)
{
    uint64_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);
    uint32_t head_size = (uint32_t)size;

    if (size > UINT32_MAX || size == 0 ||
        size + sizeof head_size > queue->capacity - (queue->head - tail))
        return false;
    copy_in(queue, queue->head, &head_size, sizeof head_size);
    copy_in(queue, queue->head + sizeof head_size, bytes, size);
    __atomic_store_n(&queue->head, queue->head + sizeof head_size + size,
                     __ATOMIC_RELEASE);
    return true;
}

size_t packet_queue_size(const struct packet_queue *queue)
{
    uint64_t tail = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE);

    return (size_t)(__atomic_load_n(&queue->head, __ATOMIC_ACQUIRE) - tail);
}

static void advance(struct packet_queue *queue, size_t size)
{
    __atomic_store_n(&queue->tail, queue->tail + size, __ATOMIC_RELEASE);
}

static void read_size(struct packet_queue *queue)
{
    unsigned char bytes[4];
    uint32_t size;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = queue->bytes[(queue->tail + i) & (queue->capacity - 1)];
    memcpy(&size, bytes, sizeof size);
    queue->left = size;
    advance(queue, sizeof bytes);
}

size_t packet_queue_peek(struct packet_queue *queue,
                         const unsigned char **bytes)
{
    size_t at, size;

    if (queue->left == 0 && packet_queue_size(queue) > 0)
        read_size(queue);
    at = (size_t)queue->tail & (queue->capacity - 1);
    size = queue->capacity - at;
    *bytes = queue->bytes + at;
    return queue->left < size ? queue->left : size;
}

void packet_queue_take(struct packet_queue *queue, size_t size)
{
    queue->left -= size;
    advance(queue, size);
}
