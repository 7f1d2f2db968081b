/* SPDX-License-Identifier: Apache-2.0 */
/* test_cfi_program.c - instructions by hand, and the resulting rows */
#include "unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define START UINT64_C(0x1000)

static struct cfi_machine machine;

struct code {
    size_t size;
    const uint8_t *bytes;
};

#define CODE(...)                                                   \
    (struct code)                                                   \
    {                                                               \
        sizeof((const uint8_t[]){ __VA_ARGS__ }), (const uint8_t[]) \
        {                                                           \
            __VA_ARGS__                                             \
        }                                                           \
    }

/* CFA = rsp + 8, and the return address right below it. */
#define INITIAL CODE(0x0c, 7, 8, 0x80 | 16, 1)

static struct cfi_bytes bytes_of(struct code code)
{
    return (struct cfi_bytes){ code.bytes, code.bytes + code.size, false };
}

static bool run(struct code initial, struct code own, uint64_t at)
{
    machine.entry = (struct cfi_entry){ .start = START,
                                        .end = START + 0x10000,
                                        .code_align = 1,
                                        .data_align = -8,
                                        .encoding = DW_EH_PE_absptr,
                                        .initial = bytes_of(initial),
                                        .own = bytes_of(own) };
    return cfi_program_run(&machine, START + at);
}

static void assert_place(const struct cfi_place *place, enum cfi_how how,
                         unsigned number, int32_t offset)
{
    assert_int_equal(place->how, how);
    assert_int_equal(place->number, number);
    assert_int_equal(place->offset, offset);
}

#define ASSERT_CFA(number, offset) \
    assert_place(&machine.row.cfa, CFI_IN_REGISTER, number, offset)
#define ASSERT_REGISTER(name, how, number, offset) \
    assert_place(&machine.row.registers[name], how, number, offset)

static void a_function_that_pushes(void **state)
{
    /* push rbp; mov rsp, rbp; and gone again before ret */
    const struct code own =
        CODE(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x4f, 0x0c, 7, 8, 0xc6);

    (void)state;
    assert_true(run(INITIAL, own, 0));
    ASSERT_CFA(CFI_RSP, 8);
    ASSERT_REGISTER(CFI_RETURN, CFI_AT_OFFSET, 0, -8);
    ASSERT_REGISTER(CFI_RBP, CFI_SAME, 0, 0);
    assert_true(run(INITIAL, own, 1));
    ASSERT_CFA(CFI_RSP, 16);
    ASSERT_REGISTER(CFI_RBP, CFI_AT_OFFSET, 0, -16);
    assert_true(run(INITIAL, own, 4));
    ASSERT_CFA(CFI_RBP, 16);
    assert_true(run(INITIAL, own, 18));
    ASSERT_CFA(CFI_RBP, 16);
    assert_true(run(INITIAL, own, 19));
    ASSERT_CFA(CFI_RSP, 8);
    ASSERT_REGISTER(CFI_RBP, CFI_SAME, 0, 0);
}

static void each_way_to_advance(void **state)
{
    const struct code one = CODE(0x02, 0x80, 0x0e, 16);
    const struct code two = CODE(0x03, 0x00, 0x80, 0x0e, 16);
    const struct code four = CODE(0x04, 0x00, 0x80, 0x00, 0x00, 0x0e, 16);
    const struct code to = CODE(0x01, 0x80, 0x10, 0, 0, 0, 0, 0, 0, 0x0e, 16);

    (void)state;
    assert_true(run(INITIAL, one, 0x7f));
    ASSERT_CFA(CFI_RSP, 8);
    assert_true(run(INITIAL, one, 0x80));
    ASSERT_CFA(CFI_RSP, 16);
    assert_true(run(INITIAL, two, 0x7fff));
    ASSERT_CFA(CFI_RSP, 8);
    assert_true(run(INITIAL, two, 0x8000));
    ASSERT_CFA(CFI_RSP, 16);
    assert_true(run(INITIAL, four, 0x7fff));
    ASSERT_CFA(CFI_RSP, 8);
    assert_true(run(INITIAL, four, 0x8000));
    ASSERT_CFA(CFI_RSP, 16);
    assert_true(run(INITIAL, to, 0x7f));
    ASSERT_CFA(CFI_RSP, 8);
    assert_true(run(INITIAL, to, 0x80));
    ASSERT_CFA(CFI_RSP, 16);
}

