/* SPDX-License-Identifier: Apache-2.0 */
/* cfi_program.c - the instructions of DWARF 5, section 6.4.2, and two of GNU */
#include "unwind/cfi.h"

struct run {
    struct cfi_machine *machine;
    const struct cfi_entry *entry;
    struct cfi_bytes code;
    uintptr_t location;
    uintptr_t address; /* the wanted row's address */
    unsigned remembered;
    bool is_bad;
};

/* action of an instruction, after its operands are read */
enum act {
    ACT_BAD,
    ACT_NOTHING,
    ACT_GO_TO,
    ACT_ADVANCE,
    ACT_REMEMBER,
    ACT_RECALL,
    ACT_RESTORE,
    ACT_SET,
    ACT_SET_CFA
};

enum operand {
    NO_OPERAND,
    BYTES_1,
    BYTES_2,
    BYTES_4,
    ADDRESS,
    LENGTH,
    UNSIGNED,
    FACTORED,
    FACTORED_SIGNED,
    FACTORED_NEGATIVE,
    REGISTER,
    EXPRESSION
};

static const struct form {
    uint8_t act;
    uint8_t has_number; /* a register number comes first */
    uint8_t operand;
    uint8_t how; /* enum cfi_how of the place that it sets */
} forms[] = {
    [DW_CFA_nop] = { ACT_NOTHING, 0, NO_OPERAND, 0 },
    [DW_CFA_set_loc] = { ACT_GO_TO, 0, ADDRESS, 0 },
    [DW_CFA_advance_loc1] = { ACT_ADVANCE, 0, BYTES_1, 0 },
    [DW_CFA_advance_loc2] = { ACT_ADVANCE, 0, BYTES_2, 0 },
    [DW_CFA_advance_loc4] = { ACT_ADVANCE, 0, BYTES_4, 0 },
    [DW_CFA_offset_extended] = { ACT_SET, 1, FACTORED, CFI_AT_OFFSET },
    [DW_CFA_restore_extended] = { ACT_RESTORE, 1, NO_OPERAND, 0 },
    [DW_CFA_undefined] = { ACT_SET, 1, NO_OPERAND, CFI_UNDEFINED },
    [DW_CFA_same_value] = { ACT_SET, 1, NO_OPERAND, CFI_SAME },
    [DW_CFA_register] = { ACT_SET, 1, REGISTER, CFI_IN_REGISTER },
    [DW_CFA_remember_state] = { ACT_REMEMBER, 0, NO_OPERAND, 0 },
    [DW_CFA_restore_state] = { ACT_RECALL, 0, NO_OPERAND, 0 },
    [DW_CFA_def_cfa] = { ACT_SET_CFA, 1, UNSIGNED, CFI_IN_REGISTER },
    [DW_CFA_def_cfa_register] = { ACT_SET_CFA, 1, NO_OPERAND, CFI_IN_REGISTER },
    [DW_CFA_def_cfa_offset] = { ACT_SET_CFA, 0, UNSIGNED, CFI_IN_REGISTER },
    [DW_CFA_def_cfa_expression] = { ACT_SET_CFA, 0, EXPRESSION,
                                    CFI_IS_EXPRESSION },
    [DW_CFA_expression] = { ACT_SET, 1, EXPRESSION, CFI_AT_EXPRESSION },
    [DW_CFA_offset_extended_sf] = { ACT_SET, 1, FACTORED_SIGNED,
                                    CFI_AT_OFFSET },
    [DW_CFA_def_cfa_sf] = { ACT_SET_CFA, 1, FACTORED_SIGNED, CFI_IN_REGISTER },
    [DW_CFA_def_cfa_offset_sf] = { ACT_SET_CFA, 0, FACTORED_SIGNED,
                                   CFI_IN_REGISTER },
    [DW_CFA_val_offset] = { ACT_SET, 1, FACTORED, CFI_IS_OFFSET },
    [DW_CFA_val_offset_sf] = { ACT_SET, 1, FACTORED_SIGNED, CFI_IS_OFFSET },
    [DW_CFA_val_expression] = { ACT_SET, 1, EXPRESSION, CFI_IS_EXPRESSION },
    [DW_CFA_GNU_args_size] = { ACT_NOTHING, 0, LENGTH, 0 },
    [DW_CFA_GNU_negative_offset_extended] = { ACT_SET, 1, FACTORED_NEGATIVE,
                                              CFI_AT_OFFSET },
    /* These have an operand in their lower six bits. */
    [DW_CFA_offset] = { ACT_SET, 0, FACTORED, CFI_AT_OFFSET },
    [DW_CFA_restore] = { ACT_RESTORE, 0, NO_OPERAND, 0 },
};

static int32_t narrow(struct run *run, int64_t value)
{
    if (value < INT32_MIN || value > INT32_MAX)
        run->is_bad = true;
    return (int32_t)value;
}

/* Multiply by the alignment, and check for overflow. */
static int32_t factored(struct run *run, int64_t value)
{
    int64_t product = 0;

    if (__builtin_mul_overflow(value, run->entry->data_align, &product))
        run->is_bad = true;
    return narrow(run, run->is_bad ? 0 : product);
}

/* Read an operand into `place`, or return it as a number. */
static uint64_t read_operand(struct run *run, enum operand operand,
                             struct cfi_place *place)
{
    struct cfi_bytes *code = &run->code;
    uint64_t value = 0;

