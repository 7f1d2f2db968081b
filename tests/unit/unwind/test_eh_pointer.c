/* SPDX-License-Identifier: Apache-2.0 */
/* test_eh_pointer.c - each format and each relation, by value */
#include "unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define TABLE UINT64_C(0x10000)

static const uint8_t image[16] = { 0xfe, 0xff, 0xff, 0xff, 0xff,
                                   0xff, 0xff, 0xff, 0x01 };

static const struct {
    uint8_t encoding;
    size_t size;
    uint64_t value;
} formats[] = {
    { DW_EH_PE_absptr, 8, UINT64_C(0xfffffffffffffffe) },
    { DW_EH_PE_udata2, 2, 0xfffe },
    { DW_EH_PE_udata4, 4, UINT64_C(0xfffffffe) },
    { DW_EH_PE_udata8, 8, UINT64_C(0xfffffffffffffffe) },
    { DW_EH_PE_sdata2, 2, UINT64_C(0xfffffffffffffffe) },
    { DW_EH_PE_sdata4, 4, UINT64_C(0xfffffffffffffffe) },
    { DW_EH_PE_sdata8, 8, UINT64_C(0xfffffffffffffffe) },
    { DW_EH_PE_uleb128, 9, UINT64_C(0x01fffffffffffffe) },
    { DW_EH_PE_sleb128, 9, UINT64_C(0x01fffffffffffffe) },
};

static struct cfi_bytes all(void)
{
    return (struct cfi_bytes){ image, image + sizeof image, false };
}

static void each_format_by_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct cfi_bytes bytes = all();

        assert_true(eh_pointer_read(&bytes, formats[i].encoding, TABLE) ==
                    formats[i].value);
        assert_int_equal(bytes.at - image, formats[i].size);
        assert_false(bytes.is_bad);
    }
}

static void relations_by_value(void **state)
{
    struct cfi_bytes bytes = all();

    (void)state;
    bytes.at += 1;
    assert_int_equal(
        eh_pointer_read(&bytes, DW_EH_PE_pcrel | DW_EH_PE_sdata4, TABLE),
        (uintptr_t)image);
    bytes = all();
    assert_int_equal(
        eh_pointer_read(&bytes, DW_EH_PE_datarel | DW_EH_PE_sdata4, TABLE),
        TABLE - 2);
}

static void unknown_encodings_are_bad(void **state)
{
    const uint8_t encodings[] = { 0x05,
                                  0x0d,
                                  0x20 | DW_EH_PE_sdata4,
                                  0x40 | DW_EH_PE_sdata4,
                                  0x50 | DW_EH_PE_sdata4,
                                  DW_EH_PE_omit };

    (void)state;
    for (size_t i = 0; i < sizeof encodings; i++) {
        struct cfi_bytes bytes = all();

        eh_pointer_read(&bytes, encodings[i], TABLE);
        assert_true(bytes.is_bad);
    }
}

static void a_pointer_cut_off_is_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct cfi_bytes bytes = all();

        bytes.end = bytes.at + formats[i].size - 1;
        eh_pointer_read(&bytes, formats[i].encoding, TABLE);
        assert_true(bytes.is_bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_by_value),
        cmocka_unit_test(relations_by_value),
        cmocka_unit_test(unknown_encodings_are_bad),
        cmocka_unit_test(a_pointer_cut_off_is_bad),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
