/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind.h - from the place of a call to all that led there
 *
 * Follows the stack by unwind_rule.h's rules, without frame pointers, without
 * locks, without allocating. What it reads on the way it reads through one
 * function, which writes down address and value of each word: the inputs. So
 *
 *   U1  with the same code loaded, the same innermost return address, the same
 *       stack pointer, and the same values in all inputs, the stack is the same
 *   U2  inputs are in the order in which they were read: if the first n have
 *       the same values again, the next one may be read, for a walk would read
 *       it, too. That holds for words of the thread's own stack, which stay
 *       mapped: a walk that read, or wanted to read, others is not repeatable
 *   U3  no word is read that stack_memory.h does not know to be mapped
 *
 * Registers are read like memory: the caller has saved them right below the
 * stack pointer.
 *
 * A frame is the address that its call returns to, so the byte before it belongs
 * to the call. Code that a signal interrupted has called nothing, nor has the code
 * that a handler or a context made by libc returns to: there it is one more than
 * the address of the instruction, and the byte before belongs to that.
 */
#ifndef TALLY_UNWIND_UNWIND_H
#define TALLY_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/stack_memory.h"
#include "unwind/unwind_rules.h"
#include "unwind/unwind_tail.h"

/* Deeper stacks are cut. */
enum { UNWIND_FRAMES = 8192, UNWIND_INPUTS = 2 * UNWIND_FRAMES };

/* What a call saved, at the lowest address first; then the caller's stack. */
struct unwind_origin {
    uintptr_t saved[UNWIND_SAVED]; /* as unwind_saved_registers, backwards */
    uintptr_t return_address;      /* the frame that called */
};

/* A frame's registers: a bit for each says where its value is, or neither. */
struct unwind_registers {
    uint32_t in_memory; /* at places[] */
    uint32_t is_known;  /* in values[], perhaps as well */
    uintptr_t places[CFI_REGISTERS];
    uint64_t values[CFI_REGISTERS];
};

struct unwinder {
    struct stack_memory memory;
    struct cfi_machine machine;
    struct unwind_rules *rules;
    uintptr_t origin; /* address of the innermost return address */

    /* The frame that is looked at. */
    uintptr_t address;   /* where it goes on */
    uintptr_t sp;        /* its stack pointer then */
    bool is_interrupted; /* `address` is no return address */
    struct unwind_registers registers;
    struct unwind_registers callers; /* scratch */

    /* The result. */
    bool is_cut;        /* there was more */
    bool is_repeatable; /* U1 and U2 hold */
    uint32_t frame_count;
    uint32_t input_count;
    uint32_t same_frames; /* outermost ones that the walk before had, too */
    uintptr_t frames[UNWIND_FRAMES]; /* innermost first, as said above */
    int32_t offsets[UNWIND_INPUTS];  /* bytes from `origin` */
    uint64_t inputs[UNWIND_INPUTS];

    struct unwind_tail tail;
};

/*
 * Follow the stack from `origin`, whose registers and return address lie where
 * the call that brought us here left them. The result is in `unwinder`, which
 * begins as zeros and `rules`, and is used by one at a time.
 */
void unwind_from(struct unwinder *unwinder, const struct unwind_origin *origin);

#endif /* TALLY_UNWIND_UNWIND_H */
