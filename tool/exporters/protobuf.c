/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf.c - see exporter.h */
#include "tool/exporters/exporter.h"

enum { VARINT = 0, LENGTH_DELIMITED = 2, LONGEST_VARINT = 10 };

static void reserve(struct protobuf *message, size_t more)
{
    if (message->size + more <= message->capacity)
        return;
    message->capacity = 2 * (message->size + more);
    message->bytes = memory_resized(message->bytes, message->capacity, 1);
}

void protobuf_varint(struct protobuf *message, uint64_t value)
{
    reserve(message, LONGEST_VARINT);
    while (value >= 0x80) {
        message->bytes[message->size++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    message->bytes[message->size++] = (unsigned char)value;
}

void protobuf_number(struct protobuf *message, unsigned field, uint64_t value)
{
    protobuf_varint(message, field << 3 | VARINT);
    protobuf_varint(message, value);
}

void protobuf_bytes(struct protobuf *message, unsigned field, const void *bytes,
                    size_t size)
{
    protobuf_varint(message, field << 3 | LENGTH_DELIMITED);
    protobuf_varint(message, size);
    if (size == 0)
        return;
    reserve(message, size);
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

void protobuf_free(struct protobuf *message)
{
    free(message->bytes);
    *message = (struct protobuf){ 0 };
}
