/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_tail.c - marking frames, and going on from one; see unwind_tail.h */
#include "unwind/unwind_tail.h"

#include <string.h>

#include "unwind/unwind.h"

static uint32_t saved_mask(void)
{
    uint32_t mask = 0;

    for (unsigned i = 0; i < UNWIND_SAVED; i++)
        mask |= 1u << unwind_saved_registers[i];
    return mask;
}

static struct unwind_marks *marks_now(struct unwind_tail *tail)
{
    return &tail->marks[tail->now];
}

static struct unwind_marks *marks_before(struct unwind_tail *tail)
{
    return &tail->marks[1 - tail->now];
}

/* T3. Half of the room is for the walk to come. */
static void set_aside(struct unwinder *unwinder)
{
    struct unwind_tail *tail = &unwinder->tail;
    uint32_t frames = unwinder->frame_count, inputs = unwinder->input_count;

    tail->frames = tail->inputs = 0;
    if (marks_before(tail)->count == 0 || !unwinder->is_repeatable ||
        frames > UNWIND_FRAMES / 2 || inputs > UNWIND_INPUTS / 2)
        return;
    memcpy(&unwinder->frames[UNWIND_FRAMES - frames], unwinder->frames,
           frames * sizeof unwinder->frames[0]);
    memcpy(&unwinder->offsets[UNWIND_INPUTS - inputs], unwinder->offsets,
           inputs * sizeof unwinder->offsets[0]);
    memcpy(&unwinder->inputs[UNWIND_INPUTS - inputs], unwinder->inputs,
           inputs * sizeof unwinder->inputs[0]);
    tail->frames = frames;
    tail->inputs = inputs;
    tail->is_cut = unwinder->is_cut;
    tail->origin = unwinder->origin;
}

void unwind_tail_begin(struct unwinder *unwinder)
{
    struct unwind_tail *tail = &unwinder->tail;

    tail->now = 1 - tail->now;
    tail->at = 0;
    tail->is_counted = false;
    marks_now(tail)->count = marks_now(tail)->next = 0;
    marks_now(tail)->stride = 1;
    set_aside(unwinder);
}

/* Every second one goes, and as far apart as those are come the next. */
static void thin_out(struct unwind_marks *marks)
{
    for (uint32_t i = 0; i < UNWIND_MARKS / 2; i++)
        marks->marks[i] = marks->marks[2 * i];
    marks->count = UNWIND_MARKS / 2;
    marks->stride *= 2;
}

/* Registers that are not saved hardly ever matter, and such frames are no mark. */
static bool is_markable(const struct unwinder *unwinder)
{
    const struct unwind_registers *registers = &unwinder->registers;

    return !unwinder->is_interrupted &&
           ((registers->in_memory | registers->is_known) & ~saved_mask()) == 0;
}

static void mark_frame(struct unwinder *unwinder)
{
    struct unwind_marks *marks = marks_now(&unwinder->tail);
    const struct unwind_registers *registers = &unwinder->registers;
    struct unwind_mark *mark;

    if (unwinder->frame_count < marks->next || !is_markable(unwinder))
        return;
    if (marks->count == UNWIND_MARKS)
        thin_out(marks);
    mark = &marks->marks[marks->count++];
    mark->sp = unwinder->sp;
    mark->address = unwinder->address;
    mark->frames = unwinder->frame_count;
    mark->inputs = unwinder->input_count;
    mark->in_memory = registers->in_memory;
    mark->is_known = registers->is_known;
    for (unsigned i = 0; i < UNWIND_SAVED; i++) {
        mark->places[i] = registers->places[unwind_saved_registers[i]];
        mark->values[i] = registers->values[unwind_saved_registers[i]];
    }
    marks->next = unwinder->frame_count + marks->stride;
}

/* Whether the walk before read a word at `place` from the mark on. */
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

