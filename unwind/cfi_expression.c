/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_expression.c - a small stack machine; see cfi.h
 *
 * It has the operations that compilers and assemblers use for frames: for PLT
 * entries, realigned stacks, signal frames and the loops of libcrypto.
 */
#include "unwind/cfi.h"

enum { DEPTH = 16 };

struct machine {
    const struct cfi_reader *reader;
    struct cfi_bytes code;
    uint64_t values[DEPTH];
    unsigned depth;
    bool is_bad;
};

static void push(struct machine *machine, uint64_t value)
{
    if (machine->depth == DEPTH)
        machine->is_bad = true;
    else
        machine->values[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
    if (machine->depth == 0) {
        machine->is_bad = true;
        return 0;
    }
    return machine->values[--machine->depth];
}

static void push_register(struct machine *machine, uint64_t number)
{
    uint64_t value = 0;
    int64_t offset = cfi_sleb(&machine->code);

    if (number > CFI_RETURN ||
        !machine->reader->read_register(machine->reader->context,
                                        (unsigned)number, &value))
        machine->is_bad = true;
    push(machine, value + (uint64_t)offset);
}

static void push_memory(struct machine *machine)
{
    uint64_t value = 0;

    if (!machine->reader->read_memory(machine->reader->context, pop(machine),
                                      &value))
        machine->is_bad = true;
    push(machine, value);
}

static void push_constant(struct machine *machine, unsigned operation)
{
    size_t size = (size_t)1 << ((operation - DW_OP_const1u) / 2);

    if ((operation - DW_OP_const1u) % 2 == 0)
        push(machine, cfi_unsigned(&machine->code, size));
    else
        push(machine, (uint64_t)cfi_signed(&machine->code, size));
}

static uint64_t compute(struct machine *machine, unsigned operation)
{
    uint64_t b = pop(machine), a;

    if (operation == DW_OP_plus_uconst)
        return b + cfi_uleb(&machine->code);
    a = pop(machine);
    switch (operation) {
    case DW_OP_and:
        return a & b;
    case DW_OP_minus:
        return a - b;
    case DW_OP_mul:
        return a * b;
    case DW_OP_plus:
        return a + b;
    case DW_OP_shl:
        return b < 64 ? a << b : 0;
    case DW_OP_ge:
        return (int64_t)a >= (int64_t)b;
    }
    machine->is_bad = true;
    return 0;
}

static void step(struct machine *machine, unsigned operation)
{
    if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31)
        push(machine, operation - DW_OP_lit0);
    else if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31)
        push_register(machine, operation - DW_OP_breg0);
    else if (operation >= DW_OP_const1u && operation <= DW_OP_const8s)
        push_constant(machine, operation);
    else if (operation == DW_OP_constu)
        push(machine, cfi_uleb(&machine->code));
    else if (operation == DW_OP_consts)
        push(machine, (uint64_t)cfi_sleb(&machine->code));
    else if (operation == DW_OP_deref)
        push_memory(machine);
    else if (operation == DW_OP_drop)
        pop(machine);
    else if (operation != DW_OP_nop)
        push(machine, compute(machine, operation));
}

bool cfi_expression_run(const struct cfi_place *place,
                        const struct cfi_reader *reader, bool has_value,
                        uint64_t *value)
{
    struct machine machine = {
        .reader = reader,
        .code = { place->expression, place->expression + place->size, false },
    };

    if (has_value)
        push(&machine, *value);
    while (cfi_left(&machine.code) != 0) {
        step(&machine, (unsigned)cfi_unsigned(&machine.code, 1));
        if (machine.is_bad || machine.code.is_bad)
            return false;
    }
    *value = pop(&machine);
    return !machine.is_bad;
}
