/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_rule.c - rows become rules of each kind */
#include "unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ADDRESS UINT64_C(0x1234)

static bool is_found, is_run;
static struct cfi_row row;
static struct cfi_machine machine;

bool eh_frame_find(const struct eh_frame_file *file, uintptr_t address,
                   struct cfi_entry *entry)
{
    assert_ptr_equal(file, &machine.file);
    assert_ptr_equal(entry, &machine.entry);
    assert_int_equal(address, ADDRESS);
    return is_found;
}

bool cfi_program_run(struct cfi_machine *of, uintptr_t address)
{
    assert_int_equal(address, ADDRESS);
    of->row = row;
    return is_run;
}

/* CFA = rsp + 48, the return address below it, rbx and rbp saved. */
static int plain_row(void **state)
{
    (void)state;
    is_found = is_run = true;
    row = (struct cfi_row){
        .cfa = { .how = CFI_IN_REGISTER, .number = CFI_RSP, .offset = 48 }
    };
    row.registers[CFI_RETURN] =
        (struct cfi_place){ .how = CFI_AT_OFFSET, .offset = -8 };
    row.registers[CFI_RBX] =
        (struct cfi_place){ .how = CFI_AT_OFFSET, .offset = -32 };
    row.registers[CFI_RBP] =
        (struct cfi_place){ .how = CFI_AT_OFFSET, .offset = -16 };
    return 0;
}

static struct unwind_rule make(void)
{
    return unwind_rule_make(ADDRESS, &machine);
}

static void set_expression(size_t size, const char *code)
{
    row.cfa = (struct cfi_place){ .how = CFI_IS_EXPRESSION,
                                  .size = (uint16_t)size,
                                  .expression = (const void *)code };
}

static void a_plain_row(void **state)
{
    struct unwind_rule rule = make();

    (void)state;
    assert_int_equal(rule.kind, UNWIND_RULE_PLAIN);
    assert_int_equal(rule.cfa_register, CFI_RSP);
    assert_int_equal(rule.cfa_offset, 48);
    assert_int_equal(rule.saved, 3);
    assert_int_equal(rule.saved_at[0], -4);
    assert_int_equal(rule.saved_at[1], -2);
}

static void a_realigned_frame(void **state)
{
    struct unwind_rule rule;

    (void)state;
    set_expression(3, "\x76\x78\x06"); /* breg6 -8, deref */
    rule = make();
    assert_int_equal(rule.kind, UNWIND_RULE_DEREF);
    assert_int_equal(rule.cfa_register, CFI_RBP);
    assert_int_equal(rule.cfa_offset, -8);
    assert_int_equal(rule.second_offset, 0);
    set_expression(5, "\x77\x10\x06\x23\x20"); /* ..., plus_uconst 32 */
    rule = make();
    assert_int_equal(rule.kind, UNWIND_RULE_DEREF);
    assert_int_equal(rule.cfa_register, CFI_RSP);
    assert_int_equal(rule.cfa_offset, 16);
    assert_int_equal(rule.second_offset, 32);
}

static void other_expressions_are_run_each_time(void **state)
{
    static const struct {
        size_t size;
        const char *code;
    } others[] = {
        { 0, "" },
        { 2, "\x76\x78" }, /* no deref */
        { 4, "\x76\x78\x06\x06" },
        { 4, "\x76\x78\x06\x23" },         /* cut off */
        { 6, "\x76\x78\x06\x23\x20\x06" }, /* more */
        { 3, "\x80\x00\x06" },             /* breg16 */
        { 3, "\x35\x00\x06" },
        { 7, "\x76\x80\x80\x80\x80\x08\x06" },         /* offset too large */
        { 9, "\x76\x78\x06\x23\x80\x80\x80\x80\x08" }, /* the second */
    };

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        set_expression(others[i].size, others[i].code);
        assert_int_equal(make().kind, UNWIND_RULE_GENERAL);
    }
}

static void nobody_calls_the_first(void **state)
{
    (void)state;
    row.registers[CFI_RETURN].how = CFI_UNDEFINED;
    assert_int_equal(make().kind, UNWIND_RULE_END);
}

static void nothing_is_known(void **state)
{
    (void)state;
    is_found = false;
    assert_int_equal(make().kind, UNWIND_RULE_NONE);
    is_found = true;
    is_run = false;
    assert_int_equal(make().kind, UNWIND_RULE_NONE);
}

static void assert_general(void)
{
    assert_int_equal(make().kind, UNWIND_RULE_GENERAL);
    plain_row(NULL);
}

static void what_a_rule_cannot_say(void **state)
{
    (void)state;
    row.is_signal = true;
    assert_general();
    row.registers[CFI_RETURN].offset = 0;
    assert_general();
    row.registers[CFI_RETURN].how = CFI_SAME;
    assert_general();
    row.registers[CFI_RSP].how = CFI_IS_OFFSET;
    assert_general();
    row.registers[0].how = CFI_AT_OFFSET; /* rax */
    assert_general();
    row.registers[11].how = CFI_IN_REGISTER;
    assert_general();
    row.registers[CFI_RBX].how = CFI_UNDEFINED;
    assert_general();
    row.registers[CFI_R15].how = CFI_IN_REGISTER;
    assert_general();
    row.registers[CFI_RBX].offset = -12;
    assert_general();
    row.registers[CFI_RBX].offset = -8 * 32769;
    assert_general();
}

static void scratch_registers_may_be_lost(void **state)
{
    (void)state;
    row.registers[0].how = CFI_UNDEFINED;
    row.registers[11].how = CFI_UNDEFINED;
    assert_int_equal(make().kind, UNWIND_RULE_PLAIN);
}

static void far_away_registers(void **state)
{
    struct unwind_rule rule;

    (void)state;
    row.registers[CFI_R15] =
        (struct cfi_place){ .how = CFI_AT_OFFSET, .offset = -8 * 32768 };
    rule = make();
    assert_int_equal(rule.kind, UNWIND_RULE_PLAIN);
    assert_int_equal(rule.saved, 3 | 1 << 5);
    assert_int_equal(rule.saved_at[5], -32768);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_plain_row, plain_row),
        cmocka_unit_test_setup(a_realigned_frame, plain_row),
        cmocka_unit_test_setup(other_expressions_are_run_each_time, plain_row),
        cmocka_unit_test_setup(nobody_calls_the_first, plain_row),
        cmocka_unit_test_setup(nothing_is_known, plain_row),
        cmocka_unit_test_setup(what_a_rule_cannot_say, plain_row),
        cmocka_unit_test_setup(scratch_registers_may_be_lost, plain_row),
        cmocka_unit_test_setup(far_away_registers, plain_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
