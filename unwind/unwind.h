/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind.h - from the place of a call to all its callers
 *
 * A walk follows the stack by the rules of cfi.h, without frame pointers,
 * without locks, without allocating. It reads memory through one function,
 * which notes address and value of each word: the inputs. So
 *
 *   U1  with the same code loaded, the same innermost return address, the same
 *       stack pointer, and the same values in all inputs, the stack is the same
 *   U2  inputs are in the order in which they were read: if the first n have
 *       the same values again, the next one may be read, since a walk would
 *       read it, too. This holds for words of the thread's own stack, which
 *       stay mapped: a walk that read, or wanted to read, others is not
 *       repeatable
 *   U3  only words that stack_memory.h knows to be mapped are read
 *
 * Registers are read like memory: the caller has saved them right below the
 * stack pointer.
 *
 * A frame is the return address of its call, so the byte before it belongs to
 * the call. Code interrupted by a signal has called nothing, nor has the code
 * that a handler or a context made by libc returns to: there the frame is the
 * address of the instruction plus one, and the byte before belongs to that.
 *
 * Consecutive walks mostly differ in their inner frames. From a frame on, a
 * walk depends only on that frame's state and on the words that it reads from
 * there on (U1). So some frames are marked with their states, evenly, however
 * deep the stack is, and
 *
 *   T1  a walk that reaches a frame in the same state as the previous walk ends
 *       as that did, if all words that it read from there on are unchanged
 *   T2  those words are read only if they lie in the thread's own stack now,
 *       whichever thread used the unwinder then
 *   T3  the previous walk was repeatable, and did not end for lack of space
 *
 * The frames stay valid only while the same files are loaded: forgetting rules
 * must forget this too, by unwind_forget().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/stack_memory.h"
#include "unwind/unwind_rules.h"

/* Deeper stacks are truncated. */
enum { UNWIND_FRAMES = 8192, UNWIND_INPUTS = 2 * UNWIND_FRAMES };

/* registers saved by a call, lowest address first; then the caller's stack */
struct unwind_origin {
    uintptr_t saved[UNWIND_SAVED]; /* unwind_saved_registers in reverse */
    uintptr_t return_address;      /* the frame that called */
};

/* a frame's registers; each bit: where the value is, if it is known */
struct unwind_registers {
    uint32_t in_memory; /* at places[] */
    uint32_t is_known;  /* in values[], perhaps in both */
    uintptr_t places[CFI_REGISTERS];
    uint64_t values[CFI_REGISTERS];
};

enum { UNWIND_MARKS = 64 };

/* A frame that was reached. During a walk, both counts are those before it. */
struct unwind_mark {
    uintptr_t sp, address;
    uint32_t frames;  /* frames from this one outwards */
    uint32_t inputs;  /* words read from there on, ... */
    uintptr_t lowest; /* ... and the lowest of their addresses */
    uint32_t in_memory, is_known;
    uintptr_t places[UNWIND_SAVED];
    uint64_t values[UNWIND_SAVED];
};

/* marks of a walk until it ends, innermost first */
struct unwind_new_marks {
    uint32_t count;
    uint32_t next;   /* number of the frame to mark next, from 0 */
    uint32_t stride; /* distance of marked frames */
    struct unwind_mark marks[UNWIND_MARKS];
};

/* State kept from one walk to the next. Its frames and inputs stay at the ends
   of the unwinder's memory while the next walk fills it from the start. */
struct unwind_tail {
    struct unwind_mark marks[UNWIND_MARKS]; /* outermost first */
    uint32_t count;                         /* of marks */
    uint32_t at; /* marks not passed yet by the walk */
    uint32_t inputs;
    uint32_t same_inputs; /* unchanged inputs, from the outermost one inwards */
    bool is_counted;      /* same_inputs is known */
    bool is_cut;
    uintptr_t origin;
};

struct unwinder {
    struct stack_memory memory;
    struct cfi_machine machine;
    struct unwind_rules *rules;
    uintptr_t origin; /* address of the innermost return address */

    /* the current frame */
    uintptr_t address;   /* address at which it continues */
    uintptr_t sp;        /* stack pointer at that address */
    bool is_interrupted; /* `address` is no return address */
    struct unwind_registers registers;
    struct unwind_registers callers; /* scratch */

    /* the result */
    bool is_cut;        /* there were more frames */
    bool is_repeatable; /* U1 and U2 hold */
    uint32_t frame_count;
    uint32_t input_count;
    uint32_t same_frames; /* outermost frames shared with the previous walk */
    uintptr_t *frames;    /* innermost first, as above */
    int32_t *offsets;     /* bytes from `origin` */
    uint64_t *inputs;

    struct unwind_tail tail;
    struct unwind_new_marks new_marks;
    uintptr_t frame_memory[UNWIND_FRAMES];
    int32_t offset_memory[UNWIND_INPUTS];
    uint64_t input_memory[UNWIND_INPUTS];
};

/*
 * Walk the stack from `origin`, which holds the registers and return address of
 * the call. The result is in `unwinder`, which starts as zeros plus `rules`.
 * One user at a time.
 */
void unwind_from(struct unwinder *unwinder, const struct unwind_origin *origin);

static inline void unwind_forget(struct unwinder *unwinder)
{
    unwinder->tail.count = 0;
    cfi_forget(&unwinder->machine);
}

/*
 * Define a function that passes on its caller's registers:
 *
 *     ORIGIN_HERE(NAME, FUNCTION, rcx)
 *
 * defines NAME, which calls FUNCTION with its own arguments and one more: a
 * struct unwind_origin with the registers of NAME's caller, valid until
 * FUNCTION returns. Its pointer goes into the named register, that of the
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
