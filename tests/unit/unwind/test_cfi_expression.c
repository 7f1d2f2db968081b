/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cfi_expression.c - each operation by value, and invalid ones
 *
 * Register N holds 1000 + N, and memory at A holds A + 5; register 2 and memory
 * at 13 are unknown.
 */
#include "unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { UNKNOWN_REGISTER = 2, UNKNOWN_ADDRESS = 13, LONGEST = 24 };

struct example {
    size_t size;
    uint8_t code[LONGEST];
    uint64_t value; /* expected value if it is computable */
};

#define EXAMPLE(value, ...)                                              \
    {                                                                    \
        sizeof((const uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ }, value \
    }
#define MINUS(value) (UINT64_C(0) - (value))

static bool read_register(void *context, unsigned number, uint64_t *value)
{
    (void)context;
    *value = 1000 + number;
    return number != UNKNOWN_REGISTER;
}

static bool read_memory(void *context, uint64_t address, uint64_t *value)
{
    (void)context;
    *value = address + 5;
    return address != UNKNOWN_ADDRESS;
}

static const struct cfi_reader reader = { read_register, read_memory, NULL };

static bool run(const struct example *example, bool has_value, uint64_t *value)
{
    const struct cfi_place place = { .how = CFI_IS_EXPRESSION,
                                     .size = (uint16_t)example->size,
                                     .expression = example->code };

    return cfi_expression_run(&place, &reader, has_value, value);
}

/* lit5 is 0x35; const1s -3 is 0x09 0xfd. */
static const struct example good[] = {
    EXAMPLE(0, 0x30),
    EXAMPLE(31, 0x4f),
    EXAMPLE(0xfd, 0x08, 0xfd),
    EXAMPLE(MINUS(3), 0x09, 0xfd),
    EXAMPLE(0xfffd, 0x0a, 0xfd, 0xff),
    EXAMPLE(MINUS(3), 0x0b, 0xfd, 0xff),
    EXAMPLE(0xfffffffd, 0x0c, 0xfd, 0xff, 0xff, 0xff),
    EXAMPLE(MINUS(3), 0x0d, 0xfd, 0xff, 0xff, 0xff),
    EXAMPLE(UINT64_C(0x0807060504030201), 0x0e, 1, 2, 3, 4, 5, 6, 7, 8),
    EXAMPLE(MINUS(2), 0x0f, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    EXAMPLE(128, 0x10, 0x80, 0x01),
    EXAMPLE(MINUS(128), 0x11, 0x80, 0x7f),
    EXAMPLE(1007 - 8, 0x77, 0x78),        /* breg7 -8 */
    EXAMPLE(1016, 0x80, 0x00),            /* breg16: the return */
    EXAMPLE(1010 + 5, 0x7a, 0x00, 0x06),  /* breg10, deref */
    EXAMPLE(5, 0x35, 0x36, 0x13),         /* drop */
    EXAMPLE(4, 0x35, 0x36, 0x1a),         /* and */
    EXAMPLE(MINUS(1), 0x35, 0x36, 0x1c),  /* minus */
    EXAMPLE(30, 0x35, 0x36, 0x1e),        /* mul */
    EXAMPLE(11, 0x35, 0x36, 0x22),        /* plus */
    EXAMPLE(133, 0x35, 0x23, 0x80, 0x01), /* plus_uconst */
    EXAMPLE(320, 0x35, 0x36, 0x24),       /* shl */
    EXAMPLE(0, 0x35, 0x08, 64, 0x24),     /* shl, all away */
    EXAMPLE(0, 0x09, 0xff, 0x35, 0x2a),   /* ge: -1 >= 5 */
    EXAMPLE(1, 0x35, 0x35, 0x2a),
    EXAMPLE(5, 0x35, 0x96), /* nop */
    /* Frames of PLT entries use this expression. */
    EXAMPLE(1007 + 8, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33,
            0x24, 0x22),
};

static void each_operation_by_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t value = 77;

        assert_true(run(&good[i], false, &value));
        assert_int_equal(value, good[i].value);
    }
}

static void begins_with_the_value(void **state)
{
    const struct example plus = EXAMPLE(0, 0x23, 0x08);
    const struct example nothing = { 0 };
    uint64_t value = 40;

    (void)state;
    assert_true(run(&plus, true, &value));
    assert_int_equal(value, 48);
    assert_true(run(&nothing, true, &value));
    assert_int_equal(value, 48);
}

static const struct example bad[] = {
    { 0 },                  /* nothing to pop */
    EXAMPLE(0, 0x22),       /* two */
    EXAMPLE(0, 0x35, 0x22), /* one of two */
    EXAMPLE(0, 0x13),       /* drop */
    EXAMPLE(0, 0x72, 0x00), /* an unknown register */
    EXAMPLE(0, 0x81, 0x00), /* breg17: there is none */
    EXAMPLE(0, 0x3d, 0x06), /* unknown memory */
    EXAMPLE(0, 0x08),       /* cut off */
    EXAMPLE(0, 0x0e, 1, 2, 3),
    EXAMPLE(0, 0x35, 0x23),
    EXAMPLE(0, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
            0x30, 0x30, 0x30, 0x30, 0x30, 0x30), /* 17 deep */
    /* Frames never use these: dup, swap, abs, div, eq, skip, bra. */
    EXAMPLE(0, 0x35, 0x12),
    EXAMPLE(0, 0x35, 0x36, 0x16),
    EXAMPLE(0, 0x35, 0x19),
    EXAMPLE(0, 0x36, 0x33, 0x1b),
    EXAMPLE(0, 0x35, 0x35, 0x29),
    EXAMPLE(0, 0x35, 0x2f, 0x00, 0x00),
    EXAMPLE(0, 0x35, 0x31, 0x28, 0x00, 0x00),
    EXAMPLE(0, 0x50),             /* reg0: a place, no value */
    EXAMPLE(0, 0x35, 0x35, 0x97), /* push_object_address */
    EXAMPLE(0, 0x35, 0x35, 0xff),
};

static void what_cannot_be_worked_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t value = 0;

        assert_false(run(&bad[i], false, &value));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_by_value),
        cmocka_unit_test(begins_with_the_value),
        cmocka_unit_test(what_cannot_be_worked_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
