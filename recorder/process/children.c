/* SPDX-License-Identifier: Apache-2.0 */
/*
 * children.c - vfork and clone: children that share our memory
 *
 * They change the parent's heap, so their calls are recorded in the parent's
 * ledger, and need nothing but this: while such a child runs on its parent's
 * TLS, the kernel keeps no rseq area for it.
 *
 * vfork returns twice on one stack. The child may overwrite the return address
 * that the parent still needs, so it is kept in a register over the system
 * call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/types.h>

#include "ledger/export.h"
#include "ledger/record/attach.h"
#include "recorder/real_functions.h"

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument,
                 ...)
{
    bool is_sharing = (flags & CLONE_VM) != 0 && (flags & CLONE_SETTLS) == 0;
    pid_t *parent_thread, *child_thread;
    void *tls;
    va_list rest;
    int result;

    va_start(rest, argument);
    parent_thread = va_arg(rest, pid_t *);
    tls = va_arg(rest, void *);
    child_thread = va_arg(rest, pid_t *);
    va_end(rest);
    if (is_sharing)
        thread_share();
    result = REAL(clone)(run, stack, flags, argument, parent_thread, tls,
                         child_thread);
    if (is_sharing && (result < 0 || (flags & CLONE_VFORK) != 0))
        thread_unshare();
    return result;
}

#if defined __x86_64__
int children_vfork_failed(int error);

int children_vfork_failed(int error)
{
    errno = error;
    return -1;
}

__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        ".p2align 4\n"
        "vfork:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "call thread_share\n"
        "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "popq %rdi\n.cfi_adjust_cfa_offset -8\n.cfi_register %rip, %rdi\n"
        "movl $58, %eax\n" /* vfork; the kernel keeps rdi */
        "syscall\n"
        "pushq %rdi\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rip, -8\n"
        "testl %eax, %eax\n"
        "jz 1f\n" /* the child goes on sharing until it is gone */
        "pushq %rax\n.cfi_adjust_cfa_offset 8\n"
        "call thread_unshare\n"
        "popq %rax\n.cfi_adjust_cfa_offset -8\n"
        "cmpl $-4095, %eax\n"
        "jae 2f\n"
        "1: ret\n"
        "2: negl %eax\n"
        "movl %eax, %edi\n"
        "jmp children_vfork_failed\n"
        ".cfi_endproc\n"
        ".size vfork, . - vfork\n");
#endif
