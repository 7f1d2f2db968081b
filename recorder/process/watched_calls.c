/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched_calls.c - dlopen, dlmopen and dlclose, seccomp, mlockall, and calls
 * that bypass libc's names
 *
 * dlopen, dlmopen, prctl and syscall are watched, never changed: the arguments
 * are checked and the real function is jumped to, so it finds the stack and
 * registers as the program left them; dlopen depends on its caller. Calls that
 * install a filter are made from here, as only their result says if there is a
 * filter now.
 *
 * RTLD_DEEPBIND and a namespace of its own hide a library's malloc from us:
 * that is the program's choice, and we only report it.
 *
 * mlockall is meant for the program's memory: the recorder's maps are unlocked
 * again, and later ones are never locked, so that RLIMIT_MEMLOCK stays the
 * program's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "ledger/blocks/attach.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/process.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "recorder/events/events.h"
#include "recorder/maps/map_accounts.h"
#include "recorder/process/allocators.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/stacks.h"

EXPORT int dlclose(void *handle);
extern HIDDEN __typeof__(dlclose) own_dlclose __THROWNL
    __attribute__((alias("dlclose")));

EXPORT int dlclose(void *handle)
{
    int result = REAL(dlclose)(handle);

    call_stacks_forget();
    if (process.header != NULL)
        modules_close_unloaded();
    return result;
}

EXPORT int mlockall(int flags)
{
    bool was_locking = pages_are_locked();
    int result;

    pages_set_locking(was_locking || (flags & MCL_FUTURE) != 0);
    result = REAL(mlockall)(flags);
    if (result == 0) {
        process_unlock();
        events_unlock();
        stacks_unlock();
    } else {
        pages_set_locking(was_locking);
    }
    return result;
}

EXPORT int munlockall(void)
{
    pages_set_locking(false);
    return REAL(munlockall)();
}

/* Close the sandbox while a notice can still be written, and before another
   thread could make a call that the filter kills for. */
static uint32_t *close_sandbox(void)
{
    uint32_t *said = NULL;

    if (process.header != NULL && !sandbox_is_closed())
        said = ledger_write_notice(LEDGER_NOTICE_sandboxed, "");
    sandbox_close();
    return said;
}

static void open_again(uint32_t *said)
{
    sandbox_open();
    if (said != NULL)
        __atomic_fetch_sub(said, 1, __ATOMIC_RELAXED);
}

/* the six arguments as the entry points below save them, and the words above
   them on the stack */
struct saved_arguments {
    long first, second, third, fourth, fifth, sixth;
    long vectors; /* rax */
    uintptr_t caller;
};

void *watch_prctl(const struct saved_arguments *saved);
void *watch_syscall(const struct saved_arguments *saved);

enum {
    INSTALLS = 1,
    TAKES_CLOCK = 2, /* the processor's counter may be forbidden afterwards */
};

static unsigned effects_of_prctl(int option, long mode)
{
    if (option == PR_SET_TSC)
        return TAKES_CLOCK;
    if (option != PR_SET_SECCOMP)
        return 0;
    return mode == SECCOMP_MODE_STRICT ? INSTALLS | TAKES_CLOCK : INSTALLS;
}

static unsigned effects_of_syscall(const struct saved_arguments *saved)
{
    if (saved->first == SYS_prctl)
        return effects_of_prctl((int)saved->second, saved->third);
    if (saved->first != SYS_seccomp)
        return 0;
    return saved->second == SECCOMP_SET_MODE_STRICT   ? INSTALLS | TAKES_CLOCK
           : saved->second == SECCOMP_SET_MODE_FILTER ? INSTALLS
                                                      : 0;
}

static int install_by_prctl(int option, long mode, long filter, long fourth,
                            long fifth)
{
    uint32_t *said = close_sandbox();
    int result = REAL(prctl)(option, mode, filter, fourth, fifth);

    if (result != 0)
        open_again(said);
    return result;
}

void *watch_prctl(const struct saved_arguments *saved)
{
    unsigned effects = effects_of_prctl((int)saved->first, saved->second);

    if ((effects & TAKES_CLOCK) != 0)
        events_lose_clock();
    return (effects & INSTALLS) != 0 ? (void *)(uintptr_t)install_by_prctl
                                     : (void *)(uintptr_t)REAL(prctl);
}

/* Install a filter. A positive result is a listener, or a thread that prevented
   it. */
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

void *watch_syscall(const struct saved_arguments *saved)
{
    unsigned effects = effects_of_syscall(saved);

    if ((effects & TAKES_CLOCK) != 0)
        events_lose_clock();
    if ((effects & INSTALLS) != 0)
        return (void *)(uintptr_t)install_by_syscall;
    if ((saved->first == SYS_mmap && (saved->fifth & MAP_ANONYMOUS) != 0) ||
        saved->first == SYS_munmap || saved->first == SYS_mremap)
        map_accounts_raw(saved->caller);
    return (void *)(uintptr_t)REAL(syscall);
}

void *watch_dlopen(const struct saved_arguments *saved);

void *watch_dlopen(const struct saved_arguments *saved)
{
    const char *file = (const char *)saved->first;

    if (file == NULL || process.header == NULL)
        return (void *)(uintptr_t)REAL(dlopen);
    if (((int)saved->second & RTLD_DEEPBIND) != 0)
        ledger_write_notice(LEDGER_NOTICE_deepbind, file);
    if (bindings_miss(file))
        ledger_write_notice(LEDGER_NOTICE_own_allocator, file);
    return (void *)(uintptr_t)REAL(dlopen);
}

/* Save the arguments, ask WATCH for the target, restore them, jump there. */
#define WATCHED(name, watch)                         \
    __asm__(".text\n"                                \
            ".globl " name "\n"                      \
            ".type " name ", @function\n"            \
            ".p2align 4\n" name ":\n"                \
            ".globl own_" name "\n"                  \
            ".hidden own_" name "\n"                 \
            "own_" name ":\n"                        \
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

void *watch_dlmopen(const struct saved_arguments *saved);

void *watch_dlmopen(const struct saved_arguments *saved)
{
    const char *file = (const char *)saved->second;

    if (file != NULL && saved->first != LM_ID_BASE && process.header != NULL)
        ledger_write_notice(LEDGER_NOTICE_namespace, file);
    return (void *)(uintptr_t)REAL(dlmopen);
}

WATCHED("dlmopen", "watch_dlmopen");
WATCHED("dlopen", "watch_dlopen");
WATCHED("prctl", "watch_prctl");
WATCHED("syscall", "watch_syscall");