static void each_way_to_define_the_cfa(void **state)
{
    (void)state;
    assert_true(run(INITIAL, CODE(0x0c, 6, 0x80, 0x01), 0));
    ASSERT_CFA(CFI_RBP, 128);
    assert_true(run(INITIAL, CODE(0x0d, 6), 0));
    ASSERT_CFA(CFI_RBP, 8);
    assert_true(run(INITIAL, CODE(0x0e, 64), 0));
    ASSERT_CFA(CFI_RSP, 64);
    assert_true(run(INITIAL, CODE(0x12, 6, 0x7e), 0));
    ASSERT_CFA(CFI_RBP, 16);
    assert_true(run(INITIAL, CODE(0x13, 0x7d), 0));
    ASSERT_CFA(CFI_RSP, 24);
    assert_true(run(INITIAL, CODE(0x0f, 3, 0x76, 0x78, 0x06), 0));
    assert_int_equal(machine.row.cfa.how, CFI_IS_EXPRESSION);
    assert_int_equal(machine.row.cfa.size, 3);
    assert_memory_equal(machine.row.cfa.expression, "\x76\x78\x06", 3);
}

static void each_place_of_a_register(void **state)
{
    (void)state;
    assert_true(run(INITIAL, CODE(0x83, 4), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_AT_OFFSET, 0, -32);
    assert_true(run(INITIAL, CODE(0x05, 3, 0x80, 0x01), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_AT_OFFSET, 0, -1024);
    assert_true(run(INITIAL, CODE(0x11, 3, 0x7e), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_AT_OFFSET, 0, 16);
    assert_true(run(INITIAL, CODE(0x2f, 3, 2), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_AT_OFFSET, 0, 16);
    assert_true(run(INITIAL, CODE(0x14, 7, 2), 0));
    ASSERT_REGISTER(CFI_RSP, CFI_IS_OFFSET, 0, -16);
    assert_true(run(INITIAL, CODE(0x15, 7, 0x7e), 0));
    ASSERT_REGISTER(CFI_RSP, CFI_IS_OFFSET, 0, 16);
    assert_true(run(INITIAL, CODE(0x07, 16), 0));
    ASSERT_REGISTER(CFI_RETURN, CFI_UNDEFINED, 0, 0);
    assert_true(run(INITIAL, CODE(0x83, 4, 0x08, 3), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_SAME, 0, 0);
    assert_true(run(INITIAL, CODE(0x09, 3, 12), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_IN_REGISTER, 12, 0);
    assert_true(run(INITIAL, CODE(0x10, 3, 2, 0x77, 0x28), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_AT_EXPRESSION, 0, 0);
    assert_memory_equal(machine.row.registers[CFI_RBX].expression, "\x77\x28",
                        2);
    assert_true(run(INITIAL, CODE(0x16, 3, 1, 0x35), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_IS_EXPRESSION, 0, 0);
    assert_int_equal(machine.row.registers[CFI_RBX].size, 1);
}

static void restoring_is_to_what_the_cie_says(void **state)
{
    const struct code initial = CODE(0x0c, 7, 8, 0x90, 1, 0x83, 3);

    (void)state;
    assert_true(run(initial, CODE(0x83, 5, 0xc3), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_AT_OFFSET, 0, -24);
    assert_true(run(initial, CODE(0x83, 5, 0x06, 3), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_AT_OFFSET, 0, -24);
}

/* Restoring in a CIE must not use values left in the scratch memory. */
static void restoring_in_a_cie_is_to_nothing(void **state)
{
    (void)state;
    assert_true(run(CODE(0x0c, 7, 8, 0x90, 1, 0x10, 3, 1, 0x35), CODE(0), 0));
    assert_true(run(CODE(0x0c, 7, 8, 0x90, 1, 0xc3), CODE(0), 0));
    ASSERT_REGISTER(CFI_RBX, CFI_SAME, 0, 0);
}

static void a_state_is_remembered_with_its_cfa(void **state)
{
    (void)state;
    assert_true(run(INITIAL, CODE(0x83, 5, 0x0a, 0x0e, 64, 0x83, 6, 0x0b), 0));
    ASSERT_CFA(CFI_RSP, 8);
    ASSERT_REGISTER(CFI_RBX, CFI_AT_OFFSET, 0, -40);
}

static void what_does_not_matter_is_passed_over(void **state)
{
    (void)state;
    /* xmm0 and beyond, GNU_args_size, nop */
    assert_true(run(
        INITIAL,
        CODE(0x05, 17, 2, 0x91, 2, 0xd1, 0x2e, 0x80, 0x01, 0x00, 0x0e, 24), 0));
    ASSERT_CFA(CFI_RSP, 24);
}

/* Known by their address, if they say the same of each function. */
static void a_cies_instructions_run_once(void **state)
{
    const struct code moving = CODE(0x0c, 7, 8, 0x41);

    (void)state;
    cfi_forget(&machine);
    run(INITIAL, CODE(0), 0);
    machine.entry.common = 1;
    assert_true(cfi_program_run(&machine, START));
    machine.entry.initial = bytes_of(CODE(0x0c, 6, 16));
    assert_true(cfi_program_run(&machine, START));
    ASSERT_CFA(CFI_RSP, 8);
    machine.entry.common = 2;
    assert_true(cfi_program_run(&machine, START));
    ASSERT_CFA(CFI_RBP, 16);
    machine.entry.initial = bytes_of(moving);
    machine.entry.common = 3;
    assert_true(cfi_program_run(&machine, START + 1));
    assert_int_equal(machine.first_common, 0);
    cfi_forget(&machine);
}

static void the_frame_of_a_signal_is_one(void **state)
{
    (void)state;
    run(INITIAL, CODE(0), 0);
    assert_false(machine.row.is_signal);
    machine.entry.is_signal = true;
    assert_true(cfi_program_run(&machine, START));
    assert_true(machine.row.is_signal);
}

static void damage_is_refused(void **state)
{
    const struct code damaged[] = {
        CODE(0x0c, 7), /* cut off */
        CODE(0x02),
        CODE(0x0e, 0x80),
        CODE(0x0f, 4, 0x77), /* an expression, too */
        CODE(0x0f, 0xff, 0xff, 0xff, 0x7f),
        CODE(0x0c, 16, 8),         /* no register for a CFA */
        CODE(0x0c, 0x87, 0x02, 8), /* 263 is not 7 */
        CODE(0x0d, 16),
        CODE(0x09, 3, 16),
        CODE(0x0e, 0x80, 0x80, 0x80, 0x80, 0x08),    /* INT32_MAX + 1 */
        CODE(0x05, 3, 0x80, 0x80, 0x80, 0x80, 0x02), /* times -8 */
        CODE(0x05, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
        CODE(0x0b), /* nothing remembered */
        CODE(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a),
        CODE(0x17), /* no such instruction */
        CODE(0x3f),
    };

    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        assert_false(run(INITIAL, damaged[i], 0));
        assert_false(run(damaged[i], CODE(0), 0));
    }
}

static void a_row_without_a_cfa_is_none(void **state)
{
    (void)state;
    assert_false(run(CODE(0x90, 1), CODE(0x00), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_that_pushes),
        cmocka_unit_test(each_way_to_advance),
        cmocka_unit_test(each_way_to_define_the_cfa),
        cmocka_unit_test(each_place_of_a_register),
        cmocka_unit_test(restoring_is_to_what_the_cie_says),
        cmocka_unit_test(restoring_in_a_cie_is_to_nothing),
        cmocka_unit_test(a_state_is_remembered_with_its_cfa),
        cmocka_unit_test(what_does_not_matter_is_passed_over),
        cmocka_unit_test(a_cies_instructions_run_once),
        cmocka_unit_test(the_frame_of_a_signal_is_one),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(a_row_without_a_cfa_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
