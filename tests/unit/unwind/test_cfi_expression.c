/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cfi_expression.c - each operation by value, and what may not be
 *
 * Register N holds 1000 + N, and memory at A holds A + 5; register 2 and memory
 * at 13 cannot be known.
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
    uint64_t value; /* where it can be worked out */
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
    EXAMPLE(UINT64_C(0x0807060504030201), 0x03, 1, 2, 3, 4, 5, 6, 7, 8),
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
    EXAMPLE(1007 - 8, 0x77, 0x78),                    /* breg7 -8 */
    EXAMPLE(1016, 0x80, 0x00),                        /* breg16: the return */
    EXAMPLE(1006 + 16, 0x92, 0x06, 0x10),             /* bregx */
    EXAMPLE(1010 + 5, 0x7a, 0x00, 0x06),              /* breg10, deref */
    EXAMPLE(10, 0x35, 0x12, 0x22),                    /* dup, plus */
    EXAMPLE(5, 0x35, 0x36, 0x13),                     /* drop */
    EXAMPLE(5, 0x35, 0x36, 0x14),                     /* over */
    EXAMPLE(5, 0x35, 0x36, 0x37, 0x15, 0x02),         /* pick */
    EXAMPLE(1, 0x35, 0x36, 0x16, 0x1c),               /* swap: 6 - 5 */
    EXAMPLE(6, 0x35, 0x36, 0x37, 0x17),               /* rot: 7 5 6 */
    EXAMPLE(5, 0x35, 0x36, 0x37, 0x17, 0x13),         /* and below it */
    EXAMPLE(3, 0x09, 0xfd, 0x19),                     /* abs */
    EXAMPLE(4, 0x35, 0x36, 0x1a),                     /* and */
    EXAMPLE(MINUS(2), 0x09, 0xfa, 0x33, 0x1b),        /* div: -6 / 3 */
    EXAMPLE(MINUS(1), 0x35, 0x36, 0x1c),              /* minus */
    EXAMPLE(2, 0x35, 0x33, 0x1d),                     /* mod */
    EXAMPLE(30, 0x35, 0x36, 0x1e),                    /* mul */
    EXAMPLE(MINUS(5), 0x35, 0x1f),                    /* neg */
    EXAMPLE(~UINT64_C(5), 0x35, 0x20),                /* not */
    EXAMPLE(7, 0x35, 0x36, 0x21),                     /* or */
    EXAMPLE(11, 0x35, 0x36, 0x22),                    /* plus */
    EXAMPLE(133, 0x35, 0x23, 0x80, 0x01),             /* plus_uconst */
    EXAMPLE(320, 0x35, 0x36, 0x24),                   /* shl */
    EXAMPLE(0, 0x35, 0x08, 64, 0x24),                 /* shl, all away */
    EXAMPLE(UINT64_MAX >> 1, 0x09, 0xff, 0x31, 0x25), /* shr */
    EXAMPLE(0, 0x09, 0xff, 0x08, 64, 0x25),
    EXAMPLE(MINUS(1), 0x09, 0xfe, 0x31, 0x26), /* shra */
    EXAMPLE(MINUS(1), 0x09, 0xfe, 0x08, 64, 0x26),
    EXAMPLE(3, 0x35, 0x36, 0x27),                   /* xor */
    EXAMPLE(1, 0x35, 0x35, 0x29),                   /* eq */
    EXAMPLE(0, 0x09, 0xff, 0x35, 0x2a),             /* ge: -1 >= 5 */
    EXAMPLE(0, 0x35, 0x35, 0x2b),                   /* gt */
    EXAMPLE(1, 0x35, 0x35, 0x2c),                   /* le */
    EXAMPLE(1, 0x09, 0xff, 0x35, 0x2d),             /* lt */
    EXAMPLE(1, 0x35, 0x36, 0x2e),                   /* ne */
    EXAMPLE(5, 0x35, 0x2f, 0x01, 0x00, 0x36),       /* skip the lit6 */
    EXAMPLE(5, 0x35, 0x31, 0x28, 0x01, 0x00, 0x36), /* bra, taken */
    EXAMPLE(6, 0x35, 0x30, 0x28, 0x01, 0x00, 0x36), /* and not */
    EXAMPLE(5, 0x35, 0x96),                         /* nop */
    /* As many as three times round: 3, and down to 0. */
    EXAMPLE(0, 0x33, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff),
    /* How the entries of a PLT say where their caller's frame is. */
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
    { 0 },                        /* nothing to pop */
    EXAMPLE(0, 0x22),             /* two */
    EXAMPLE(0, 0x35, 0x22),       /* one of two */
    EXAMPLE(0, 0x12),             /* dup */
    EXAMPLE(0, 0x35, 0x14),       /* over */
    EXAMPLE(0, 0x35, 0x36, 0x17), /* rot */
    EXAMPLE(0, 0x35, 0x15, 0x01), /* pick below the bottom */
    EXAMPLE(0, 0x35, 0x30, 0x1b), /* by zero */
    EXAMPLE(0, 0x35, 0x30, 0x1d),
    EXAMPLE(0, 0x31, 0x08, 63, 0x24, 0x09, 0xff, 0x1b), /* INT64_MIN / -1 */
    EXAMPLE(0, 0x72, 0x00),             /* an unknown register */
    EXAMPLE(0, 0x81, 0x00),             /* breg17: there is none */
    EXAMPLE(0, 0x92, 0x80, 0x02, 0x00), /* bregx 256 */
    EXAMPLE(0, 0x3d, 0x06),             /* unknown memory */
    EXAMPLE(0, 0x08),                   /* cut off */
    EXAMPLE(0, 0x03, 1, 2, 3),
    EXAMPLE(0, 0x35, 0x23),
    EXAMPLE(0, 0x2f, 0xfd, 0xff),       /* an endless loop */
    EXAMPLE(0, 0x35, 0x2f, 0xfb, 0xff), /* before the beginning */
    EXAMPLE(0, 0x35, 0x2f, 0x01, 0x00), /* behind the end */
    EXAMPLE(0, 0x35, 0x2f, 0xff, 0x7f),
    EXAMPLE(0, 0x35, 0x2f, 0x00),
    EXAMPLE(0, 0x31, 0x2f, 0xfc, 0xff), /* pushes for ever */
    EXAMPLE(0, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
            0x30, 0x30, 0x30, 0x30, 0x30, 0x30), /* 17 deep */
    EXAMPLE(0, 0x50),                            /* reg0: a place, no value */
    EXAMPLE(0, 0x35, 0x35, 0x97),                /* push_object_address */
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

/* 256 steps are enough for what there is. */
static void long_code_is_refused(void **state)
{
    static uint8_t code[300] = { 0x35 };
    struct cfi_place place = { .size = 256, .expression = code };
    uint64_t value = 0;

    (void)state;
    for (size_t i = 1; i < sizeof code; i++)
        code[i] = 0x96;
    assert_true(cfi_expression_run(&place, &reader, false, &value));
    assert_int_equal(value, 5);
    place.size = 257;
    assert_false(cfi_expression_run(&place, &reader, false, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_by_value),
        cmocka_unit_test(begins_with_the_value),
        cmocka_unit_test(what_cannot_be_worked_out),
        cmocka_unit_test(long_code_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
