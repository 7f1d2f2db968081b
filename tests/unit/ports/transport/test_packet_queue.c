/* SPDX-License-Identifier: Apache-2.0 */
/* test_packet_queue.c - packets in order, complete, several times around the
   ring */
#include "ports/posix/transport/transport.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CAPACITY = 64, HEAD = 4 };

static void put_packets_are_taken_in_order(void **state)
{
    unsigned char ring[CAPACITY];
    struct packet_queue queue;
    const unsigned char *bytes;

    (void)state;
    packet_queue_open(&queue, ring, sizeof ring);
    assert_int_equal(packet_queue_peek(&queue, &bytes), 0);
    assert_true(packet_queue_put(&queue, "first", 5));
    assert_true(packet_queue_put(&queue, "second", 6));
    assert_int_equal(packet_queue_size(&queue), 11 + 2 * HEAD);
    assert_int_equal(packet_queue_peek(&queue, &bytes), 5);
    assert_memory_equal(bytes, "first", 5);
    packet_queue_take(&queue, 2);
    assert_int_equal(packet_queue_peek(&queue, &bytes), 3);
    assert_memory_equal(bytes, "rst", 3);
    packet_queue_take(&queue, 3);
    assert_int_equal(packet_queue_peek(&queue, &bytes), 6);
    assert_memory_equal(bytes, "second", 6);
}

static void what_does_not_fit_is_refused_whole(void **state)
{
    unsigned char ring[CAPACITY], packet[CAPACITY] = { 0 };
    struct packet_queue queue;

    (void)state;
    packet_queue_open(&queue, ring, sizeof ring);
    assert_false(packet_queue_put(&queue, packet, CAPACITY - HEAD + 1));
    assert_false(packet_queue_put(&queue, packet, 0));
    assert_int_equal(packet_queue_size(&queue), 0);
    assert_true(packet_queue_put(&queue, packet, CAPACITY - HEAD));
    assert_false(packet_queue_put(&queue, packet, 1));
}

enum { PACKETS = 100000 };

static void *put_all(void *context)
{
    struct packet_queue *queue = context;

    for (uint32_t i = 0; i < PACKETS;) {
        unsigned char packet[23];

        memset(packet, (int)i & 0xff, sizeof packet);
        i += packet_queue_put(queue, packet, 1 + i % sizeof packet);
    }
    return NULL;
}

static void two_threads_see_the_same_packets(void **state)
{
    unsigned char ring[CAPACITY];
    struct packet_queue queue;
    pthread_t producer;

    (void)state;
    packet_queue_open(&queue, ring, sizeof ring);
    assert_int_equal(pthread_create(&producer, NULL, put_all, &queue), 0);
    for (uint32_t i = 0; i < PACKETS; i++) {
        for (size_t left = 1 + i % 23; left > 0;) {
            const unsigned char *bytes;
            size_t size = packet_queue_peek(&queue, &bytes);

            assert_true(size <= left);
            for (size_t k = 0; k < size; k++)
                assert_int_equal(bytes[k], i & 0xff);
            packet_queue_take(&queue, size);
            left -= size;
        }
    }
    pthread_join(producer, NULL);
    assert_int_equal(packet_queue_size(&queue), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_packets_are_taken_in_order),
        cmocka_unit_test(what_does_not_fit_is_refused_whole),
        cmocka_unit_test(two_threads_see_the_same_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
