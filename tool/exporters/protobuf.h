/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf.h - write messages of Protocol Buffers
 *
 * The wire format of https://protobuf.dev/programming-guides/encoding: numbers
 * as varints, messages and packed lists behind their length.
 *
 *     struct protobuf message = { 0 };
 *
 *     protobuf_number(&message, 1, 42);
 *     write(message.bytes, message.size);
 *     protobuf_free(&message);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A message under construction; starts as { 0 }. */
struct protobuf {
    unsigned char *bytes;
    size_t size;
    size_t capacity;
};

void protobuf_varint(struct protobuf *message, uint64_t value);
void protobuf_number(struct protobuf *message, unsigned field, uint64_t value);
void protobuf_bytes(struct protobuf *message, unsigned field, const void *bytes,
                    size_t size);

/* Free the message. Setting `size` to 0 empties it and keeps its memory. */
void protobuf_free(struct protobuf *message);
