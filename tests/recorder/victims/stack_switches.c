/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_switches.c - stacks of threads, signals, coroutines and children
 *
 * "-" stands for any function of libc in between.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "tests/recorder/victims/stacks.h"

enum { THREADS = 4, STACK_SIZE = 1 << 18, PAGE = 4096 };

static FRAME void *map_stack(void)
{
    void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(stack != MAP_FAILED);
    return stack;
}

static FRAME void recurse(int deep)
{
    if (deep == 0)
        block();
    else
        recurse(deep - 1);
    AND_BACK();
}

static void *in_thread(void *number)
{
    for (int i = 0; i < ROUNDS; i++)
        recurse((int)(intptr_t)number);
    return NULL;
}

static FRAME void switch_threads(void)
{
    pthread_t threads[THREADS];

    for (intptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, in_thread, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    say_stack(ROUNDS, "block recurse in_thread");
    say_stack(ROUNDS, "block recurse recurse in_thread");
    say_stack(ROUNDS, "block recurse recurse recurse in_thread");
    say_stack(ROUNDS, "block recurse recurse recurse recurse in_thread");
}

static void handler(int number)
{
    (void)number;
    block();
    AND_BACK();
}

static void outer_handler(int number)
{
    (void)number;
    kill(getpid(), SIGUSR1);
    AND_BACK();
}

static void handle(int number, void (*by)(int), int flags)
{
    struct sigaction action = { .sa_handler = by, .sa_flags = flags };

    REQUIRE(sigaction(number, &action, NULL) == 0);
}

static FRAME void signals(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        kill(getpid(), SIGUSR1);
        kill(getpid(), SIGUSR2);
        block();
    }
}

static FRAME void say_signals(const char *outer)
{
    victim_say("stack 200 block handler - - signals ");
    victim_say(outer);
    victim_say("stack 200 block handler - - outer_handler - - signals ");
    victim_say(outer);
    victim_say("stack 200 block signals ");
    victim_say(outer);
}

static FRAME void switch_signals(void)
{
    handle(SIGUSR1, handler, 0);
    handle(SIGUSR2, outer_handler, 0);
    signals();
    say_signals("switch_signals main\n");
}

static FRAME void switch_sigaltstack(void)
{
    stack_t stack = { .ss_sp = map_stack(), .ss_size = STACK_SIZE };

    REQUIRE(sigaltstack(&stack, NULL) == 0);
    handle(SIGUSR1, handler, SA_ONSTACK);
    handle(SIGUSR2, outer_handler, SA_ONSTACK);
    signals();
    say_signals("switch_sigaltstack main\n");
}

/* A function of no size, interrupted at its first instruction, right behind
   another. */
void traps(void);
__asm__(".text\n"
        ".type before_traps, @function\n"
        "before_traps:\n"
        ".cfi_startproc\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size before_traps, . - before_traps\n"
        ".globl traps\n"
        ".type traps, @function\n"
        "traps:\n"
        ".cfi_startproc\n"
        "ud2\n"
        "ret\n"
        ".cfi_endproc\n");

static void trap_handler(int number, siginfo_t *signal, void *context)
{
    ucontext_t *interrupted = context;

    (void)number;
    (void)signal;
    block();
    interrupted->uc_mcontext.gregs[REG_RIP] += 2;
}

static FRAME void switch_trap(void)
{
    struct sigaction action = { .sa_sigaction = trap_handler,
                                .sa_flags = SA_SIGINFO };

    REQUIRE(sigaction(SIGILL, &action, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++)
        traps();
    say_stack(ROUNDS, "block trap_handler - traps switch_trap main");
}

static ucontext_t outside, inside;

static void in_context(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        block();
        swapcontext(&inside, &outside);
        recurse(2);
    }
}

