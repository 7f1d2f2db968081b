/* SPDX-License-Identifier: Apache-2.0 */
/* test_cfi_bytes.c - each number by value, and truncated numbers */
#include "unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define BYTES(...)                             \
    bytes_of((const uint8_t[]){ __VA_ARGS__ }, \
             sizeof((const uint8_t[]){ __VA_ARGS__ }))

static struct cfi_bytes bytes_of(const uint8_t *at, size_t size)
{
    return (struct cfi_bytes){ at, at + size, false };
}

static void unsigned_numbers_are_little_endian(void **state)
{
    struct cfi_bytes bytes =
        BYTES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff);

    (void)state;
    assert_int_equal(cfi_unsigned(&bytes, 2), 0x0201);
    assert_int_equal(cfi_unsigned(&bytes, 4), 0x06050403);
    assert_true(cfi_unsigned(&bytes, 8) == UINT64_C(0x0e0d0c0b0a090807));
    assert_int_equal(cfi_unsigned(&bytes, 1), 0xff);
    assert_int_equal(cfi_left(&bytes), 0);
    assert_false(bytes.is_bad);
}

static void signed_numbers_keep_their_sign(void **state)
{
    struct cfi_bytes bytes =
        BYTES(0xff, 0xfe, 0xff, 0xfd, 0xff, 0xff, 0xff, 0xfc, 0xff, 0xff, 0xff,
              0xff, 0xff, 0xff, 0xff, 0x7f);

    (void)state;
    assert_int_equal(cfi_signed(&bytes, 1), -1);
    assert_int_equal(cfi_signed(&bytes, 2), -2);
    assert_int_equal(cfi_signed(&bytes, 4), -3);
    assert_int_equal(cfi_signed(&bytes, 8), -4);
    assert_int_equal(cfi_signed(&bytes, 1), 127);
}

static void uleb_by_value(void **state)
{
    struct cfi_bytes bytes =
        BYTES(0x00, 0x7f, 0x80, 0x01, 0xe5, 0x8e, 0x26, 0xff, 0xff, 0xff, 0xff,
              0xff, 0xff, 0xff, 0xff, 0xff, 0x01);

    (void)state;
    assert_int_equal(cfi_uleb(&bytes), 0);
    assert_int_equal(cfi_uleb(&bytes), 127);
    assert_int_equal(cfi_uleb(&bytes), 128);
    assert_int_equal(cfi_uleb(&bytes), 624485);
    assert_true(cfi_uleb(&bytes) == UINT64_MAX);
    assert_false(bytes.is_bad);
}

static void sleb_by_value(void **state)
{
    struct cfi_bytes bytes =
        BYTES(0x02, 0x7e, 0xff, 0x00, 0x81, 0x7f, 0x80, 0x7f, 0x80, 0x80, 0x80,
              0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f);

    (void)state;
    assert_int_equal(cfi_sleb(&bytes), 2);
    assert_int_equal(cfi_sleb(&bytes), -2);
    assert_int_equal(cfi_sleb(&bytes), 127);
    assert_int_equal(cfi_sleb(&bytes), -127);
    assert_int_equal(cfi_sleb(&bytes), -128);
    assert_true(cfi_sleb(&bytes) == INT64_MIN);
    assert_false(bytes.is_bad);
}

static void a_number_cut_off_is_bad(void **state)
{
    struct cfi_bytes bytes = BYTES(1, 2, 3);

    (void)state;
    assert_int_equal(cfi_unsigned(&bytes, 4), 0);
    assert_true(bytes.is_bad);
    assert_int_equal(cfi_left(&bytes), 0);
    bytes = BYTES(0x80, 0x80);
    cfi_uleb(&bytes);
    assert_true(bytes.is_bad);
    bytes = BYTES(0x80);
    cfi_sleb(&bytes);
    assert_true(bytes.is_bad);
}

static void a_leb_longer_than_64_bits_is_bad(void **state)
{
    struct cfi_bytes bytes = BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                   0x80, 0x80, 0x80, 0x80, 0x00);

    (void)state;
    cfi_uleb(&bytes);
    assert_true(bytes.is_bad);
    bytes = BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                  0x80, 0x00);
    cfi_sleb(&bytes);
    assert_true(bytes.is_bad);
}

static void skipping_stops_at_the_end(void **state)
{
    struct cfi_bytes bytes = BYTES(1, 2, 3);

    (void)state;
    cfi_skip(&bytes, 2);
    assert_int_equal(cfi_left(&bytes), 1);
    assert_false(bytes.is_bad);
    cfi_skip(&bytes, UINT64_MAX);
    assert_int_equal(cfi_left(&bytes), 0);
    assert_true(bytes.is_bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_numbers_are_little_endian),
        cmocka_unit_test(signed_numbers_keep_their_sign),
        cmocka_unit_test(uleb_by_value),
        cmocka_unit_test(sleb_by_value),
        cmocka_unit_test(a_number_cut_off_is_bad),
        cmocka_unit_test(a_leb_longer_than_64_bits_is_bad),
        cmocka_unit_test(skipping_stops_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
