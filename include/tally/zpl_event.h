/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_event.h - ZPL's memory event: the use of one region at one time
 *
 * The lists below define the event. The structs here, the bytes on the wire,
 * the CTF metadata, the line of text and all readers derive from them.
 *
 * There are four byte layouts, for older and newer readers. All are
 * little-endian and packed, so that sizeof is the size on the wire:
 *
 *   layout 1   22 bytes, 26 with 64-bit addresses
 *   layout 2   23, 27   16-bit id
 *   layout 3   31, 35   each event is a packet with a 64-bit time
 *   layout 4   27, 31   16-bit id, 64-bit time: the header of Zephyr 4.5
 */
#ifndef TALLY_ZPL_EVENT_H
#define TALLY_ZPL_EVENT_H

#include <stdint.h>

#include "tally/config.h"
#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* enumerator, value, name in text */
#define ZPL_MEMORY_REGION_LIST(X) \
    X(ZPL_STACK, 0, "stack")      \
    X(ZPL_HEAP, 1, "heap")        \
    X(ZPL_K_HEAP, 2, "k_heap")    \
    X(ZPL_MEM_SLAB, 3, "mem_slab")

__extension__ enum __attribute__((packed)) zpl_memory_region {
#define ZPL_MEMORY_REGION_ENUM(name, value, text) name = (value),
    ZPL_MEMORY_REGION_LIST(ZPL_MEMORY_REGION_ENUM)
#undef ZPL_MEMORY_REGION_ENUM
};

/*
 * kind, field, text before and after it in a line. Sizes are bytes. The address
 * identifies the region. The thread id is 0 except for a stack, whose `used` is
 * its highest use.
 */
#define ZPL_MEMORY_PAYLOAD_LIST(X)     \
    X(region, memory_region, " ", "")  \
    X(address, memory_addr, " (", ")") \
    X(u32, used, " ", "B")             \
    X(u32, unused, " ", "B")           \
    X(u32, for_thread_id, " ", "")

/* Fields of the event header, by layout: kind, field, unused. */
#define ZPL_MEMORY_HEADER_LIST_1(X) \
    X(time32, timestamp, "", "")    \
    X(u8, id, "", "")
#define ZPL_MEMORY_HEADER_LIST_2(X) \
    X(time32, timestamp, "", "")    \
    X(u16, id, "", "")
#define ZPL_MEMORY_HEADER_LIST_3(X) \
    X(time64, timestamp, "", "")    \
    X(u16, id, "", "")

/* Fields of the packet header in layout 3, where each event is a packet. */
#define ZPL_MEMORY_PACKET_LIST_3(X) \
    X(u16, stream_id, "", "")       \
    X(u16, packet_size, "", "") /* of the whole packet, in bits */

#define ZPL_MEMORY_EVENT_LIST_1(X) \
    ZPL_MEMORY_HEADER_LIST_1(X) ZPL_MEMORY_PAYLOAD_LIST(X)
#define ZPL_MEMORY_EVENT_LIST_2(X) \
    ZPL_MEMORY_HEADER_LIST_2(X) ZPL_MEMORY_PAYLOAD_LIST(X)
#define ZPL_MEMORY_EVENT_LIST_3(X) \
    ZPL_MEMORY_PACKET_LIST_3(X)    \
    ZPL_MEMORY_HEADER_LIST_3(X) ZPL_MEMORY_PAYLOAD_LIST(X)
#define ZPL_MEMORY_EVENT_LIST_4(X) \
    ZPL_MEMORY_HEADER_LIST_3(X) ZPL_MEMORY_PAYLOAD_LIST(X)

/* Value of the field `id`, by layout. */
#define ZPL_MEMORY_EVENT_ID_1 0xEE
#define ZPL_MEMORY_EVENT_ID_2 0xEE
#define ZPL_MEMORY_EVENT_ID_3 0x106
#define ZPL_MEMORY_EVENT_ID_4 0x1EE /* Zephyr's own end at 0x185 */

/* C types of the field kinds. A time is in nanoseconds, or their low 32
   bits. */
typedef uint8_t zpl_field_u8;
typedef uint16_t zpl_field_u16;
typedef uint32_t zpl_field_u32;
typedef uint32_t zpl_field_time32;
typedef uint64_t zpl_field_time64;
typedef enum zpl_memory_region zpl_field_region;
typedef uintptr_t zpl_field_address;

#define ZPL_MEMORY_EVENT_FIELD(kind, name, before, behind) \
    zpl_field_##kind name;

typedef struct __attribute__((packed)) {
    ZPL_MEMORY_EVENT_LIST_1(ZPL_MEMORY_EVENT_FIELD)
} zpl_memory_event_1_t;

typedef struct __attribute__((packed)) {
    ZPL_MEMORY_EVENT_LIST_2(ZPL_MEMORY_EVENT_FIELD)
} zpl_memory_event_2_t;

typedef struct __attribute__((packed)) {
    ZPL_MEMORY_EVENT_LIST_3(ZPL_MEMORY_EVENT_FIELD)
} zpl_memory_event_3_t;

typedef struct __attribute__((packed)) {
    ZPL_MEMORY_EVENT_LIST_4(ZPL_MEMORY_EVENT_FIELD)
} zpl_memory_event_4_t;

#undef ZPL_MEMORY_EVENT_FIELD

/* The event in the layout of CONFIG_ZPL_CTF_LAYOUT. */
#if CONFIG_ZPL_CTF_LAYOUT == 1
typedef zpl_memory_event_1_t zpl_memory_event_t;
#elif CONFIG_ZPL_CTF_LAYOUT == 2
typedef zpl_memory_event_2_t zpl_memory_event_t;
#elif CONFIG_ZPL_CTF_LAYOUT == 3
typedef zpl_memory_event_3_t zpl_memory_event_t;
#else
typedef zpl_memory_event_4_t zpl_memory_event_t;
#endif

TALLY_END_DECLS

#endif /* TALLY_ZPL_EVENT_H */
