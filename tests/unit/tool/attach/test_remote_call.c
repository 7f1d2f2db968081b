/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_remote_call.c - a stopped thread calls a function, without side effects
 */
#include "tool/attach/thread_calls.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/fakes/skip.h"
#include "tests/unit/tool/attach/victim.h"

static const uint64_t arguments[] = { 1, 20, 300, 4000, 50000, 600000 };

/* Called function: changes all registers that a function may change, and
   more. */
static __attribute__((noinline)) uint64_t
called(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    char text[100];

    shared->calls++;
    errno = 99;
    snprintf(text, sizeof text, "%f", (double)a / 3);
    __asm__ volatile("pxor %%xmm0, %%xmm0\n pxor %%xmm1, %%xmm1\n"
                     "pxor %%xmm9, %%xmm9\n pxor %%xmm15, %%xmm15" ::
                         : "xmm0", "xmm1", "xmm9", "xmm15");
    return a + b + c + d + e + f + (uint64_t)(text[0] != '0');
}

static void expect_call(pid_t pid, enum victim_place place)
{
    uint64_t result = 0;

    if (victim_call(pid, (void *)called, place, arguments, &result) < 0)
        fail_msg("%s", failure.text);
    assert_int_equal(result, 654321);
}

/* Unique values of all registers. */
struct image {
    uint64_t general[13];
    uint64_t vector[16][4];
};

static struct image image_before, image_now, *image_to = &image_now;
static long image_turns;

/* No push: the stack must match the compiler's description. */
__attribute__((noinline, target("avx"))) static void spin(void)
{
    const struct image *from = &image_before;

    __asm__ volatile(
        "vmovdqu 104(%%rax), %%ymm0\n vmovdqu 136(%%rax), %%ymm1\n "
        "vmovdqu 168(%%rax), %%ymm2\n vmovdqu 200(%%rax), %%ymm3\n "
        "vmovdqu 232(%%rax), %%ymm4\n vmovdqu 264(%%rax), %%ymm5\n "
        "vmovdqu 296(%%rax), %%ymm6\n vmovdqu 328(%%rax), %%ymm7\n "
        "vmovdqu 360(%%rax), %%ymm8\n vmovdqu 392(%%rax), %%ymm9\n "
        "vmovdqu 424(%%rax), %%ymm10\n vmovdqu 456(%%rax), %%ymm11\n "
        "vmovdqu 488(%%rax), %%ymm12\n vmovdqu 520(%%rax), %%ymm13\n "
        "vmovdqu 552(%%rax), %%ymm14\n vmovdqu 584(%%rax), %%ymm15\n "
        "mov 8(%%rax), %%rbx\n mov 16(%%rax), %%rcx\n "
        "mov 24(%%rax), %%rdx\n mov 32(%%rax), %%rsi\n "
        "mov 40(%%rax), %%rdi\n mov 48(%%rax), %%r8\n "
        "mov 56(%%rax), %%r9\n mov 64(%%rax), %%r10\n "
        "mov 72(%%rax), %%r11\n mov 80(%%rax), %%r12\n "
        "mov 88(%%rax), %%r13\n mov 96(%%rax), %%r14\n "
        "mov 0(%%rax), %%rax\n 1: decq %[turns]\n jnz 1b\n "
        "mov %[to], %%r15\n mov %%rax, 0(%%r15)\n mov %%rbx, 8(%%r15)\n "
        "mov %%rcx, 16(%%r15)\n mov %%rdx, 24(%%r15)\n "
        "mov %%rsi, 32(%%r15)\n mov %%rdi, 40(%%r15)\n "
        "mov %%r8, 48(%%r15)\n mov %%r9, 56(%%r15)\n "
        "mov %%r10, 64(%%r15)\n mov %%r11, 72(%%r15)\n "
        "mov %%r12, 80(%%r15)\n mov %%r13, 88(%%r15)\n "
        "mov %%r14, 96(%%r15)\n vmovdqu %%ymm0, 104(%%r15)\n "
        "vmovdqu %%ymm1, 136(%%r15)\n vmovdqu %%ymm2, 168(%%r15)\n "
        "vmovdqu %%ymm3, 200(%%r15)\n vmovdqu %%ymm4, 232(%%r15)\n "
        "vmovdqu %%ymm5, 264(%%r15)\n vmovdqu %%ymm6, 296(%%r15)\n "
        "vmovdqu %%ymm7, 328(%%r15)\n vmovdqu %%ymm8, 360(%%r15)\n "
        "vmovdqu %%ymm9, 392(%%r15)\n vmovdqu %%ymm10, 424(%%r15)\n "
        "vmovdqu %%ymm11, 456(%%r15)\n vmovdqu %%ymm12, 488(%%r15)\n "
        "vmovdqu %%ymm13, 520(%%r15)\n vmovdqu %%ymm14, 552(%%r15)\n "
        "vmovdqu %%ymm15, 584(%%r15)\n "
        : "+a"(from), [turns] "+m"(image_turns)
        : [to] "m"(image_to)
        : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
          "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
          "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15");
}

static void hold_registers(void)
{
    stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 }, now;
    sigset_t mask, mask_now;

    for (size_t i = 0; i < sizeof image_before / 8; i++)
        ((uint64_t *)&image_before)[i] = (i + 1) * 0x9e3779b97f4a7c15;
    sigaltstack(&stack, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    shared->is_ready = 1;
    while (!shared->must_end) {
        image_turns = 100000;
        errno = 1234;
        spin();
        shared->wrong += errno != 1234 || memcmp(&image_before, &image_now,
                                                 sizeof image_now) != 0;
        sigaltstack(NULL, &now);
        sigprocmask(SIG_SETMASK, NULL, &mask_now);
        shared->wrong += now.ss_sp != stack.ss_sp || now.ss_flags != 0 ||
                         memcmp(&mask, &mask_now, 8) != 0;
        shared->rounds++;
    }
}

