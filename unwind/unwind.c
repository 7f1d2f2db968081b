/* SPDX-License-Identifier: Apache-2.0 */
/* unwind.c - frame by frame; see unwind.h */
#include "unwind/unwind.h"

#include <stddef.h>

#include "unwind/cfi_expression.h"

/* A frame of code without call frame information is taken for no larger ... */
#define GUESSED_FRAME (UINT64_C(1) << 20)

/* ... and what it returns to for no farther, unless that has rules. */
#define GUESSED_CODE (UINT64_C(1) << 29)

/* What the first code of a process may have pushed before it calls. */
#define ENTRY_FRAME 64

/* Where the loader found the end of the first thread's stack: stack_memory.c. */
extern void *__libc_stack_end __attribute__((weak)); /* NOLINT: its name */

/* Registers that a function may change for its caller. */
#define SCRATCH_REGISTERS UINT32_C(0x0f37)

/* The one way to memory: U1, U2, U3. */
static bool read_word(struct unwinder *unwinder, uintptr_t address,
                      uint64_t *value)
{
    int64_t offset = (int64_t)(address - unwinder->origin);

    if (address % 8 != 0)
        return false;
    if (!stack_memory_is_own(&unwinder->memory, address)) {
        unwinder->is_repeatable = false; /* there now, or not: ask again */
        if (!stack_memory_has(&unwinder->memory, address))
            return false;
    }
    *value = stack_memory_word(address);
    if (unwinder->input_count == UNWIND_INPUTS || offset < INT32_MIN ||
        offset > INT32_MAX) {
        unwinder->is_repeatable = false;
        return true;
    }
    unwinder->offsets[unwinder->input_count] = (int32_t)offset;
    unwinder->inputs[unwinder->input_count++] = *value;
    return true;
}

static bool read_register(struct unwinder *unwinder, unsigned number,
                          uint64_t *value)
{
    struct unwind_registers *registers = &unwinder->registers;
    uint32_t bit = 1u << number;

    if (number == CFI_RSP) {
        *value = unwinder->sp;
        return true;
    }
    if ((registers->is_known & bit) != 0) {
        *value = registers->values[number];
        return true;
    }
    if ((registers->in_memory & bit) == 0 ||
        !read_word(unwinder, registers->places[number], value))
        return false;
    registers->values[number] = *value;
    registers->is_known |= bit;
    return true;
}

static void put_place(struct unwind_registers *registers, unsigned number,
                      uintptr_t place)
{
    registers->places[number] = place;
    registers->in_memory |= 1u << number;
    registers->is_known &= ~(1u << number);
}

static void put_value(struct unwind_registers *registers, unsigned number,
                      uint64_t value)
{
    registers->values[number] = value;
    registers->is_known |= 1u << number;
}

/* The frame is done: go on in its caller. */
static bool step_to(struct unwinder *unwinder, uintptr_t cfa,
                    uintptr_t return_place)
{
    uint64_t address;

    if (!read_word(unwinder, return_place, &address))
        return false;
    unwinder->address = address;
    unwinder->sp = cfa;
    unwinder->is_interrupted = false;
    return true;
}

static bool step_by_rule(struct unwinder *unwinder,
                         const struct unwind_rule *rule)
{
    struct unwind_registers *registers = &unwinder->registers;
    uint64_t cfa;

    if (!read_register(unwinder, rule->cfa_register, &cfa))
        return false;
    cfa += (uint64_t)(int64_t)rule->cfa_offset;
    if (rule->kind == UNWIND_RULE_DEREF) {
        if (!read_word(unwinder, cfa, &cfa))
            return false;
        cfa += (uint64_t)(int64_t)rule->second_offset;
    }
    /* A caller's frame is farther out, or it is none. */
    if (cfa <= unwinder->sp)
        return false;
    for (unsigned i = 0; i < UNWIND_SAVED; i++) {
        if ((rule->saved >> i & 1) != 0)
            put_place(registers, unwind_saved_registers[i],
                      cfa + (uint64_t)(int64_t)rule->saved_at[i] * 8);
    }
    registers->in_memory &= ~SCRATCH_REGISTERS;
    registers->is_known &= ~SCRATCH_REGISTERS;
    return step_to(unwinder, cfa, cfa - 8);
}

