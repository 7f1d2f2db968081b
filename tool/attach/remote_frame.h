/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_frame.h - the frame by which a thread returns from a call of ours
 *
 * A return from a signal handler, that never ran: the kernel's rt_sigreturn
 * takes all registers, the signal mask and the floating point state from the
 * stack. libc has the code for it, whose address the called function returns
 * to, by way of two other instructions of libc that keep the result:
 *
 *     higher   floating point state
 *              the result
 *              context: registers, signal mask
 *              mov $15, %rax; syscall         __restore_rt of libc
 *              (popped to %rbx)
 *              mov %eax, (%rbx); pop %rbx; ret    errno as before
 *              errno's value
 *              pop %rax; ret
 *              address of errno (popped to %rbx)
 *     rsp ->   mov %rax, (%rbx); pop %rbx; ret    result
 *
 * So there is nothing that we must do for the thread to go on as before, and it
 * does when we are killed. Only a wait with a time limit begins anew then.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tool/attach/tracee.h"

/* Addresses of instructions in the program's libc. */
struct remote_code {
    uint64_t restore;      /* mov $15, %rax; syscall */
    uint64_t store;        /* mov %rax, (%rbx); pop %rbx; ret */
    uint64_t pop;          /* pop %rax; ret */
    uint64_t syscall;      /* syscall; ret */
    uint64_t errno_offset; /* from the thread's %fs */
};

/* Stands for the result until there is one. */
#define NO_RESULT UINT64_C(0x7a11e7b7e5c0ffee)

/* Registers and signal mask of a stopped thread. */
struct remote_state {
    struct user_regs_struct registers;
    uint64_t mask; /* of signals */
    size_t floating_size;
    uint8_t floating[12288];
};

/* Find those instructions; `errno_location` is libc's __errno_location. */
int remote_code_find(struct remote_code *code, const struct tracee *tracee,
                     uint64_t errno_location);

bool remote_state_get(struct remote_state *state, pid_t tid);

/* Return registers that repeat the system call in which the thread was
   stopped. */
struct user_regs_struct
remote_state_restarted(const struct remote_state *state);

/*
 * Write the frame to the stack below `top`. Returns %rsp for the function, or 0
 * when it cannot be written. `result` gets the address of the result.
 */
uint64_t remote_frame_write(const struct remote_code *code,
                            const struct tracee *tracee,
                            const struct remote_state *state, uint64_t top,
                            uint64_t *result);

/* %rsp when it returns, at the entry of rt_sigreturn. */
uint64_t remote_frame_end(uint64_t start);