static FRAME void switch_context(void)
{
    getcontext(&inside);
    inside.uc_stack.ss_sp = map_stack();
    inside.uc_stack.ss_size = STACK_SIZE;
    inside.uc_link = &outside;
    makecontext(&inside, in_context, 0);
    for (int i = 0; i <= ROUNDS; i++)
        swapcontext(&outside, &inside);
    say_stack(ROUNDS, "block in_context");
    say_stack(ROUNDS, "block recurse recurse recurse in_context");
}

static FRAME void in_either(void)
{
    block();
    AND_BACK();
}

static void first_context(void)
{
    in_either();
    AND_BACK();
}

static void second_context(void)
{
    in_either();
    AND_BACK();
}

/* Coroutines begin on one stack in turn: the same call at the same place. */
static FRAME void switch_shared(void)
{
    char *stack = map_stack();

    for (volatile int i = 0; i < 3 * ROUNDS; i++) {
        getcontext(&inside);
        inside.uc_stack.ss_sp = stack;
        inside.uc_stack.ss_size = STACK_SIZE;
        inside.uc_link = &outside;
        makecontext(&inside, i % 3 == 0 ? first_context : second_context, 0);
        swapcontext(&outside, &inside);
    }
    say_stack(ROUNDS, "block in_either first_context");
    say_stack(2 * ROUNDS, "block in_either second_context");
}

/* Call a function on another stack, like a hand-written coroutine. The frame
   has no unwind information, and an arbitrary frame pointer. */
void call_on(char *stack, void (*function)(void), char *frame_pointer);
__asm__(".text\n"
        ".globl call_on\n"
        ".type call_on, @function\n"
        "call_on:\n"
        "pushq %rbp\n"
        "pushq %rbx\n"
        "movq %rsp, %rbx\n"
        "movq %rdi, %rsp\n"
        "movq %rdx, %rbp\n"
        "call *%rsi\n"
        "movq %rbx, %rsp\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n"
        ".size call_on, . - call_on\n");

static void on_other_stack(void)
{
    block();
    AND_BACK();
}

/* The mapping above the stack is gone when the same words come again. */
static FRAME void switch_remapped(void)
{
    char *stack = map_stack();
    char *middle = stack + STACK_SIZE / 2;

    for (int i = 0; i < ROUNDS; i++)
        call_on(middle, on_other_stack, middle + 2 * PAGE);
    REQUIRE(munmap(middle, STACK_SIZE / 2) == 0);
    for (int i = 0; i < ROUNDS; i++)
        call_on(middle, on_other_stack, middle + 2 * PAGE);
    victim_say("site block blocks_total 400\n");
    victim_say("may_count truncated_stacks\n");
}

static int in_clone(void *nothing)
{
    (void)nothing;
    recurse(1);
    return 0;
}

static FRAME void switch_clone(void)
{
    char *stack = map_stack();

    for (int i = 0; i < ROUNDS; i++) {
        int status = -1;
        pid_t child = clone(in_clone, stack + STACK_SIZE,
                            CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

        REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
        REQUIRE(status == 0);
    }
    say_stack(ROUNDS, "block recurse recurse in_clone");
}

static FRAME void switch_vfork(void)
{
    for (volatile int i = 0; i < ROUNDS; i++) {
        int status = -1;
        pid_t child = vfork();

        if (child == 0) {
            recurse(1);
            _exit(0);
        }
        REQUIRE(waitpid(child, &status, 0) == child && status == 0);
        recurse(0);
    }
    say_stack(ROUNDS, "block recurse recurse switch_vfork main");
    say_stack(ROUNDS, "block recurse switch_vfork main");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } switches[] = {
        { "threads", switch_threads },
        { "signals", switch_signals },
        { "sigaltstack", switch_sigaltstack },
        { "trap", switch_trap },
        { "context", switch_context },
        { "shared", switch_shared },
        { "remapped", switch_remapped },
        { "clone", switch_clone },
        { "vfork", switch_vfork },
    };

    for (size_t i = 0; argc == 2 && i < sizeof switches / sizeof *switches;
         i++) {
        if (strcmp(argv[1], switches[i].name) == 0)
            switches[i].run();
    }
    return 0;
}
