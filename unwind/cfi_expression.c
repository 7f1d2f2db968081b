/* SPDX-License-Identifier: Apache-2.0 */
/* cfi_expression.c - a small stack machine; see cfi.h */
#include "unwind/cfi.h"

enum { DEPTH = 16, STEPS = 256 };

struct machine {
    const struct cfi_reader *reader;
    struct cfi_bytes code;
    const uint8_t *start;
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

/* The value `index` places below the top. */
static uint64_t peek(struct machine *machine, uint64_t index)
{
    if (index >= machine->depth) {
        machine->is_bad = true;
        return 0;
    }
    return machine->values[machine->depth - 1 - index];
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

static void jump(struct machine *machine, bool is_taken)
{
    int64_t distance = cfi_signed(&machine->code, 2);
    ptrdiff_t from = machine->code.at - machine->start;
    ptrdiff_t size = machine->code.end - machine->start;

    if (!is_taken)
        return;
    if (distance < -from || distance > size - from)
        machine->is_bad = true;
    else
        machine->code.at += distance;
}

static void shuffle(struct machine *machine, unsigned operation)
{
    uint64_t a, b, c;

    switch (operation) {
    case DW_OP_dup:
        push(machine, peek(machine, 0));
        break;
    case DW_OP_drop:
        pop(machine);
        break;
    case DW_OP_over:
        push(machine, peek(machine, 1));
        break;
    case DW_OP_pick:
        push(machine, peek(machine, cfi_unsigned(&machine->code, 1)));
        break;
    default: /* DW_OP_swap, or DW_OP_rot, which takes three */
        a = pop(machine);
        b = pop(machine);
        c = operation == DW_OP_rot ? pop(machine) : 0;
        push(machine, a);
        if (operation == DW_OP_rot)
            push(machine, c);
        push(machine, b);
    }
}

static uint64_t compute(struct machine *machine, unsigned operation)
{
    uint64_t b = pop(machine), a;
    int64_t left, right = (int64_t)b;

    switch (operation) {
    case DW_OP_abs:
        return right < 0 ? 0 - b : b;
    case DW_OP_neg:
        return 0 - b;
    case DW_OP_not:
        return ~b;
    case DW_OP_plus_uconst:
        return b + cfi_uleb(&machine->code);
    }
    a = pop(machine);
    left = (int64_t)a;
    switch (operation) {
    case DW_OP_and:
        return a & b;
    case DW_OP_div:
        if (b != 0 && (left != INT64_MIN || right != -1))
            return (uint64_t)(left / right);
        break;
    case DW_OP_minus:
        return a - b;
    case DW_OP_mod:
        if (b != 0)
            return a % b;
        break;
    case DW_OP_mul:
        return a * b;
    case DW_OP_or:
        return a | b;
    case DW_OP_plus:
        return a + b;
    case DW_OP_shl:
        return b < 64 ? a << b : 0;
    case DW_OP_shr:
        return b < 64 ? a >> b : 0;
    case DW_OP_shra:
        return (uint64_t)(left >> (b < 64 ? b : 63));
    case DW_OP_xor:
        return a ^ b;
    case DW_OP_eq:
        return left == right;
    case DW_OP_ge:
        return left >= right;
    case DW_OP_gt:
        return left > right;
    case DW_OP_le:
        return left <= right;
    case DW_OP_lt:
        return left < right;
    case DW_OP_ne:
        return left != right;
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
    else if (operation == DW_OP_bregx)
        push_register(machine, cfi_uleb(&machine->code));
    else if (operation == DW_OP_addr)
        push(machine, cfi_unsigned(&machine->code, 8));
    else if (operation >= DW_OP_const1u && operation <= DW_OP_const8s)
        push_constant(machine, operation);
    else if (operation == DW_OP_constu)
        push(machine, cfi_uleb(&machine->code));
    else if (operation == DW_OP_consts)
        push(machine, (uint64_t)cfi_sleb(&machine->code));
    else if (operation == DW_OP_deref)
        push_memory(machine);
    else if (operation >= DW_OP_dup && operation <= DW_OP_rot)
        shuffle(machine, operation);
    else if (operation == DW_OP_bra)
        jump(machine, pop(machine) != 0);
    else if (operation == DW_OP_skip)
        jump(machine, true);
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
        .start = place->expression
    };

    if (has_value)
        push(&machine, *value);
    for (unsigned steps = 0; cfi_left(&machine.code) != 0; steps++) {
        if (steps == STEPS)
            return false;
        step(&machine, (unsigned)cfi_unsigned(&machine.code, 1));
        if (machine.is_bad || machine.code.is_bad)
            return false;
    }
    *value = pop(&machine);
    return !machine.is_bad;
}
