/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bytes.c - words at every alignment
 */
#include "format/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const unsigned char bytes[] = { 0x00, 0x01, 0x02, 0x03, 0x84, 0x05,
                                       0x06, 0x07, 0x08, 0x89, 0x0a };

static void the_first_byte_is_the_least(void **state)
{
    (void)state;
    assert_int_equal(read_u16le(bytes + 1), 0x0201);
    assert_int_equal(read_u16le(bytes + 3), 0x8403);
    assert_int_equal(read_u32le(bytes + 1), UINT32_C(0x84030201));
    assert_int_equal(read_u64le(bytes + 2), UINT64_C(0x8908070605840302));
}

static void every_alignment_will_do(void **state)
{
    (void)state;
    for (size_t i = 0; i + 4 <= sizeof bytes; i++) {
        uint32_t expected = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 |
                            (uint32_t)bytes[i + 2] << 16 |
                            (uint32_t)bytes[i + 3] << 24;

        assert_int_equal(read_u32le(bytes + i), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_byte_is_the_least),
        cmocka_unit_test(every_alignment_will_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