    switch (operand) {
    case NO_OPERAND:
        return 0;
    case BYTES_1:
    case BYTES_2:
    case BYTES_4:
        return cfi_unsigned(code, (size_t)1 << (operand - BYTES_1));
    case ADDRESS:
        return eh_pointer_read(code, run->entry->encoding, 0);
    case LENGTH:
        return cfi_uleb(code);
    case UNSIGNED:
        place->offset = narrow(run, (int64_t)cfi_uleb(code));
        return 0;
    case FACTORED:
        place->offset = factored(run, (int64_t)cfi_uleb(code));
        return 0;
    case FACTORED_SIGNED:
        place->offset = factored(run, cfi_sleb(code));
        return 0;
    case FACTORED_NEGATIVE:
        place->offset = factored(run, (int64_t)(0 - cfi_uleb(code)));
        return 0;
    case REGISTER:
        value = cfi_uleb(code);
        run->is_bad |= value >= CFI_RETURN;
        place->number = (uint8_t)value;
        return 0;
    case EXPRESSION:
        value = cfi_uleb(code);
        run->is_bad |= value > UINT16_MAX;
        place->size = (uint16_t)value;
        place->expression = code->at;
        cfi_skip(code, value);
        return 0;
    }
    return 0;
}

/* Run one instruction. RECALL restores the CFA as well: GNU's reading, which
   all compilers follow. */
static void run_one(struct run *run, unsigned byte)
{
    struct cfi_machine *machine = run->machine;
    unsigned number = byte >> 6 == 0 ? byte : byte & 0xc0;
    struct form form = number < sizeof forms / sizeof forms[0]
                           ? forms[number]
                           : (struct form){ 0 };
    struct cfi_place place = { .how = form.how };
    uint64_t reg, value;

    /* An instruction for one part of the CFA keeps the other. */
    if (form.act == ACT_SET_CFA && form.how == CFI_IN_REGISTER)
        place.offset = machine->row.cfa.offset;
    reg = form.has_number  ? cfi_uleb(&run->code)
          : byte >> 6 != 0 ? byte & 0x3f
                           : machine->row.cfa.number;
    value = read_operand(run, form.operand, &place);
    switch (form.act) {
    case ACT_NOTHING:
        break;
    case ACT_GO_TO:
        run->location = value;
        break;
    case ACT_ADVANCE:
        run->location += value * run->entry->code_align;
        break;
    case ACT_REMEMBER:
        if (run->remembered == CFI_REMEMBERED)
            run->is_bad = true;
        else
            machine->remembered[run->remembered++] = machine->row;
        break;
    case ACT_RECALL:
        if (run->remembered == 0)
            run->is_bad = true;
        else
            machine->row = machine->remembered[--run->remembered];
        break;
    case ACT_RESTORE:
    case ACT_SET:
        /* Some registers, of vectors for example, do not matter here. */
        if (reg < CFI_REGISTERS)
            machine->row.registers[reg] =
                form.act == ACT_SET ? place : machine->first.registers[reg];
        break;
    case ACT_SET_CFA:
        if (place.how == CFI_IN_REGISTER)
            place.number = (uint8_t)reg;
        run->is_bad |= place.how == CFI_IN_REGISTER && reg >= CFI_RETURN;
        machine->row.cfa = place;
        break;
    default:
        run->is_bad = true;
    }
}

/* Run DW_CFA_advance_loc, or another instruction of each push if its operand
   has one byte. */
static bool run_frequent(struct run *run, unsigned byte)
{
    struct cfi_row *row = &run->machine->row;
    unsigned reg = byte & 0x3f, operand;

    if ((byte & 0xc0) == DW_CFA_advance_loc) {
        run->location += reg * run->entry->code_align;
        return true;
    }
    if (cfi_left(&run->code) == 0 || *run->code.at >= 0x80)
        return false;
    operand = *run->code.at;
    if (byte == DW_CFA_def_cfa_offset) {
        row->cfa = (struct cfi_place){ .how = CFI_IN_REGISTER,
                                       .number = row->cfa.number,
                                       .offset = (int32_t)operand };
    } else if ((byte & 0xc0) == DW_CFA_offset && reg < CFI_REGISTERS) {
        row->registers[reg] =
            (struct cfi_place){ .how = CFI_AT_OFFSET,
                                .offset = factored(run, operand) };
    } else {
        return false;
    }
    run->code.at++;
    return true;
}

/* Run until the row of `address` is complete, or the instructions end. */
static bool run_all(struct run *run, struct cfi_bytes code)
{
    run->code = code;
    while (run->location <= run->address && cfi_left(&run->code) != 0) {
        unsigned byte = *run->code.at++;

        if (!run_frequent(run, byte))
            run_one(run, byte);
    }
    return !run->is_bad && !run->code.is_bad;
}

bool cfi_program_run(struct cfi_machine *machine, uintptr_t address)
{
    const struct cfi_entry *entry = &machine->entry;
    struct run run = { .machine = machine,
                       .entry = entry,
                       .location = entry->start,
                       .address = address };

    if (entry->common == 0 || machine->first_common != entry->common) {
        machine->row = (struct cfi_row){ .is_signal = entry->is_signal };
        machine->first = machine->row;
        machine->first_common = 0;
        if (!run_all(&run, entry->initial))
            return false;
        machine->first = machine->row;
        /* else they lead elsewhere for another FDE */
        if (run.location == entry->start && run.remembered == 0)
            machine->first_common = entry->common;
    }
    machine->row = machine->first;
    return run_all(&run, entry->own) &&
           (machine->row.cfa.how == CFI_IN_REGISTER ||
            machine->row.cfa.how == CFI_IS_EXPRESSION);
}