static void calls_leave_all_as_it_was(void **state)
{
    pid_t pid = victim_start(hold_registers);
    unsigned long rounds;

    (void)state;
    for (int i = 0; i < 50; i++)
        expect_call(pid, i % 2 == 0 ? ON_OWN_STACK : ON_ANOTHER_STACK);
    assert_int_equal(shared->calls, 50);
    rounds = shared->rounds;
    while (shared->rounds < rounds + 3)
        victim_sleep_ms(1);
    victim_finish(pid);
}

/* Like tally attach: separate memory for a function that needs a stack. */
static void live_asleep(void)
{
    shared->is_ready = 1;
    while (!shared->must_end)
        victim_sleep_ms(1);
}

static uint64_t deep(uint64_t bytes, uint64_t b, uint64_t c, uint64_t d,
                     uint64_t e, uint64_t f)
{
    char *block = __builtin_alloca(bytes);

    memset(block, 1, bytes);
    return (uint64_t)block[bytes - 1] + b + c + d + e + f;
}

static void maps_a_stack_and_uses_it(void **state)
{
    pid_t pid = victim_start(live_asleep);
    uint64_t address, result, size = 1 << 20;
    struct tracee tracee;
    struct remote remote;

    (void)state;
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    assert_int_equal(remote_open(&remote, &tracee), 0);
    remote.limit_ms = VICTIM_LIMIT_MS;
    assert_int_equal(remote_map(&remote, size, &address), 0);
    assert_int_equal(
        remote_call(&remote,
                    &(struct remote_function){ .address = (uint64_t)deep,
                                               .stack = address + size },
                    (uint64_t[]){ size - 65536, 0, 0, 0, 0, 41 }, &result),
        0);
    assert_int_equal(result, 42);
    remote_close(&remote);
    tracee_close(&tracee);
    victim_finish(pid);
}

static uint64_t crash(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                      uint64_t e, uint64_t f)
{
    shared->calls++;
    __asm__ volatile("ud2");
    return a + b + c + d + e + f;
}

static void a_fault_is_undone(void **state)
{
    pid_t pid = victim_start(hold_registers);
    uint64_t result;

    (void)state;
    assert_int_equal(victim_call(pid, (void *)crash, ON_ANOTHER_STACK,
                                 (uint64_t[6]){ 0 }, &result),
                     -1);
    assert_non_null(strstr(failure.text, "a signal broke off the call"));
    assert_int_equal(shared->calls, 1);
    expect_call(pid, ON_OWN_STACK);
    victim_finish(pid);
}

static uint64_t linger(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                       uint64_t e, uint64_t f)
{
    while (!shared->inside)
        ;
    errno = 99;
    return a + b + c + d + e + f;
}

static void a_late_call_comes_back_by_itself(void **state)
{
    pid_t pid = victim_start(hold_registers);
    struct tracee tracee;
    struct remote remote;
    unsigned long rounds;
    uint64_t result;

    (void)state;
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    assert_int_equal(remote_open(&remote, &tracee), 0);
    remote.limit_ms = 50;
    assert_int_equal(
        remote_call(&remote,
                    &(struct remote_function){ .address = (uint64_t)linger },
                    arguments, &result),
        -1);
    assert_non_null(strstr(failure.text, "did not return within 50 ms"));
    remote_close(&remote);
    tracee_close(&tracee);
    rounds = shared->rounds;
    victim_sleep_ms(20);
    assert_int_equal(shared->rounds, rounds);
    shared->inside = 1;
    while (shared->rounds < rounds + 3)
        victim_sleep_ms(1);
    victim_finish(pid);
}

static void call_for_ever(pid_t pid, enum victim_place place)
{
    struct remote_function function = victim_function((void *)called, place);
    struct tracee tracee;
    struct remote remote;
    uint64_t result;

    tracee_open(&tracee, pid, &failure);
    remote_open(&remote, &tracee);
    shared->must_kill = 1;
    for (;;)
        remote_call(&remote, &function, arguments, &result);
}

/* The tracer may end at any time; the victim's registers are correct. It gets
   more and more time, as a call takes long on a slow or busy machine. */
static void a_killed_tracer_does_no_harm(void **state)
{
    pid_t pid = victim_start(hold_registers);
    unsigned long rounds;
    unsigned seed = 7;

    (void)state;
    for (int i = 0; i < 100; i++) {
        pid_t tracer = fork();

        if (tracer == 0)
            call_for_ever(pid, i % 2 == 0 ? ON_OWN_STACK : ON_ANOTHER_STACK);
        while (!shared->must_kill)
            victim_sleep_ms(0);
        nanosleep(
            &(struct timespec){ .tv_nsec = rand_r(&seed) % (500000 << i / 12) },
            NULL);
        kill(tracer, SIGKILL);
        waitpid(tracer, NULL, 0);
        shared->must_kill = 0;
    }
    print_message("calls: %lu\n", (unsigned long)shared->calls);
    assert_true(shared->calls > 0);
    rounds = shared->rounds;
    while (shared->rounds < rounds + 3)
        victim_sleep_ms(1);
    expect_call(pid, ON_OWN_STACK);
    victim_finish(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_leave_all_as_it_was),
        cmocka_unit_test(maps_a_stack_and_uses_it),
        cmocka_unit_test(a_fault_is_undone),
        cmocka_unit_test(a_late_call_comes_back_by_itself),
        cmocka_unit_test(a_killed_tracer_does_no_harm),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
