/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind.c - frame by frame; see unwind.h
 *
 * This file is long because a walk and the marks that it leaves for the next
 * one are one state.
 */
#include "unwind/unwind.h"

#include "ports/posix/raw_calls.h"

/* Assumed limit of a frame without call frame information, in bytes ... */
#define GUESSED_FRAME (UINT64_C(1) << 20)

/* ... and of the distance to its caller, unless that has rules. */
#define GUESSED_CODE (UINT64_C(1) << 29)

/* bytes that the first code of a process may push before it calls */
#define ENTRY_FRAME 64

/* registers that a function may change for its caller */
#define SCRATCH_REGISTERS UINT32_C(0x0f37)

/* Read one word: the only access to memory. */
static bool read_word(struct unwinder *unwinder, uintptr_t address,
                      uint64_t *value)
{
    int64_t offset = (int64_t)(address - unwinder->origin);

    if (address % 8 != 0)
        return false;
    if (!stack_memory_is_own(&unwinder->memory, address)) {
        /* may be mapped now and not later: ask again */
        unwinder->is_repeatable = false;
        if (!stack_memory_has(&unwinder->memory, address))
            return false;
    }
    INVARIANT(U3, stack_memory_has(&unwinder->memory, address));
    *value = stack_memory_word(address);
    if (unwinder->input_count == UNWIND_INPUTS || offset < INT32_MIN ||
        offset > INT32_MAX) {
        unwinder->is_repeatable = false;
        return true;
    }
    unwinder->offsets[unwinder->input_count] = (int32_t)offset;
    unwinder->inputs[unwinder->input_count++] = *value;
    INVARIANT(U1, address == unwinder->origin +
                                 (uintptr_t)(intptr_t)unwinder
                                     ->offsets[unwinder->input_count - 1]);
    INVARIANT(U2, !unwinder->is_repeatable ||
                      stack_memory_is_own(&unwinder->memory, address));
    return true;
}

