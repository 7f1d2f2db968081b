/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched_calls.c - dlopen and dlclose, seccomp, and calls past libc's names
 *
 * dlopen, prctl and syscall are watched, never changed: the arguments are
 * looked at and the real function is jumped to, so it finds the stack and
 * registers as the program left them; dlopen depends on its caller. Those that
 * install a filter are called from here, for only their result says whether
 * there is one now.
 *
 * RTLD_DEEPBIND hides malloc from us: that is the program's choice, and we only
 * report it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "ledger/export.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/process.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"
#include "recorder/events/events.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/call_stacks.h"

EXPORT int dlclose(void *handle);

EXPORT int dlclose(void *handle)
{
    int result = REAL(dlclose)(handle);

    call_stacks_forget();
    if (process.header != NULL)
        modules_close_unloaded();
    return result;
}

/*
 * Closed while we still may say so, and before another thread could make a call
 * that the filter kills for.
 */
static uint32_t *close_sandbox(void)
{
    uint32_t *said = NULL;

    if (process.header != NULL && !sandbox_is_closed())
        said = ledger_write_notice(LEDGER_NOTICE_sandboxed, "");
    sandbox_close();
    return said;
}

/* The filter was refused. */
static void open_again(uint32_t *said)
{
    sandbox_open();
    if (said != NULL)
        __atomic_fetch_sub(said, 1, __ATOMIC_RELAXED);
}

#if defined __x86_64__
/* The six arguments as the watching entry points below save them. */
struct saved_arguments {
    long first, second, third, fourth, fifth, sixth;
};

void *watch_prctl(const struct saved_arguments *saved);
void *watch_syscall(const struct saved_arguments *saved);

static int install_by_prctl(int option, long mode, long filter, long fourth,
                            long fifth)
{
    uint32_t *said = close_sandbox();
    int result;

    if (mode == SECCOMP_MODE_STRICT) /* that forbids the counter, too */
        events_lose_clock();
    result = REAL(prctl)(option, mode, filter, fourth, fifth);

    if (result != 0)
        open_again(said);
    return result;
}

void *watch_prctl(const struct saved_arguments *saved)
{
    if ((int)saved->first == PR_SET_SECCOMP)
        return (void *)(uintptr_t)install_by_prctl;
    if ((int)saved->first == PR_SET_TSC)
        events_lose_clock();
    return (void *)(uintptr_t)REAL(prctl);
}

static bool installs(const struct saved_arguments *saved)
{
    if (saved->first == SYS_prctl)
        return (int)saved->second == PR_SET_SECCOMP;
    return saved->first == SYS_seccomp &&
           (saved->second == SECCOMP_SET_MODE_STRICT ||
            saved->second == SECCOMP_SET_MODE_FILTER);
}

/* Whether the processor's counter may be forbidden from now on. */
static bool takes_clock(const struct saved_arguments *saved)
{
    if (saved->first == SYS_prctl)
        return (int)saved->second == PR_SET_TSC ||
               ((int)saved->second == PR_SET_SECCOMP &&
                saved->third == SECCOMP_MODE_STRICT);
    return saved->first == SYS_seccomp &&
           saved->second == SECCOMP_SET_MODE_STRICT;
}

/* A number above 0 is a listener's, or a thread's that kept it from being. */
static long install_by_syscall(long number, long first, long second, long third,
                               long fourth, long fifth, long sixth)
{
    uint32_t *said = close_sandbox();
    long result =
        REAL(syscall)(number, first, second, third, fourth, fifth, sixth);

    if (result < 0 || (result > 0 && ((unsigned long)second &
                                      SECCOMP_FILTER_FLAG_NEW_LISTENER) == 0))
        open_again(said);
    return result;
}

static bool is_map_call(const struct saved_arguments *saved)
{
    return (saved->first == SYS_mmap && (saved->fifth & MAP_ANONYMOUS) != 0) ||
           saved->first == SYS_munmap || saved->first == SYS_mremap;
}

void *watch_syscall(const struct saved_arguments *saved)
{
    if (takes_clock(saved))
        events_lose_clock();
    if (installs(saved))
        return (void *)(uintptr_t)install_by_syscall;
    if (is_map_call(saved))
        process_count(LEDGER_COUNT_raw_map_calls, 1);
    return (void *)(uintptr_t)REAL(syscall);
}

void *watch_dlopen(const struct saved_arguments *saved);

void *watch_dlopen(const struct saved_arguments *saved)
{
    const char *file = (const char *)saved->first;

    if (((int)saved->second & RTLD_DEEPBIND) != 0 && file != NULL &&
        process.header != NULL)
        ledger_write_notice(LEDGER_NOTICE_deepbind, file);
    return (void *)(uintptr_t)REAL(dlopen);
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

WATCHED("dlopen", "watch_dlopen");
WATCHED("prctl", "watch_prctl");
WATCHED("syscall", "watch_syscall");
#endif