/* The loader's first code has no information, and nothing is above its frame. */
static bool is_at_entry(const struct unwinder *unwinder)
{
    uintptr_t entry = (uintptr_t)__libc_stack_end;

    return unwinder->sp <= entry && entry - unwinder->sp < ENTRY_FRAME;
}

/* Code of a file, or what may be code that a program has made itself. */
static bool is_code(struct unwinder *unwinder, uintptr_t address)
{
    return unwind_rules_file(address, &unwinder->machine.file) ||
           stack_memory_has(&unwinder->memory, address & ~(uintptr_t)7);
}

static bool step_by_frame_pointer(struct unwinder *unwinder)
{
    uint64_t frame;

    if (!read_register(unwinder, CFI_RBP, &frame) || frame < unwinder->sp ||
        frame - unwinder->sp > GUESSED_FRAME || frame % 8 != 0)
        return false;
    put_place(&unwinder->registers, CFI_RBP, frame);
    return step_to(unwinder, frame + 16, frame + 8);
}

static bool is_at_code(struct unwinder *unwinder, uintptr_t from)
{
    return unwinder->address == 0 ||
           unwinder->address - from + GUESSED_CODE <= 2 * GUESSED_CODE ||
           is_code(unwinder, unwinder->address - 1);
}

/*
 * Code that says nothing of itself: it may keep a frame pointer. An interpreter's
 * code jumps from one piece to another, which may push a word and a frame of its
 * own: that frame is within the other, and only the other has a return address.
 */
static __attribute__((noinline)) bool step_by_guess(struct unwinder *unwinder)
{
    uintptr_t from = unwinder->address;

    if (is_at_entry(unwinder)) {
        unwinder->address = 0;
        return true;
    }
    if (!step_by_frame_pointer(unwinder))
        return false;
    if (is_at_code(unwinder, from))
        return true;
    return step_by_frame_pointer(unwinder) && is_at_code(unwinder, from);
}

static bool read_register_for(void *context, unsigned number, uint64_t *value)
{
    const struct unwinder *unwinder = context;

    if (number != CFI_RETURN)
        return read_register(context, number, value);
    *value = unwinder->address;
    return true;
}

static bool read_memory_for(void *context, uint64_t address, uint64_t *value)
{
    return read_word(context, address, value);
}

static bool run_expression(struct unwinder *unwinder,
                           const struct cfi_place *place, bool has_value,
                           uint64_t *value)
{
    const struct cfi_reader reader = { read_register_for, read_memory_for,
                                       unwinder };

    return cfi_expression_run(place, &reader, has_value, value);
}

static bool find_cfa(struct unwinder *unwinder, uint64_t *cfa)
{
    const struct cfi_place *place = &unwinder->machine.row.cfa;

    *cfa = 0;
    if (place->how == CFI_IS_EXPRESSION)
        return run_expression(unwinder, place, false, cfa);
    if (!read_register(unwinder, place->number, cfa))
        return false;
    *cfa += (uint64_t)(int64_t)place->offset;
    return true;
}

/* One register as the caller has it; what is not known is left out. */
static void find_register(struct unwinder *unwinder, unsigned number,
                          uint64_t cfa)
{
    const struct cfi_place *place = &unwinder->machine.row.registers[number];
    const struct unwind_registers *now = &unwinder->registers;
    struct unwind_registers *caller = &unwinder->callers;
    uint64_t value = cfa + (uint64_t)(int64_t)place->offset;

    switch (place->how) {
    case CFI_SAME:
        if (number == CFI_RSP)
            return;
        caller->in_memory |= now->in_memory & 1u << number;
        caller->is_known |= now->is_known & 1u << number;
        caller->places[number] = now->places[number];
        caller->values[number] = now->values[number];
        return;
    case CFI_AT_OFFSET:
        put_place(caller, number, value);
        return;
    case CFI_IS_OFFSET:
        put_value(caller, number, value);
        return;
    case CFI_IN_REGISTER:
        if (read_register(unwinder, place->number, &value))
            put_value(caller, number, value);
        return;
    case CFI_AT_EXPRESSION:
        value = cfa;
        if (run_expression(unwinder, place, true, &value))
            put_place(caller, number, value);
        return;
    case CFI_IS_EXPRESSION:
        value = cfa;
        if (run_expression(unwinder, place, true, &value))
            put_value(caller, number, value);
        return;
    default:
        return;
    }
}

/* The frame that is looked at is no return address after all. */
static void keep_uncalled(struct unwinder *unwinder)
{
    if (!unwinder->is_interrupted)
        unwinder->frames[unwinder->frame_count - 1]++;
}

