/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind.h - from the place of a call to all that led there
 *
 * Follows the stack by the rules of cfi.h, without frame pointers, without
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
 * A frame is the address that its call returns to, so the byte before it
 * belongs to the call. Code that a signal interrupted has called nothing, nor
 * has the code that a handler or a context made by libc returns to: there it is
 * one more than the address of the instruction, and the byte before belongs to
 * that.
 *
 * Stacks that are followed one after another differ in their inner frames most
 * of the time. What a walk does from a frame on depends on that frame's state
 * and on the words that it reads from there on, and on nothing else (U1). So
 * states are marked at some frames, evenly, however deep the stack is, and
 *
 *   T1  a walk that comes to a frame in a state in which the walk before was
 *       ends as that did, if all words that it read from there on are as they
 *       were
 *   T2  those words are read only where they lie in the thread's own stack now,
 *       whichever thread used the unwinder then
 *   T3  the walk before was repeatable, and did not end for want of room
 *
 * Its frames are the same frames only as long as the same files are loaded:
 * forgetting rules forgets this, too, by unwind_tail_forget().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/stack_memory.h"
#include "unwind/unwind_rules.h"

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

enum { UNWIND_MARKS = 64 };

/*
 * A frame that was come to. While walking, both numbers are of what was before.
 */
struct unwind_mark {
    uintptr_t sp, address;
    uint32_t frames;  /* that one and those farther out */
    uint32_t inputs;  /* read from there on, ... */
    uintptr_t lowest; /* ... at no lower address than this */
    uint32_t in_memory, is_known;
    uintptr_t places[UNWIND_SAVED];
    uint64_t values[UNWIND_SAVED];
};

struct unwind_marks {
    uint32_t count;
    uint32_t next;   /* the frame to be marked next, counted from 0 */
    uint32_t stride; /* from one such frame to the next */
    struct unwind_mark marks[UNWIND_MARKS];
};

/*
 * What is kept from one walk to the next. Its frames and inputs lie at the ends
 * of the unwinder's arrays while the next walk fills them from the beginning.
 */
struct unwind_tail {
    struct unwind_marks marks[2];
    uint32_t now;    /* which of both the walk fills */
    uint32_t at;     /* the first of the others that it has not passed */
    uint32_t frames; /* of the walk before, kept; 0: none */
    uint32_t inputs;
    uint32_t same_inputs; /* so many of the outermost are as they were */
    bool is_counted;      /* same_inputs is known */
    bool is_cut;
    uintptr_t origin;
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

/* Files were unloaded. */
static inline void unwind_tail_forget(struct unwind_tail *tail)
{
    tail->marks[tail->now].count = 0;
}

/*
 * A function that hands on where it was called from:
 *
 *     ORIGIN_HERE(NAME, FUNCTION, rcx)
 *
 * defines NAME, which calls FUNCTION with its own arguments and one more: a
 * struct unwind_origin with the registers of NAME's caller, valid until
 * FUNCTION returns. Its pointer goes into the register named, that of the
 * argument after NAME's last. FUNCTION has to be __attribute__((used)): the
 * compiler sees no call.
 *
 * struct unwind_origin ends at the return address that the caller has pushed.
 */
#define ORIGIN_HERE(name, function, argument)            \
    __asm__(".text\n"                                    \
            ".p2align 4\n"                               \
            ".globl " #name "\n"                         \
            ".hidden " #name "\n"                        \
            ".type " #name ", @function\n"               \
            "" #name ":\n"                               \
            ".cfi_startproc\n"                           \
            ".irp saved, rbx, rbp, r12, r13, r14, r15\n" \
            "pushq %\\saved\n"                           \
            ".cfi_adjust_cfa_offset 8\n"                 \
            ".endr\n"                                    \
            "movq %rsp, %" #argument "\n"                \
            "subq $8, %rsp\n"                            \
            ".cfi_adjust_cfa_offset 8\n"                 \
            "call " #function "\n"                       \
            "addq $56, %rsp\n"                           \
            ".cfi_adjust_cfa_offset -56\n"               \
            "ret\n"                                      \
            ".cfi_endproc\n"                             \
            ".size " #name ", . - " #name "\n")

_Static_assert(sizeof(struct unwind_origin) == 7 * sizeof(uintptr_t),
               "as many registers as ORIGIN_HERE pushes");
