/* SPDX-License-Identifier: Apache-2.0 */
/* cfi_expression.c - a small stack machine; see cfi_expression.h */
#include "unwind/cfi_expression.h"

#include <stddef.h>

#include "unwind/cfi_bytes.h"

enum operation {
    OP_ADDR = 0x03,
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08, /* 1u, 1s, 2u, 2s, 4u, 4s, 8u, 8s */
    OP_CONST8S = 0x0f,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_OVER = 0x14,
    OP_PICK = 0x15,
    OP_SWAP = 0x16,
    OP_ROT = 0x17,
    OP_ABS = 0x19,
    OP_AND = 0x1a,
    OP_DIV = 0x1b,
    OP_MINUS = 0x1c,
    OP_MOD = 0x1d,
    OP_MUL = 0x1e,
    OP_NEG = 0x1f,
    OP_NOT = 0x20,
    OP_OR = 0x21,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_SHR = 0x25,
    OP_SHRA = 0x26,
    OP_XOR = 0x27,
    OP_BRA = 0x28,
    OP_EQ = 0x29,
    OP_GE = 0x2a,
    OP_GT = 0x2b,
    OP_LE = 0x2c,
    OP_LT = 0x2d,
    OP_NE = 0x2e,
    OP_SKIP = 0x2f,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
    OP_NOP = 0x96,
};

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
    size_t size = (size_t)1 << ((operation - OP_CONST1U) / 2);

    if ((operation - OP_CONST1U) % 2 == 0)
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
    case OP_DUP:
        push(machine, peek(machine, 0));
        break;
    case OP_DROP:
        pop(machine);
        break;
    case OP_OVER:
        push(machine, peek(machine, 1));
        break;
    case OP_PICK:
        push(machine, peek(machine, cfi_unsigned(&machine->code, 1)));
        break;
    case OP_SWAP:
        a = pop(machine);
        b = pop(machine);
        push(machine, a);
        push(machine, b);
        break;
    default: /* OP_ROT */
        a = pop(machine);
        b = pop(machine);
        c = pop(machine);
        push(machine, a);
        push(machine, c);
        push(machine, b);
        break;
    }
}

static uint64_t unary(struct machine *machine, unsigned operation, uint64_t a)
{
    switch (operation) {
    case OP_ABS:
        return (int64_t)a < 0 ? 0 - a : a;
    case OP_NEG:
        return 0 - a;
    case OP_NOT:
        return ~a;
    default: /* OP_PLUS_UCONST */
        return a + cfi_uleb(&machine->code);
    }
}

static uint64_t divide(struct machine *machine, int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        machine->is_bad = true;
        return 0;
    }
    return (uint64_t)(a / b);
}

static uint64_t remain(struct machine *machine, uint64_t a, uint64_t b)
{
    if (b == 0) {
        machine->is_bad = true;
        return 0;
    }
    return a % b;
}

/* `a` was pushed first. */
static uint64_t binary(struct machine *machine, unsigned operation, uint64_t a,
                       uint64_t b)
{
    int64_t left = (int64_t)a, right = (int64_t)b;

    switch (operation) {
    case OP_AND:
        return a & b;
    case OP_DIV:
        return divide(machine, left, right);
    case OP_MINUS:
        return a - b;
    case OP_MOD:
        return remain(machine, a, b);
    case OP_MUL:
        return a * b;
    case OP_OR:
        return a | b;
    case OP_PLUS:
        return a + b;
    case OP_SHL:
        return b < 64 ? a << b : 0;
    case OP_SHR:
        return b < 64 ? a >> b : 0;
    case OP_SHRA:
        return (uint64_t)(left >> (b < 64 ? b : 63));
    case OP_XOR:
        return a ^ b;
    case OP_EQ:
        return left == right;
    case OP_GE:
        return left >= right;
    case OP_GT:
        return left > right;
    case OP_LE:
        return left <= right;
    case OP_LT:
        return left < right;
    case OP_NE:
        return left != right;
    default:
        machine->is_bad = true;
        return 0;
    }
}

static void compute(struct machine *machine, unsigned operation)
{
    uint64_t b = pop(machine);

    if (operation == OP_ABS || operation == OP_NEG || operation == OP_NOT ||
        operation == OP_PLUS_UCONST) {
        push(machine, unary(machine, operation, b));
        return;
    }
    push(machine, binary(machine, operation, pop(machine), b));
}

static void step(struct machine *machine, unsigned operation)
{
    if (operation >= OP_LIT0 && operation <= OP_LIT31)
        push(machine, operation - OP_LIT0);
    else if (operation >= OP_BREG0 && operation <= OP_BREG31)
        push_register(machine, operation - OP_BREG0);
    else if (operation == OP_BREGX)
        push_register(machine, cfi_uleb(&machine->code));
    else if (operation == OP_ADDR)
        push(machine, cfi_unsigned(&machine->code, 8));
    else if (operation >= OP_CONST1U && operation <= OP_CONST8S)
        push_constant(machine, operation);
    else if (operation == OP_CONSTU)
        push(machine, cfi_uleb(&machine->code));
    else if (operation == OP_CONSTS)
        push(machine, (uint64_t)cfi_sleb(&machine->code));
    else if (operation == OP_DEREF)
        push_memory(machine);
    else if (operation >= OP_DUP && operation <= OP_ROT)
        shuffle(machine, operation);
    else if (operation == OP_BRA)
        jump(machine, pop(machine) != 0);
    else if (operation == OP_SKIP)
        jump(machine, true);
    else if (operation != OP_NOP)
        compute(machine, operation);
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
