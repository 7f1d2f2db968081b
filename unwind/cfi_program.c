/* SPDX-License-Identifier: Apache-2.0 */
/* cfi_program.c - the instructions of DWARF 5, section 6.4.2, and GNU's two */
#include "unwind/cfi_program.h"

#include "unwind/cfi_bytes.h"

enum operation {
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,

    /* In the upper two bits, with an operand in the lower six. */
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
};

struct run {
    struct cfi_machine *machine;
    const struct cfi_entry *entry;
    struct cfi_bytes code;
    uintptr_t location;
    uintptr_t address; /* the row of this one is wanted */
    unsigned remembered;
    bool is_bad;
};

/* Some registers, of vectors for example, do not matter for us. */
static void set(struct run *run, uint64_t number, struct cfi_place place)
{
    if (number < CFI_REGISTERS)
        run->machine->row.registers[number] = place;
}

static int32_t narrow(struct run *run, int64_t value)
{
    if (value < INT32_MIN || value > INT32_MAX)
        run->is_bad = true;
    return (int32_t)value;
}

/* `factored` times the alignment, which may not overflow. */
static int32_t factored(struct run *run, int64_t value)
{
    int64_t product;

    if (__builtin_mul_overflow(value, run->entry->data_align, &product))
        run->is_bad = true;
    return narrow(run, run->is_bad ? 0 : product);
}

static void set_offset(struct run *run, uint64_t number, enum cfi_how how,
                       int64_t value)
{
    set(run, number,
        (struct cfi_place){ .how = (uint8_t)how,
                            .offset = factored(run, value) });
}

static struct cfi_place read_expression(struct run *run, enum cfi_how how)
{
    uint64_t size = cfi_uleb(&run->code);
    struct cfi_place place = { .how = (uint8_t)how,
                               .size = (uint16_t)size,
                               .expression = run->code.at };

    if (size > UINT16_MAX)
        run->is_bad = true;
    cfi_skip(&run->code, size);
    return place;
}

static void define_cfa(struct run *run, uint64_t number, int64_t offset)
{
    if (number >= CFI_RETURN)
        run->is_bad = true;
    run->machine->row.cfa = (struct cfi_place){ .how = CFI_IN_REGISTER,
                                                .number = (uint8_t)number,
                                                .offset = narrow(run, offset) };
}

static void restore(struct run *run, uint64_t number)
{
    if (number < CFI_REGISTERS)
        set(run, number, run->machine->first.registers[number]);
}

static void remember(struct run *run)
{
    if (run->remembered == CFI_REMEMBERED)
        run->is_bad = true;
    else
        run->machine->remembered[run->remembered++] = run->machine->row;
}

/* GNU's reading, which all compilers follow: the CFA is restored as well. */
static void recall(struct run *run)
{
    if (run->remembered == 0)
        run->is_bad = true;
    else
        run->machine->row = run->machine->remembered[--run->remembered];
}

static void advance(struct run *run, uint64_t delta)
{
    run->location += delta * run->entry->code_align;
}

static void run_cfa(struct run *run, unsigned operation)
{
    struct cfi_bytes *code = &run->code;
    struct cfi_place *cfa = &run->machine->row.cfa;
    uint64_t number = cfa->number;

    switch (operation) {
    case CFA_DEF_CFA:
        number = cfi_uleb(code);
        define_cfa(run, number, (int64_t)cfi_uleb(code));
        break;
    case CFA_DEF_CFA_SF:
        number = cfi_uleb(code);
        define_cfa(run, number, factored(run, cfi_sleb(code)));
        break;
    case CFA_DEF_CFA_REGISTER:
        define_cfa(run, cfi_uleb(code), cfa->offset);
        break;
    case CFA_DEF_CFA_OFFSET:
        define_cfa(run, number, (int64_t)cfi_uleb(code));
        break;
    case CFA_DEF_CFA_OFFSET_SF:
        define_cfa(run, number, factored(run, cfi_sleb(code)));
        break;
    case CFA_DEF_CFA_EXPRESSION:
        *cfa = read_expression(run, CFI_IS_EXPRESSION);
        break;
    default:
        run->is_bad = true;
    }
}