/* By all that the file says, whatever it is; a signal's frame among others. */
static __attribute__((noinline)) bool step_by_program(struct unwinder *unwinder,
                                                      uintptr_t inside)
{
    struct cfi_machine *machine = &unwinder->machine;
    bool is_signal;
    uint64_t cfa, value;

    if (!unwind_rules_file(inside, &machine->file) ||
        !eh_frame_find(&machine->file, inside, &machine->entry) ||
        !cfi_program_run(machine, inside) || !find_cfa(unwinder, &cfa))
        return false;
    is_signal = machine->row.is_signal;
    if (is_signal)
        keep_uncalled(unwinder);
    if (cfa <= unwinder->sp && !is_signal)
        return false;
    unwinder->callers.in_memory = unwinder->callers.is_known = 0;
    for (unsigned number = 0; number < CFI_REGISTERS; number++)
        find_register(unwinder, number, cfa);
    unwinder->registers = unwinder->callers;
    if (!is_signal) {
        unwinder->registers.in_memory &= ~SCRATCH_REGISTERS;
        unwinder->registers.is_known &= ~SCRATCH_REGISTERS;
    }
    if (!read_register(unwinder, CFI_RETURN, &value))
        return false;
    unwinder->address = value;
    unwinder->is_interrupted = is_signal;
    if (((unwinder->registers.in_memory | unwinder->registers.is_known) >>
             CFI_RSP &
         1) == 0) {
        unwinder->sp = cfa;
        return true;
    }
    if ((unwinder->registers.is_known >> CFI_RSP & 1) != 0)
        unwinder->sp = unwinder->registers.values[CFI_RSP];
    else if (read_word(unwinder, unwinder->registers.places[CFI_RSP], &value))
        unwinder->sp = value;
    else
        return false;
    return true;
}

enum step { STEP_ON, STEP_END, STEP_CUT };

static enum step step(struct unwinder *unwinder)
{
    uintptr_t inside = unwinder->address - (unwinder->is_interrupted ? 0 : 1);
    struct unwind_rule rule =
        unwind_rules_find(unwinder->rules, inside, &unwinder->machine);
    bool is_done = false;

    switch (rule.kind) {
    case UNWIND_RULE_PLAIN:
    case UNWIND_RULE_DEREF:
        is_done = step_by_rule(unwinder, &rule);
        break;
    case UNWIND_RULE_GENERAL:
        is_done = step_by_program(unwinder, inside);
        break;
    case UNWIND_RULE_NONE:
        is_done = step_by_guess(unwinder);
        break;
    case UNWIND_RULE_ENTRY:
        keep_uncalled(unwinder);
        return STEP_END;
    default:
        return STEP_END;
    }
    if (!is_done)
        return STEP_CUT;
    return unwinder->address == 0 ? STEP_END : STEP_ON;
}

static void begin(struct unwinder *unwinder, const struct unwind_origin *origin)
{
    unwinder->origin = (uintptr_t)&origin->return_address;
    unwinder->address = origin->return_address;
    unwinder->sp = unwinder->origin + sizeof origin->return_address;
    unwinder->is_interrupted = false;
    unwinder->registers.in_memory = unwinder->registers.is_known = 0;
    for (unsigned i = 0; i < UNWIND_SAVED; i++)
        put_place(&unwinder->registers, unwind_saved_registers[i],
                  (uintptr_t)&origin->saved[UNWIND_SAVED - 1 - i]);
    unwinder->is_cut = false;
    unwinder->is_repeatable = true;
    unwinder->frame_count = 0;
    unwinder->input_count = 0;
    unwinder->same_frames = 0;
    stack_memory_begin(&unwinder->memory, (uintptr_t)origin);
}

void unwind_from(struct unwinder *unwinder, const struct unwind_origin *origin)
{
    enum step next = STEP_ON;

    unwind_tail_begin(unwinder);
    begin(unwinder, origin);
    while (next == STEP_ON && unwinder->frame_count < UNWIND_FRAMES) {
        if (unwind_tail_take(unwinder))
            return;
        unwinder->frames[unwinder->frame_count++] =
            unwinder->address + (unwinder->is_interrupted ? 1 : 0);
        next = step(unwinder);
    }
    unwinder->is_cut = next != STEP_END;
    unwind_tail_end(unwinder);
}
