/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unwind_inputs.c - the exact inputs of a stack
 *
 * unwind.h's U1 and U2: words of a real stack are changed, one by one, and it
 * is unwound again.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/unwind/stacks_here.h"

#define NOINLINE   __attribute__((noinline))
#define AND_BACK() __asm__ volatile("" ::: "memory")

enum { OTHER_WORDS = 600 };

static const struct unwind_origin *origin;
static struct unwinder *first, *again;

static int open_both(void **state)
{
    int error = open_stacks(state);

    first = unwinder;
    again = calloc(1, sizeof *again);
    again->rules = &rules;
    return error;
}

static void follow_into(struct unwinder *into)
{
    unwind_from(into, origin);
}

/* Words of others' frames, which sanitizers guard. */
static __attribute__((no_sanitize("address", "thread"))) uint64_t
exchange(uintptr_t at, uint64_t value)
{
    uint64_t old = *(volatile uint64_t *)at;

    *(volatile uint64_t *)at = value;
    return old;
}

static void follow_with(uintptr_t at, uint64_t value)
{
    uint64_t old = exchange(at, value);

    follow_into(again);
    exchange(at, old);
}

static bool is_same(void)
{
    return again->frame_count == first->frame_count &&
           again->is_cut == first->is_cut &&
           memcmp(again->frames, first->frames,
                  first->frame_count * sizeof *first->frames) == 0;
}

static uintptr_t place_of(uint32_t input)
{
    return first->origin + (uintptr_t)(intptr_t)first->offsets[input];
}

/* Return true if the earlier words are read as before, at the same
   addresses. */
static bool begins_the_same(uint32_t count)
{
    return again->input_count >= count &&
           memcmp(again->offsets, first->offsets,
                  count * sizeof *first->offsets) == 0 &&
           memcmp(again->inputs, first->inputs,
                  count * sizeof *first->inputs) == 0;
}

static bool is_input(uintptr_t at)
{
    for (uint32_t i = 0; i < first->input_count; i++) {
        if (place_of(i) == at)
            return true;
    }
    return at == first->origin;
}

static void each_input_matters(void)
{
    for (uint32_t i = 0; i < first->input_count; i++) {
        const uint64_t value = first->inputs[i];
        const uint64_t others[] = { value + 8, value ^ 0x1000, ~value, 0, 8 };

        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            follow_with(place_of(i), others[j]);
            assert_false(is_same());
            assert_true(begins_the_same(i));
        }
    }
}

static void no_other_word_matters(void)
{
    uintptr_t from = (uintptr_t)origin;
    uintptr_t to = from + OTHER_WORDS * 8;

    if (to > first->memory.high)
        to = first->memory.high;
    for (uintptr_t at = from; at < to; at += 8) {
        if (is_input(at))
            continue;
        follow_with(at, UINT64_C(0x5555555555555550));
        assert_true(is_same());
        assert_true(begins_the_same(first->input_count));
    }
}

static void check(const struct unwind_origin *from)
{
    origin = from;
    follow_into(first);
    follow_into(again);
    assert_true(first->is_repeatable);
    assert_true(first->input_count > 0);
    assert_true(is_same());
    assert_true(begins_the_same(first->input_count));
    each_input_matters();
    no_other_word_matters();
}

static void of_plain_frames(void **state)
{
    (void)state;
    at_origin = check;
    follow_here();
    assert_false(first->is_cut);
}

static NOINLINE void with_alloca(size_t size)
{
    volatile char *block = alloca(size);

    block[0] = 1;
    if (size < 64)
        follow_here();
    else
        with_alloca(size / 2);
    AND_BACK();
}

static NOINLINE void realigned(int deep)
{
    volatile char block[64] __attribute__((aligned(64)));

    block[0] = 1;
    (void)block[0];
    if (deep == 0)
        with_alloca(500);
    else
        realigned(deep - 1);
    AND_BACK();
}

static void of_frames_of_any_size(void **state)
{
    (void)state;
    at_origin = check;
    realigned(3);
    assert_false(first->is_cut);
}

/* A reader of another process's memory cannot tell that it will be there. */
void call_on(char *stack, void (*function)(void), char *frame_pointer);
__asm__(".text\n"
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

static void follow_only(const struct unwind_origin *from)
{
    origin = from;
    follow_into(first);
}

static void on_another_stack(void)
{
    follow_here();
    AND_BACK();
}

static void memory_of_others_is_not_repeatable(void **state)
{
    enum { SIZE = 1 << 16 };
    char *stack = calloc(1, SIZE);
    char *middle = stack + SIZE / 2;

    (void)state;
    at_origin = follow_only;
    call_on(middle, on_another_stack, middle + 4096);
    assert_int_equal(first->frame_count, 2); /* its caller's guess reads 0 */
    assert_false(first->is_repeatable);
    free(stack);
}

/* No frame pointer, and no own word. */
static void code_without_information_cuts(void **state)
{
    char *stack = calloc(1, 1 << 16);

    (void)state;
    at_origin = follow_only;
    call_on(stack + (1 << 15), on_another_stack, (char *)1);
    assert_true(first->is_cut);
    assert_int_equal(first->frame_count, 2);
    free(stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_plain_frames),
        cmocka_unit_test(of_frames_of_any_size),
        cmocka_unit_test(memory_of_others_is_not_repeatable),
        cmocka_unit_test(code_without_information_cuts),
    };

    return cmocka_run_group_tests(tests, open_both, NULL);
}