static void run_offset(struct run *run, enum cfi_how how, bool is_signed)
{
    struct cfi_bytes *code = &run->code;
    uint64_t number = cfi_uleb(code);

    set_offset(run, number, how,
               is_signed ? cfi_sleb(code) : (int64_t)cfi_uleb(code));
}

/* One with the number of a register, and what says where that is. */
static void run_register(struct run *run, unsigned operation)
{
    struct cfi_bytes *code = &run->code;
    uint64_t number = cfi_uleb(code);
    struct cfi_place place = { .how = CFI_UNDEFINED };

    if (operation == CFA_SAME_VALUE) {
        place.how = CFI_SAME;
    } else if (operation == CFA_REGISTER) {
        uint64_t other = cfi_uleb(code);

        run->is_bad |= other >= CFI_RETURN;
        place.how = CFI_IN_REGISTER;
        place.number = (uint8_t)other;
    } else if (operation != CFA_UNDEFINED) {
        place = read_expression(run, operation == CFA_EXPRESSION
                                         ? CFI_AT_EXPRESSION
                                         : CFI_IS_EXPRESSION);
    }
    set(run, number, place);
}

static void run_long(struct run *run, unsigned operation)
{
    struct cfi_bytes *code = &run->code;
    uint64_t number;

    switch (operation) {
    case CFA_NOP:
        break;
    case CFA_SET_LOC:
        run->location = eh_pointer_read(code, run->entry->encoding, 0);
        break;
    case CFA_ADVANCE_LOC1:
        advance(run, cfi_unsigned(code, 1));
        break;
    case CFA_ADVANCE_LOC2:
        advance(run, cfi_unsigned(code, 2));
        break;
    case CFA_ADVANCE_LOC4:
        advance(run, cfi_unsigned(code, 4));
        break;
    case CFA_REMEMBER_STATE:
        remember(run);
        break;
    case CFA_RESTORE_STATE:
        recall(run);
        break;
    case CFA_OFFSET_EXTENDED:
    case CFA_OFFSET_EXTENDED_SF:
        run_offset(run, CFI_AT_OFFSET, operation == CFA_OFFSET_EXTENDED_SF);
        break;
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
        run_offset(run, CFI_IS_OFFSET, operation == CFA_VAL_OFFSET_SF);
        break;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
        number = cfi_uleb(code);
        set_offset(run, number, CFI_AT_OFFSET, (int64_t)(0 - cfi_uleb(code)));
        break;
    case CFA_RESTORE_EXTENDED:
        restore(run, cfi_uleb(code));
        break;
    case CFA_UNDEFINED:
    case CFA_SAME_VALUE:
    case CFA_REGISTER:
    case CFA_EXPRESSION:
    case CFA_VAL_EXPRESSION:
        run_register(run, operation);
        break;
    case CFA_GNU_ARGS_SIZE:
        cfi_uleb(code);
        break;
    default:
        run_cfa(run, operation);
    }
}

/* Until the row of `address` is complete, or the instructions end. */
static bool run_all(struct run *run, struct cfi_bytes code)
{
    run->code = code;
    while (run->location <= run->address && cfi_left(&run->code) != 0) {
        unsigned byte = (unsigned)cfi_unsigned(&run->code, 1);
        unsigned operand = byte & 0x3f;

        switch (byte & 0xc0) {
        case CFA_ADVANCE_LOC:
            advance(run, operand);
            break;
        case CFA_OFFSET:
            set_offset(run, operand, CFI_AT_OFFSET,
                       (int64_t)cfi_uleb(&run->code));
            break;
        case CFA_RESTORE:
            restore(run, operand);
            break;
        default:
            run_long(run, byte);
        }
        if (run->is_bad || run->code.is_bad)
            return false;
    }
    return true;
}

bool cfi_program_run(struct cfi_machine *machine, uintptr_t address)
{
    const struct cfi_entry *entry = &machine->entry;
    struct run run = { .machine = machine,
                       .entry = entry,
                       .location = entry->start,
                       .address = address };

    machine->row = (struct cfi_row){ .is_signal = entry->is_signal };
    machine->first = machine->row;
    if (!run_all(&run, entry->initial))
        return false;
    machine->first = machine->row;
    return run_all(&run, entry->own) &&
           (machine->row.cfa.how == CFI_IN_REGISTER ||
            machine->row.cfa.how == CFI_IS_EXPRESSION);
}
