/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unwind_stepped.c - interrupted at each instruction, and unwound to the
 * end
 *
 * The processor's trap flag raises a signal after each instruction: in
 * prologues, epilogues, PLT entries, the loader's resolver, and code of the
 * kernel, libc and libcrypto.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/fakes/skip.h"
#include "tests/unit/unwind/stacks_here.h"

#define NOINLINE   __attribute__((noinline))
#define AND_BACK() __asm__ volatile("" ::: "memory")

void set_trap(void);
void clear_trap(void);
__asm__(".text\n"
        ".type set_trap, @function\n"
        "set_trap:\n"
        ".cfi_startproc\n"
        "pushfq\n"
        ".cfi_adjust_cfa_offset 8\n"
        "orq $0x100, (%rsp)\n"
        "popfq\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size set_trap, . - set_trap\n"
        ".type clear_trap, @function\n"
        "clear_trap:\n"
        ".cfi_startproc\n"
        "pushfq\n"
        ".cfi_adjust_cfa_offset 8\n"
        "andq $~0x100, (%rsp)\n"
        "popfq\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size clear_trap, . - clear_trap\n");

enum { OUTER = 32, BAD = 8 };

/* Frames of the callers of the stepped code, to the end. */
static uintptr_t outer[OUTER];
static uint32_t outer_count;

static unsigned steps, bad_count;
static uintptr_t bad[BAD]; /* instructions with a wrong stack */

static bool ends_as_it_should(void)
{
    uint32_t count = unwinder->frame_count;

    return !unwinder->is_cut && count > outer_count &&
           memcmp(unwinder->frames + count - outer_count, outer,
                  outer_count * sizeof *outer) == 0;
}

/* Frames: this handler, libc's frame for it, and then the interrupted code. */
static void on_step(int number)
{
    (void)number;
    follow_here();
    steps++;
    if (ends_as_it_should())
        return;
    if (bad_count < BAD)
        bad[bad_count] = unwinder->frames[2];
    bad_count++;
}

static void only_ours(const struct unwind_origin *origin)
{
    unwind_from(unwinder, origin);
}

static int open_steps(void **state)
{
    struct sigaction action = { .sa_handler = on_step };
    int error = open_stacks(state);

    at_origin = only_ours;
    return error != 0 ? error : sigaction(SIGTRAP, &action, NULL);
}

static void begin(void)
{
    steps = bad_count = 0;
    follow_here();
    outer_count = unwinder->frame_count - 2; /* begin() and its caller */
    assert_in_range(outer_count, 3, OUTER);
    memcpy(outer, unwinder->frames + 2, outer_count * sizeof *outer);
}

static void require_good(unsigned at_least)
{
    for (unsigned i = 0; i < bad_count && i < BAD; i++)
        print_message("wrong at %#lx\n", (unsigned long)bad[i]);
    assert_int_equal(bad_count, 0);
    assert_true(steps >= at_least);
}

static NOINLINE int sum(int a, int b, int c, int d, int e, int f, int g)
{
    volatile char block[64] __attribute__((aligned(64)));

    block[0] = (char)a;
    return block[0] + b + c + d + e + f + g;
}

static NOINLINE int calls(int deep)
{
    volatile char block[(size_t)deep + 20];
    int value;

    block[0] = (char)deep;
    value = deep == 0 ? sum(1, 2, 3, 4, 5, 6, 7) : calls(deep - 1);
    return value + block[0];
}

static NOINLINE void step_own_code(void)
{
    begin();
    set_trap();
    calls(3);
    clear_trap();
    require_good(30);
    AND_BACK();
}

static void own_code(void **state)
{
    (void)state;
    step_own_code();
}

static int in_order(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* First calls go through the PLT to the loader, if binding is lazy. */
static NOINLINE void step_libc(void)
{
    char letters[] = "unwinding";
    char *end;

    begin();
    set_trap();
    qsort(letters, sizeof letters - 1, 1, in_order);
    clear_trap();
    assert_string_equal(letters, "dgiinnnuw");
    set_trap();
    (void)strtol("12345", &end, 10);
    clear_trap();
    require_good(300);
    AND_BACK();
}

static void code_of_libc_and_the_loader(void **state)
{
    (void)state;
    step_libc();
}

/* Code provided by the kernel. */
static NOINLINE void step_vdso(void)
{
    struct timespec now = { 0 };

    begin();
    set_trap();
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    clear_trap();
    assert_int_not_equal(now.tv_sec, 0);
    require_good(30);
    AND_BACK();
}

static void code_of_the_kernel(void **state)
{
    (void)state;
    step_vdso();
}

typedef unsigned char *digest_fn(const unsigned char *bytes, size_t count,
                                 unsigned char *digest);

static NOINLINE void step_digest(digest_fn *digest)
{
    static unsigned char bytes[300], result[64];

    digest(bytes, sizeof bytes, result); /* one-time initialization */
    begin();
    set_trap();
    digest(bytes, sizeof bytes, result);
    clear_trap();
    require_good(1000);
    AND_BACK();
}

/* Written in assembly, with frames that only expressions describe. */
static void code_of_libcrypto(void **state)
{
    static const char *const names[] = { "MD5", "SHA1", "SHA256", "SHA512" };
    void *library = dlopen("libcrypto.so.3", RTLD_NOW);

    (void)state;
    if (library == NULL)
        SKIP("libcrypto.so.3 is not there; scripts/install-deps test");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *symbol = dlsym(library, names[i]);
        digest_fn *digest;

        assert_non_null(symbol);
        memcpy(&digest, &symbol, sizeof symbol);
        step_digest(digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_code),
        cmocka_unit_test(code_of_libc_and_the_loader),
        cmocka_unit_test(code_of_the_kernel),
        cmocka_unit_test(code_of_libcrypto),
    };

    return skip_status(cmocka_run_group_tests(tests, open_steps, NULL));
}
