/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_zpl_event.c - every layout byte by byte, and back
 */
#include "format/ctf/zpl_event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct zpl_event stack = {
    .time_ns = 0x0807060504030201,
    .memory_region = ZPL_STACK,
    .memory_addr = 0x20011748,
    .used = 80,
    .unused = 432,
    .for_thread_id = 536936848,
};

/* Payload from the address on, with 4 bytes of address. */
#define PAYLOAD_4 \
    0x48, 0x17, 0x01, 0x20, 80, 0, 0, 0, 0xb0, 0x01, 0, 0, 0x90, 0x01, 1, 0x20
#define PAYLOAD_8                                                            \
    0x48, 0x17, 0x01, 0x20, 0, 0, 0, 0, 80, 0, 0, 0, 0xb0, 0x01, 0, 0, 0x90, \
        0x01, 1, 0x20

static void expect(struct ctf_layout layout, const unsigned char *expected,
                   size_t size, uint64_t time_ns)
{
    unsigned char bytes[CTF_EVENT_LARGEST + 1];
    struct zpl_event event;

    memset(bytes, 0xaa, sizeof bytes);
    assert_int_equal(ctf_layout_event_bytes(&layout), size);
    zpl_wire_write(bytes, &layout, &stack, stack.time_ns);
    assert_memory_equal(bytes, expected, size);
    assert_int_equal(bytes[size], 0xaa);
    assert_true(zpl_wire_read(bytes, &layout, &event));
    assert_int_equal(event.time_ns, time_ns);
    assert_int_equal(event.memory_region, ZPL_STACK);
    assert_int_equal(event.memory_addr, 0x20011748);
    assert_int_equal(event.used, 80);
    assert_int_equal(event.unused, 432);
    assert_int_equal(event.for_thread_id, 536936848);
}

static void layout_1_has_22_or_26_bytes(void **state)
{
    static const unsigned char narrow[] = { 1, 2, 3, 4, 0xee, 0, PAYLOAD_4 };
    static const unsigned char wide[] = { 1, 2, 3, 4, 0xee, 0, PAYLOAD_8 };

    (void)state;
    assert_int_equal(sizeof narrow, 22);
    expect((struct ctf_layout){ 1, 4, false, NULL }, narrow, 22, 0x04030201);
    expect((struct ctf_layout){ 1, 8, true, NULL }, wide, 26, 0x04030201);
}

static void layout_2_has_an_id_of_16_bits(void **state)
{
    static const unsigned char narrow[] = { 1, 2, 3, 4, 0xee, 0, 0, PAYLOAD_4 };
    static const unsigned char wide[] = { 1, 2, 3, 4, 0xee, 0, 0, PAYLOAD_8 };

    (void)state;
    expect((struct ctf_layout){ 2, 4, false, NULL }, narrow, 23, 0x04030201);
    expect((struct ctf_layout){ 2, 8, false, NULL }, wide, 27, 0x04030201);
}

static void layout_3_is_a_packet_with_a_long_time(void **state)
{
    static const unsigned char narrow[] = { 0, 0, 248, 0, 1, 2, 3, 4,
                                            5, 6, 7,   8, 6, 1, 0, PAYLOAD_4 };
    static const unsigned char wide[] = { 0, 0, 24, 1, 1, 2, 3, 4,
                                          5, 6, 7,  8, 6, 1, 0, PAYLOAD_8 };

    (void)state;
    expect((struct ctf_layout){ 3, 4, false, NULL }, narrow, 31, stack.time_ns);
    expect((struct ctf_layout){ 3, 8, false, NULL }, wide, 35, stack.time_ns);
}

static void layout_4_has_the_header_of_newer_kernels(void **state)
{
    static const unsigned char narrow[] = { 1, 2, 3,    4, 5, 6,
                                            7, 8, 0xee, 1, 0, PAYLOAD_4 };
    static const unsigned char wide[] = { 1, 2, 3,    4, 5, 6,
                                          7, 8, 0xee, 1, 0, PAYLOAD_8 };

    (void)state;
    expect((struct ctf_layout){ 4, 4, false, NULL }, narrow, 27, stack.time_ns);
    expect((struct ctf_layout){ 4, 8, false, NULL }, wide, 31, stack.time_ns);
}

static void structs_are_as_large_as_the_bytes(void **state)
{
    const size_t wide = sizeof(uintptr_t) - 4;

    (void)state;
    assert_int_equal(sizeof(enum zpl_memory_region), 1);
    assert_int_equal(sizeof(zpl_memory_event_1_t), 22 + wide);
    assert_int_equal(sizeof(zpl_memory_event_2_t), 23 + wide);
    assert_int_equal(sizeof(zpl_memory_event_3_t), 31 + wide);
    assert_int_equal(sizeof(zpl_memory_event_4_t), 27 + wide);
    assert_int_equal(sizeof(zpl_memory_event_t), 22 + wide);
}

static void the_struct_lies_as_the_bytes_do(void **state)
{
    const struct ctf_layout layout = { 1, sizeof(uintptr_t), false, NULL };
    zpl_memory_event_t event = {
        .timestamp = 0x04030201,
        .id = 0xee,
        .memory_region = ZPL_STACK,
        .memory_addr = 0x20011748,
        .used = 80,
        .unused = 432,
        .for_thread_id = 536936848,
    };
    unsigned char bytes[CTF_EVENT_LARGEST];

    (void)state;
    zpl_wire_write(bytes, &layout, &stack, stack.time_ns);
    assert_memory_equal(bytes, &event, sizeof event);
}

static void what_cannot_be_an_event_is_none(void **state)
{
    const struct ctf_layout layout = { 1, 4, false, NULL };
    struct zpl_event event = stack;
    unsigned char bytes[CTF_EVENT_LARGEST];

    (void)state;
    zpl_wire_write(bytes, &layout, &stack, stack.time_ns);
    bytes[4] = 0xef;
    assert_false(zpl_wire_read(bytes, &layout, &event));
    bytes[4] = 0xee;
    bytes[5] = 4;
    assert_false(zpl_wire_read(bytes, &layout, &event));
    bytes[5] = ZPL_MEM_SLAB; /* with a thread */
    assert_false(zpl_wire_read(bytes, &layout, &event));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_1_has_22_or_26_bytes),
        cmocka_unit_test(layout_2_has_an_id_of_16_bits),
        cmocka_unit_test(layout_3_is_a_packet_with_a_long_time),
        cmocka_unit_test(layout_4_has_the_header_of_newer_kernels),
        cmocka_unit_test(structs_are_as_large_as_the_bytes),
        cmocka_unit_test(the_struct_lies_as_the_bytes_do),
        cmocka_unit_test(what_cannot_be_an_event_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
