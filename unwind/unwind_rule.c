/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_rule.c - from a row of call frame information to a rule */
#include "unwind/cfi.h"

const uint8_t unwind_saved_registers[UNWIND_SAVED] = { CFI_RBX,     CFI_RBP,
                                                       CFI_R12,     CFI_R12 + 1,
                                                       CFI_R12 + 2, CFI_R15 };

/* Read breg N, offset; deref; perhaps plus_uconst: a realigned frame. */
static bool read_deref(const struct cfi_place *cfa, struct unwind_rule *rule)
{
    struct cfi_bytes code = { cfa->expression, cfa->expression + cfa->size,
                              false };
    uint64_t number = cfi_unsigned(&code, 1) - DW_OP_breg0;
    int64_t offset = cfi_sleb(&code);
    uint64_t second = 0;

    if (cfi_unsigned(&code, 1) != DW_OP_deref)
        return false;
    if (cfi_left(&code) != 0) {
        if (cfi_unsigned(&code, 1) != DW_OP_plus_uconst)
            return false;
        second = cfi_uleb(&code);
    }
    if (code.is_bad || cfi_left(&code) != 0 || number >= CFI_RETURN ||
        offset < INT32_MIN || offset > INT32_MAX || second > INT32_MAX)
        return false;
    rule->kind = UNWIND_RULE_DEREF;
    rule->cfa_register = (uint8_t)number;
    rule->cfa_offset = (int32_t)offset;
    rule->second_offset = (int32_t)second;
    return true;
}

static bool read_cfa(const struct cfi_place *cfa, struct unwind_rule *rule)
{
    if (cfa->how == CFI_IS_EXPRESSION)
        return read_deref(cfa, rule);
    rule->kind = UNWIND_RULE_PLAIN;
    rule->cfa_register = cfa->number;
    rule->cfa_offset = cfa->offset;
    return true;
}

/* Return true if a register that calls may change is said to be somewhere. */
static bool has_scratch_registers(const struct cfi_row *row)
{
    uint32_t known = UNWIND_SAVED_MASK | 1u << CFI_RSP | 1u << CFI_RETURN;

    for (unsigned number = 0; number < CFI_REGISTERS; number++) {
        if ((known >> number & 1) == 0 &&
            row->registers[number].how > CFI_UNDEFINED)
            return true;
    }
    return row->registers[CFI_RSP].how != CFI_SAME;
}

static bool read_saved(const struct cfi_row *row, struct unwind_rule *rule)
{
    for (unsigned i = 0; i < UNWIND_SAVED; i++) {
        const struct cfi_place *place =
            &row->registers[unwind_saved_registers[i]];

        if (place->how == CFI_SAME)
            continue;
        if (place->how != CFI_AT_OFFSET || place->offset % 8 != 0 ||
            place->offset / 8 < INT16_MIN || place->offset / 8 > INT16_MAX)
            return false;
        rule->saved |= (uint8_t)(1u << i);
        rule->saved_at[i] = (int16_t)(place->offset / 8);
    }
    return true;
}

static bool is_plain(const struct cfi_row *row, struct unwind_rule *rule)
{
    const struct cfi_place *back = &row->registers[CFI_RETURN];

    return !row->is_signal && back->how == CFI_AT_OFFSET &&
           back->offset == -8 && !has_scratch_registers(row) &&
           read_cfa(&row->cfa, rule) && read_saved(row, rule);
}

struct unwind_rule unwind_rule_make(uintptr_t address,
                                    struct cfi_machine *machine)
{
    struct unwind_rule rule = { .kind = UNWIND_RULE_NONE };

    if (!cfi_find(machine, address) || !cfi_program_run(machine, address))
        return rule;
    if (machine->row.registers[CFI_RETURN].how == CFI_UNDEFINED)
        return (struct unwind_rule){ .kind = UNWIND_RULE_END };
    if (!is_plain(&machine->row, &rule))
        return (struct unwind_rule){ .kind = UNWIND_RULE_GENERAL };
    return rule;
}