/* A register is as it was, or was never asked for from there on. */
static bool is_register_as_then(const struct unwinder *unwinder,
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

/* T1: the state. */
static bool is_as_then(const struct unwinder *unwinder,
                       const struct unwind_mark *mark)
{
    if (mark->address != unwinder->address || !is_markable(unwinder))
        return false;
    for (unsigned i = 0; i < UNWIND_SAVED; i++) {
        if (!is_register_as_then(unwinder, mark, i))
            return false;
    }
    return true;
}

/* T1: the words, from the outermost inwards; T2. */
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

/* The others' marks go on to count: what is farther out is the same. */
static void take_marks(struct unwind_tail *tail)
{
    const struct unwind_marks *before = marks_before(tail);
    struct unwind_marks *marks = marks_now(tail);

    for (uint32_t i = tail->at; i < before->count; i++) {
        if (marks->count == UNWIND_MARKS)
            thin_out(marks);
        marks->marks[marks->count++] = before->marks[i];
    }
}

/*
 * Numbers of what was before a frame become those of what is from there on. The
 * walk read `inputs` words itself; of those that it took over, `lowest` is lowest.
 */
static void count_from_end(struct unwinder *unwinder, uint32_t inputs,
                           uintptr_t lowest)
{
    struct unwind_marks *marks = marks_now(&unwinder->tail);

    for (uint32_t i = marks->count; i-- > 0;) {
        struct unwind_mark *mark = &marks->marks[i];

        for (; inputs > mark->inputs; inputs--) {
            uintptr_t at = unwinder->origin +
                           (uintptr_t)(intptr_t)unwinder->offsets[inputs - 1];

            lowest = at < lowest ? at : lowest;
        }
        mark->lowest = lowest;
        mark->frames = unwinder->frame_count - mark->frames;
        mark->inputs = unwinder->input_count - mark->inputs;
    }
}

static void take(struct unwinder *unwinder, const struct unwind_mark *mark)
{
    int32_t moved = (int32_t)(unwinder->tail.origin - unwinder->origin);
    int32_t *offsets = &unwinder->offsets[unwinder->input_count];
    uint32_t from = UNWIND_INPUTS - mark->inputs;

    memmove(&unwinder->frames[unwinder->frame_count],
            &unwinder->frames[UNWIND_FRAMES - mark->frames],
            mark->frames * sizeof unwinder->frames[0]);
    memmove(&unwinder->inputs[unwinder->input_count], &unwinder->inputs[from],
            mark->inputs * sizeof unwinder->inputs[0]);
    for (uint32_t i = 0; i < mark->inputs; i++)
        offsets[i] = unwinder->offsets[from + i] + moved;
    unwinder->frame_count += mark->frames;
    unwinder->input_count += mark->inputs;
    unwinder->same_frames = mark->frames;
    unwinder->is_cut = unwinder->tail.is_cut;
}

/* Whether the walk has left alone what was set aside, and lies near it. */
static bool is_there(const struct unwinder *unwinder)
{
    const struct unwind_tail *tail = &unwinder->tail;
    const struct stack_memory *memory = &unwinder->memory;

    return tail->frames != 0 &&
           unwinder->frame_count + tail->frames < UNWIND_FRAMES &&
           unwinder->input_count + tail->inputs < UNWIND_INPUTS &&
           stack_memory_is_own(memory, unwinder->origin) &&
           memory->high - memory->low < INT32_MAX;
}

/* The mark that was made here, if all from there on is the same; or NULL. */
static const struct unwind_mark *find(struct unwinder *unwinder)
{
    struct unwind_tail *tail = &unwinder->tail;
    const struct unwind_marks *before = marks_before(tail);
    const struct unwind_mark *mark;

    if (!is_there(unwinder))
        return NULL;
    while (tail->at < before->count &&
           before->marks[tail->at].sp < unwinder->sp)
        tail->at++;
    mark = &before->marks[tail->at];
    if (tail->at == before->count || mark->sp != unwinder->sp)
        return NULL;
    if (!tail->is_counted)
        count_same(unwinder);
    return mark->inputs <= tail->same_inputs && is_as_then(unwinder, mark)
               ? mark
               : NULL;
}

bool unwind_tail_take(struct unwinder *unwinder)
{
    const struct unwind_mark *mark = find(unwinder);
    uint32_t inputs = unwinder->input_count;

    if (mark == NULL) {
        mark_frame(unwinder);
        return false;
    }
    take(unwinder, mark);
    count_from_end(unwinder, inputs, mark->lowest);
    take_marks(&unwinder->tail);
    return true;
}

void unwind_tail_end(struct unwinder *unwinder)
{
    count_from_end(unwinder, unwinder->input_count, UINTPTR_MAX);
}
