/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin_here.h - a function that hands on where it was called from
 *
 *     ORIGIN_HERE(NAME, FUNCTION, rcx)
 *
 * defines NAME, which calls FUNCTION with its own arguments and one more: a struct
 * unwind_origin with the registers of NAME's caller, valid until FUNCTION returns.
 * Its pointer goes into the register named, that of the argument after NAME's last.
 * FUNCTION has to be __attribute__((used)): the compiler sees no call.
 *
 * struct unwind_origin ends at the return address that the caller has pushed.
 */
#ifndef TALLY_UNWIND_ORIGIN_HERE_H
#define TALLY_UNWIND_ORIGIN_HERE_H

#include "unwind/unwind.h"

#if defined __x86_64__
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
#endif

#endif /* TALLY_UNWIND_ORIGIN_HERE_H */
