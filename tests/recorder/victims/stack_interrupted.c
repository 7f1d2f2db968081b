/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_interrupted.c - a handler that allocates after each instruction of the
 * recorder
 *
 * The trap flag of the processor raises a signal after each instruction. No C
 * library allows malloc within malloc, so the handler does nothing there. It
 * runs on an alternate stack, above the thread's or below.
 */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/recorder/victims/stacks.h"

enum { STACK_SIZE = 1 << 18, CALLS = 4, SKIPPED = 64 };

static uintptr_t forbidden[SKIPPED][2]; /* text of libc and of the loader */
static int forbidden_count;
static unsigned handled;
static char *stacks; /* three stacks */

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (strstr(info->dlpi_name, "libc.so") == NULL &&
        strstr(info->dlpi_name, "ld-linux") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0)
            continue;
        REQUIRE(forbidden_count < SKIPPED);
        forbidden[forbidden_count][0] = info->dlpi_addr + header->p_vaddr;
        forbidden[forbidden_count++][1] =
            info->dlpi_addr + header->p_vaddr + header->p_memsz;
    }
    return 0;
}

static int is_forbidden(uintptr_t address)
{
    for (int i = 0; i < forbidden_count; i++) {
        if (address >= forbidden[i][0] && address < forbidden[i][1])
            return 1;
    }
    return 0;
}

static FRAME void in_handler(void)
{
    free(victim_keep(malloc(40)));
    AND_BACK();
}

static void on_step(int number, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;

    (void)number;
    (void)info;
    if (is_forbidden((uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP]))
        return;
    in_handler();
    handled++;
}

void set_trap(void);
void clear_trap(void);
__asm__(".text\n"
        "set_trap:\n"
        "pushfq\n"
        "orq $0x100, (%rsp)\n"
        "popfq\n"
        "ret\n"
        "clear_trap:\n"
        "pushfq\n"
        "andq $~0x100, (%rsp)\n"
        "popfq\n"
        "ret\n");

static FRAME void recurse(int deep)
{
    if (deep == 0) {
        set_trap();
        block();
        clear_trap();
    } else {
        recurse(deep - 1);
    }
    AND_BACK();
}

static void *in_thread(void *handlers)
{
    stack_t stack = { .ss_sp = handlers, .ss_size = STACK_SIZE };

    REQUIRE(sigaltstack(&stack, NULL) == 0);
    block(); /* the first call of a thread is not tested here */
    for (int i = 0; i < 2 * CALLS; i++)
        recurse(i % CALLS);
    return NULL;
}

static void run_thread(char *handlers)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    REQUIRE(pthread_attr_setstack(&attributes, stacks + STACK_SIZE,
                                  STACK_SIZE) == 0);
    REQUIRE(pthread_create(&thread, &attributes, in_thread, handlers) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static void say_all(void)
{
    for (int deep = 0; deep < CALLS; deep++) {
        victim_say("stack 4 block");
        for (int i = 0; i <= deep; i++)
            victim_say(" recurse");
        victim_say(" in_thread\n");
    }
    victim_say("site in_handler blocks_total ");
    say_number(handled);
    victim_say("\nmay_count truncated_stacks\n");
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = on_step,
                                .sa_flags = SA_SIGINFO | SA_ONSTACK };

    dl_iterate_phdr(note_library, NULL);
    stacks = mmap(NULL, 3 * STACK_SIZE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(stacks != MAP_FAILED);
    REQUIRE(sigaction(SIGTRAP, &action, NULL) == 0);
    run_thread(stacks);
    run_thread(stacks + 2 * STACK_SIZE);
    say_all();
    return 0;
}