static bool read_kept(struct unwinder *unwinder, unsigned number,
                      uint64_t *value)
{
    struct unwind_registers *registers = &unwinder->registers;
    uint32_t bit = 1u << number;

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

static bool read_register(struct unwinder *unwinder, unsigned number,
                          uint64_t *value)
{
    if (number != CFI_RSP)
        return read_kept(unwinder, number, value);
    *value = unwinder->sp;
    return true;
}

static void put_place(struct unwind_registers *registers, unsigned number,
                      uintptr_t place)
{
    registers->places[number] = place;
    registers->in_memory |= 1u << number;
    registers->is_known &= ~(1u << number);
}

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
    /* A caller's frame lies farther out, or it is none. */
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

static bool step_by_frame_pointer(struct unwinder *unwinder)
{
    uint64_t frame;

    if (!read_register(unwinder, CFI_RBP, &frame) || frame < unwinder->sp ||
        frame - unwinder->sp > GUESSED_FRAME || frame % 8 != 0)
        return false;
    put_place(&unwinder->registers, CFI_RBP, frame);
    return step_to(unwinder, frame + 16, frame + 8);
}

/* Return true if the address may be code: of a file, or made by the program. */
static bool is_at_code(struct unwinder *unwinder, uintptr_t from)
{
    uintptr_t call = unwinder->address - 1;

    return unwinder->address == 0 ||
           unwinder->address - from + GUESSED_CODE <= 2 * GUESSED_CODE ||
           unwind_rules_file(call, &unwinder->machine.file) ||
           stack_memory_has(&unwinder->memory, call & ~(uintptr_t)7);
}

/*
 * Step out of code without information: it may keep a frame pointer. An
 * interpreter's code jumps from one piece to another, which may push a word and
 * a frame of its own: that frame lies within the other, and only the other has
 * a return address.
 */
static __attribute__((noinline)) bool step_by_guess(struct unwinder *unwinder)
{
    uintptr_t from = unwinder->address;
    uintptr_t entry = (uintptr_t)__libc_stack_end;

    /* The loader's first code has no information, and no caller. */
    if (unwinder->sp <= entry && entry - unwinder->sp < ENTRY_FRAME) {
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

/* Compute the caller's value of one register; skip it if it is unknown. */
static void find_register(struct unwinder *unwinder, unsigned number,
                          uint64_t cfa)
{
    const struct cfi_place *place = &unwinder->machine.row.registers[number];
    const struct unwind_registers *now = &unwinder->registers;
    struct unwind_registers *caller = &unwinder->callers;
    uint64_t value = cfa + (uint64_t)(int64_t)place->offset;
    bool is_found = true;

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
    case CFI_IS_OFFSET:
        break;
    case CFI_IN_REGISTER:
        is_found = read_register(unwinder, place->number, &value);
        break;
    case CFI_AT_EXPRESSION:
    case CFI_IS_EXPRESSION:
        value = cfa;
        is_found = run_expression(unwinder, place, true, &value);
        break;
    default:
        return;
    }
    if (!is_found)
        return;
    if (place->how == CFI_AT_OFFSET || place->how == CFI_AT_EXPRESSION) {
        put_place(caller, number, value);
    } else {
        caller->values[number] = value;
        caller->is_known |= 1u << number;
    }
}

/* Mark the current frame: its address is no return address after all. */
static void mark_uncalled(struct unwinder *unwinder)
{
    if (!unwinder->is_interrupted)
        unwinder->frames[unwinder->frame_count - 1]++;
}

/* Step by the full row of call frame information; for signal frames and
   others. */
static __attribute__((noinline)) bool step_by_program(struct unwinder *unwinder,
                                                      uintptr_t inside)
{
    struct cfi_machine *machine = &unwinder->machine;
    struct unwind_registers *registers = &unwinder->registers;
    bool is_signal;
    uint64_t cfa, value;

    if (!unwind_rules_file(inside, &machine->file) ||
        !cfi_find(machine, inside) || !cfi_program_run(machine, inside) ||
        !find_cfa(unwinder, &cfa))
        return false;
    is_signal = machine->row.is_signal;
    if (is_signal)
        mark_uncalled(unwinder);
    if (cfa <= unwinder->sp && !is_signal)
        return false;
    unwinder->callers.in_memory = unwinder->callers.is_known = 0;
    for (unsigned number = 0; number < CFI_REGISTERS; number++)
        find_register(unwinder, number, cfa);
    *registers = unwinder->callers;
    if (!is_signal) {
        registers->in_memory &= ~SCRATCH_REGISTERS;
        registers->is_known &= ~SCRATCH_REGISTERS;
    }
    if (!read_register(unwinder, CFI_RETURN, &value))
        return false;
    unwinder->address = value;
    unwinder->is_interrupted = is_signal;
    unwinder->sp = cfa;
    return ((registers->in_memory | registers->is_known) >> CFI_RSP & 1) == 0 ||
           read_kept(unwinder, CFI_RSP, &unwinder->sp);
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
        mark_uncalled(unwinder);
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

/* Keep the last walk's end for the next one. */
static void tail_begin(struct unwinder *unwinder)
{
    struct unwind_tail *tail = &unwinder->tail;

    /* A walk that was cut for lack of space says nothing of shorter ones. */
    if (!unwinder->is_repeatable || unwinder->frame_count == UNWIND_FRAMES)
        tail->count = 0;
    tail->at = tail->count;
    tail->is_counted = false;
    tail->inputs = unwinder->input_count;
    tail->is_cut = unwinder->is_cut;
    tail->origin = unwinder->origin;
    unwinder->frames = unwinder->frame_memory;
    unwinder->offsets = unwinder->offset_memory;
    unwinder->inputs = unwinder->input_memory;
    unwinder->new_marks.count = unwinder->new_marks.next = 0;
    unwinder->new_marks.stride = 1;
}

/* Drop every second mark. Return the number left. */
static uint32_t thin_out(struct unwind_mark marks[UNWIND_MARKS])
{
    for (uint32_t i = 0; i < UNWIND_MARKS / 2; i++)
        marks[i] = marks[2 * i];
    return UNWIND_MARKS / 2;
}

/* Return true if only saved registers are known: others hardly ever matter. */
static bool is_markable(const struct unwinder *unwinder)
{
    const struct unwind_registers *registers = &unwinder->registers;

    return !unwinder->is_interrupted &&
           ((registers->in_memory | registers->is_known) &
            ~(uint32_t)UNWIND_SAVED_MASK) == 0;
}

static void mark_frame(struct unwinder *unwinder)
{
    struct unwind_new_marks *marks = &unwinder->new_marks;
    const struct unwind_registers *registers = &unwinder->registers;
    struct unwind_mark *mark;

    if (unwinder->frame_count < marks->next || !is_markable(unwinder))
        return;
    if (marks->count == UNWIND_MARKS) {
        marks->count = thin_out(marks->marks);
        marks->stride *= 2;
    }
    mark = &marks->marks[marks->count++];
    mark->sp = unwinder->sp;
    mark->address = unwinder->address;
    mark->frames = unwinder->frame_count;
    mark->inputs = unwinder->input_count;
    mark->in_memory = registers->in_memory;
    mark->is_known = registers->is_known;
    for (unsigned i = 0; i < UNWIND_SAVED; i++)
        mark->places[i] = registers->places[unwind_saved_registers[i]];
    for (unsigned i = 0; registers->is_known != 0 && i < UNWIND_SAVED; i++)
        mark->values[i] = registers->values[unwind_saved_registers[i]];
    marks->next = unwinder->frame_count + marks->stride;
}

/* Return true if the previous walk read a word at `place` from the mark on. */
static bool was_read(const struct unwinder *unwinder,
                     const struct unwind_mark *mark, uintptr_t place)
{
    intptr_t offset = (intptr_t)(place - unwinder->tail.origin);

    for (uint32_t i = UNWIND_INPUTS - mark->inputs; i < UNWIND_INPUTS; i++) {
        if (unwinder->offsets[i] == offset)
            return true;
    }
    return false;
}

/* Return true if a register is unchanged, or was never read from there on. */
static bool is_same_register(const struct unwinder *unwinder,
                             const struct unwind_mark *mark, unsigned saved)
{
    const struct unwind_registers *now = &unwinder->registers;
    unsigned number = unwind_saved_registers[saved];
    uint32_t bit = 1u << number;

    if ((mark->is_known & bit) != 0)
        return (now->is_known & bit) != 0 &&
               now->values[number] == mark->values[saved];
    if ((mark->in_memory & bit) == 0)
        return ((now->in_memory | now->is_known) & bit) == 0;
    if ((now->in_memory & ~now->is_known & bit) != 0 &&
        now->places[number] == mark->places[saved])
        return true;
    return mark->places[saved] < mark->lowest ||
           !was_read(unwinder, mark, mark->places[saved]);
}

static bool is_same_state(const struct unwinder *unwinder,
                          const struct unwind_mark *mark)
{
    if (mark->address != unwinder->address || !is_markable(unwinder))
        return false;
    for (unsigned i = 0; i < UNWIND_SAVED; i++) {
        if (!is_same_register(unwinder, mark, i))
            return false;
    }
    return true;
}

/* Count the unchanged inputs, from the outermost word inwards. */
static void count_same(struct unwinder *unwinder)
{
    struct unwind_tail *tail = &unwinder->tail;
    uint32_t same = 0;

    for (; same < tail->inputs; same++) {
        uint32_t i = UNWIND_INPUTS - 1 - same;
        uintptr_t address =
            tail->origin + (uintptr_t)(intptr_t)unwinder->offsets[i];

        if (!stack_memory_is_own(&unwinder->memory, address) ||
            stack_memory_word(address) != unwinder->inputs[i])
            break;
    }
    tail->same_inputs = same;
    tail->is_counted = true;
}

/*
 * Add the walk's marks to the first `count` of the tail, and change their
 * numbers from counts before a frame to counts from there on. The walk read
 * `inputs` words itself; `lowest` is the lowest address of the words that it
 * took over.
 */
static void keep_marks(struct unwinder *unwinder, uint32_t count,
                       uint32_t inputs, uintptr_t lowest)
{
    struct unwind_tail *tail = &unwinder->tail;

    tail->count = count;
    for (uint32_t i = unwinder->new_marks.count; i-- > 0;) {
        struct unwind_mark *mark = &unwinder->new_marks.marks[i];

        for (; inputs > mark->inputs; inputs--) {
            uintptr_t at = unwinder->origin +
                           (uintptr_t)(intptr_t)unwinder->offsets[inputs - 1];

            lowest = at < lowest ? at : lowest;
        }
        mark->lowest = lowest;
        mark->frames = unwinder->frame_count - mark->frames;
        mark->inputs = unwinder->input_count - mark->inputs;
        if (tail->count == UNWIND_MARKS)
            tail->count = thin_out(tail->marks);
        tail->marks[tail->count++] = *mark;
    }
}

/* Move the walk's frames and inputs to before those that it takes over. */
static void put_before(struct unwinder *unwinder, uint32_t frames,
                       uint32_t inputs)
{
    uint32_t first = UNWIND_FRAMES - frames - unwinder->frame_count;
    uint32_t input = UNWIND_INPUTS - inputs - unwinder->input_count;

    unwinder->frames =
        memmove(&unwinder->frame_memory[first], unwinder->frame_memory,
                unwinder->frame_count * sizeof unwinder->frames[0]);
    unwinder->offsets =
        memmove(&unwinder->offset_memory[input], unwinder->offset_memory,
                unwinder->input_count * sizeof unwinder->offsets[0]);
    unwinder->inputs =
        memmove(&unwinder->input_memory[input], unwinder->input_memory,
                unwinder->input_count * sizeof unwinder->inputs[0]);
    unwinder->frame_count += frames;
    unwinder->input_count += inputs;
    unwinder->same_frames = frames;
}

/* Return true if the walk leaves this part of the previous one in place. */
static bool is_there(const struct unwinder *unwinder,
                     const struct unwind_mark *mark)
{
    return unwinder->frame_count + mark->frames < UNWIND_FRAMES &&
           unwinder->input_count + mark->inputs < UNWIND_INPUTS;
}

static void take_frames(struct unwinder *unwinder,
                        const struct unwind_mark *mark)
{
    int32_t moved = (int32_t)(unwinder->tail.origin - unwinder->origin);

    INVARIANT(T1, mark->inputs <= unwinder->tail.same_inputs &&
                      is_same_state(unwinder, mark));
    INVARIANT(T3, is_there(unwinder, mark));
    for (uint32_t i = UNWIND_INPUTS - mark->inputs; i < UNWIND_INPUTS; i++) {
        unwinder->offset_memory[i] += moved;
        INVARIANT(T2, stack_memory_is_own(
                          &unwinder->memory,
                          unwinder->origin +
                              (uintptr_t)(intptr_t)unwinder->offset_memory[i]));
    }
    put_before(unwinder, mark->frames, mark->inputs);
    unwinder->is_cut = unwinder->tail.is_cut;
}

/* Return the mark of this frame if everything from there on is the same, or
   NULL. */
static const struct unwind_mark *find_mark(struct unwinder *unwinder)
{
    struct unwind_tail *tail = &unwinder->tail;
    const struct unwind_mark *mark;

    while (tail->at > 0 && tail->marks[tail->at - 1].sp < unwinder->sp)
        tail->at--;
    if (tail->at == 0)
        return NULL;
    mark = &tail->marks[tail->at - 1];
    if (mark->sp != unwinder->sp || !is_there(unwinder, mark))
        return NULL;
    if (!tail->is_counted)
        count_same(unwinder);
    return mark->inputs <= tail->same_inputs && is_same_state(unwinder, mark)
               ? mark
               : NULL;
}

/* Look for a mark at a frame that is not yet in the list. Return true if all
   frames from here on were found, which ends the walk. */
static __attribute__((noinline)) bool tail_take(struct unwinder *unwinder)
{
    const struct unwind_mark *mark = find_mark(unwinder);
    uint32_t inputs = unwinder->input_count;

    if (mark == NULL) {
        mark_frame(unwinder);
        return false;
    }
    take_frames(unwinder, mark);
    keep_marks(unwinder, unwinder->tail.at, inputs, mark->lowest);
    return true;
}

void unwind_from(struct unwinder *unwinder, const struct unwind_origin *origin)
{
    enum step next = STEP_ON;

    tail_begin(unwinder);
    begin(unwinder, origin);
    /* Keep no end of a walk on another stack, or too far away. */
    if (!stack_memory_is_own(&unwinder->memory, unwinder->origin) ||
        unwinder->memory.high - unwinder->memory.low >= INT32_MAX)
        unwinder->tail.at = 0;
    while (next == STEP_ON && unwinder->frame_count < UNWIND_FRAMES) {
        if (tail_take(unwinder))
            return;
        unwinder->frames[unwinder->frame_count++] =
            unwinder->address + (unwinder->is_interrupted ? 1 : 0);
        next = step(unwinder);
    }
    unwinder->is_cut = next != STEP_END;
    put_before(unwinder, 0, 0);
    keep_marks(unwinder, 0, unwinder->input_count, UINTPTR_MAX);
}
