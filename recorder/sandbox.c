/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.c - seccomp, and calls that go past libc's names
 *
 * Both prctl and syscall are watched, never changed: the arguments are looked
 * at and the real function is jumped to, so it finds the stack and registers as
 * the program left them.
 */
#define _GNU_SOURCE
#include "recorder/sandbox.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "recorder/export.h"
#include "recorder/ledger_writer.h"
#include "recorder/process.h"
#include "recorder/raw_calls.h"
#include "recorder/real_functions.h"

static uint32_t closed;

bool sandbox_is_closed(void)
{
    return __atomic_load_n(&closed, __ATOMIC_RELAXED) != 0;
}

/* Said while we still may say it; a filter that is refused does no harm. */
static void close_sandbox(void)
{
    if (process.header != NULL)
        ledger_write_notice(LEDGER_NOTICE_sandboxed, "");
    __atomic_store_n(&closed, 1, __ATOMIC_RELAXED);
}

#if defined __x86_64__
/* The six arguments as the watching entry points below save them. */
struct saved_arguments {
    long first, second, third, fourth, fifth, sixth;
};

void *sandbox_watch_prctl(const struct saved_arguments *saved);
void *sandbox_watch_syscall(const struct saved_arguments *saved);

void *sandbox_watch_prctl(const struct saved_arguments *saved)
{
    if ((int)saved->first == PR_SET_SECCOMP)
        close_sandbox();
    return (void *)(uintptr_t)REAL(prctl);
}

static bool is_map_call(const struct saved_arguments *saved)
{
    return (saved->first == SYS_mmap && (saved->fifth & MAP_ANONYMOUS) != 0) ||
           saved->first == SYS_munmap || saved->first == SYS_mremap;
}

void *sandbox_watch_syscall(const struct saved_arguments *saved)
{
    if (saved->first == SYS_seccomp ||
        (saved->first == SYS_prctl && (int)saved->second == PR_SET_SECCOMP))
        close_sandbox();
    else if (is_map_call(saved))
        process_count(LEDGER_COUNT_raw_map_calls, 1);
    return (void *)(uintptr_t)REAL(syscall);
}

/* Save the arguments, ask WATCH where to go, restore them, go there. */
#define WATCHED(name, watch)                         \
    __asm__(".text\n"                                \
            ".globl " name "\n"                      \
            ".type " name ", @function\n"            \
            ".p2align 4\n" name ":\n"                \
            ".cfi_startproc\n"                       \
            "endbr64\n"                              \
            "pushq %rax\n.cfi_adjust_cfa_offset 8\n" \
            "pushq %r9\n.cfi_adjust_cfa_offset 8\n"  \
            "pushq %r8\n.cfi_adjust_cfa_offset 8\n"  \
            "pushq %rcx\n.cfi_adjust_cfa_offset 8\n" \
            "pushq %rdx\n.cfi_adjust_cfa_offset 8\n" \
            "pushq %rsi\n.cfi_adjust_cfa_offset 8\n" \
            "pushq %rdi\n.cfi_adjust_cfa_offset 8\n" \
            "movq %rsp, %rdi\n"                      \
            "call " watch "\n"                       \
            "movq %rax, %r11\n"                      \
            "popq %rdi\n.cfi_adjust_cfa_offset -8\n" \
            "popq %rsi\n.cfi_adjust_cfa_offset -8\n" \
            "popq %rdx\n.cfi_adjust_cfa_offset -8\n" \
            "popq %rcx\n.cfi_adjust_cfa_offset -8\n" \
            "popq %r8\n.cfi_adjust_cfa_offset -8\n"  \
            "popq %r9\n.cfi_adjust_cfa_offset -8\n"  \
            "popq %rax\n.cfi_adjust_cfa_offset -8\n" \
            "jmp *%r11\n"                            \
            ".cfi_endproc\n"                         \
            ".size " name ", . - " name "\n")

WATCHED("prctl", "sandbox_watch_prctl");
WATCHED("syscall", "sandbox_watch_syscall");
#endif
