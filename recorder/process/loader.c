/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.c - dlopen and dlclose
 *
 * dlopen depends on its caller, so we jump to the real one with the stack as it
 * was. RTLD_DEEPBIND hides malloc from us: that is the program's choice, and we
 * only report it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#include "ledger/export.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/process.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/call_stacks.h"

EXPORT int dlclose(void *handle);

int dlclose(void *handle)
{
    int result = REAL(dlclose)(handle);

    call_stacks_forget();
    if (process.header != NULL)
        modules_close_unloaded();
    return result;
}

#if defined __x86_64__
void *loader_watch_dlopen(const char *file, int flags);

void *loader_watch_dlopen(const char *file, int flags)
{
    if ((flags & RTLD_DEEPBIND) != 0 && file != NULL && process.header != NULL)
        ledger_write_notice(LEDGER_NOTICE_deepbind, file);
    return (void *)(uintptr_t)REAL(dlopen);
}

__asm__(".text\n"
        ".globl dlopen\n"
        ".type dlopen, @function\n"
        ".p2align 4\n"
        "dlopen:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"
        "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"
        "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "call loader_watch_dlopen\n"
        "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "popq %rsi\n.cfi_adjust_cfa_offset -8\n"
        "popq %rdi\n.cfi_adjust_cfa_offset -8\n"
        "jmp *%rax\n"
        ".cfi_endproc\n"
        ".size dlopen, . - dlopen\n");
#endif
