/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_protobuf.c - bytes against those of the encoding guide
 */
#include "tool/exporters/exporter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(struct protobuf *message, const void *expected, size_t size)
{
    assert_int_equal(message->size, size);
    assert_memory_equal(message->bytes, expected, size);
    protobuf_free(message);
}

static void a_number_is_a_varint_behind_its_key(void **state)
{
    struct protobuf message = { 0 };

    (void)state;
    protobuf_number(&message, 1, 150);
    check(&message, "\x08\x96\x01", 3);
    protobuf_number(&message, 16, 0);
    check(&message, "\x80\x01\x00", 3);
    protobuf_varint(&message, UINT64_MAX);
    check(&message, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
}

static void bytes_stand_behind_their_length(void **state)
{
    struct protobuf message = { 0 };
    char long_text[1000];

    (void)state;
    protobuf_bytes(&message, 2, "testing", 7);
    check(&message, "\x12\x07testing", 9);
    protobuf_bytes(&message, 6, NULL, 0);
    check(&message, "\x32\x00", 2);
    memset(long_text, 'x', sizeof long_text);
    protobuf_bytes(&message, 2, long_text, sizeof long_text);
    assert_int_equal(message.size, 1003);
    assert_memory_equal(message.bytes, "\x12\xe8\x07xxx", 6);
    protobuf_free(&message);
}

static void a_cleared_message_is_empty(void **state)
{
    struct protobuf message = { 0 };

    (void)state;
    protobuf_number(&message, 1, 5);
    message.size = 0;
    protobuf_number(&message, 1, 6);
    check(&message, "\x08\x06", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_a_varint_behind_its_key),
        cmocka_unit_test(bytes_stand_behind_their_length),
        cmocka_unit_test(a_cleared_message_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
