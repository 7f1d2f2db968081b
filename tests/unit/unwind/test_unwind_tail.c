/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_tail.c - consecutive stacks, compared with each unwound alone */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/unwind/stacks_here.h"

#define NOINLINE   __attribute__((noinline))
#define AND_BACK() __asm__ volatile("" ::: "memory")

static struct unwinder *one_by_one, *alone;
static uint64_t random_state;
static uint32_t same_frames, all_frames, stacks;
static unsigned twice_left; /* how often a tree may still branch */

static int open_both(void **state)
{
    int error = open_stacks(state);

    one_by_one = unwinder;
    alone = calloc(1, sizeof *alone);
    alone->rules = &rules;
    return error;
}

static unsigned draw(unsigned limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695041;
    return (unsigned)(random_state >> 33) % limit;
}

static void assert_same(const struct unwinder *found)
{
    assert_int_equal(alone->is_cut, found->is_cut);
    assert_int_equal(alone->is_repeatable, found->is_repeatable);
    assert_int_equal(alone->frame_count, found->frame_count);
    assert_int_equal(alone->input_count, found->input_count);
    assert_memory_equal(alone->frames, found->frames,
                        alone->frame_count * sizeof *alone->frames);
    assert_memory_equal(alone->offsets, found->offsets,
                        alone->input_count * sizeof *alone->offsets);
    assert_memory_equal(alone->inputs, found->inputs,
                        alone->input_count * sizeof *alone->inputs);
}

static void compare(const struct unwind_origin *origin)
{
    static uintptr_t before[UNWIND_FRAMES];
    static uint32_t before_count;

    unwind_from(one_by_one, origin);
    unwind_forget(alone);
    unwind_from(alone, origin);
    assert_int_equal(alone->same_frames, 0);
    assert_same(one_by_one);
    /* The frames reported as equal must be the outermost. */
    for (uint32_t i = 1; i <= one_by_one->same_frames; i++)
        assert_int_equal(before[before_count - i],
                         one_by_one->frames[one_by_one->frame_count - i]);
    before_count = one_by_one->frame_count;
    memcpy(before, one_by_one->frames, before_count * sizeof *before);
    same_frames += one_by_one->same_frames;
    all_frames += one_by_one->frame_count;
    stacks++;
}

static void branch(unsigned depth, unsigned width);

static NOINLINE void plainly(unsigned depth, unsigned width)
{
    branch(depth, width);
    AND_BACK();
}

static NOINLINE void with_registers(unsigned depth, unsigned width)
{
    unsigned a = draw(9), b = draw(9), c = draw(9), d = draw(9), e = draw(9);

    branch(depth, width);
    AND_BACK();
    assert_true(a + b + c + d + e < 45);
}

static NOINLINE void with_alloca(unsigned depth, unsigned width)
{
    volatile char *block = alloca(16 + draw(4) * 16);

    block[0] = 1;
    branch(depth, width);
    AND_BACK();
}

static NOINLINE void realigned(unsigned depth, unsigned width)
{
    volatile char block[64] __attribute__((aligned(64)));

    block[0] = (char)depth;
    branch(depth, width);
    (void)block[0];
    AND_BACK();
}

/* A tree of calls: each leaf is a stack, and the next shares some of it. */
static void branch(unsigned depth, unsigned width)
{
    static void (*const calls[])(unsigned,
                                 unsigned) = { plainly, with_registers,
                                               with_alloca, realigned };

    if (depth == 0) {
        follow_here();
        return;
    }
    for (unsigned i = 0; i < width; i++) {
        bool twice = draw(depth + 1) < 2 && twice_left > 0;

        twice_left -= twice;
        calls[draw(4)](depth - 1, twice ? 2 : 1);
    }
}

static void begin(void)
{
    at_origin = compare;
    random_state = 20;
    same_frames = all_frames = stacks = twice_left = 0;
}

static void a_tree_of_calls_as_if_each_were_alone(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < 300; i++) {
        twice_left = 5;
        branch(1 + draw(40), 2);
    }
    assert_true(stacks > 1000);
    /* Much of the stacks is not unwound again. */
    assert_true(same_frames > all_frames / 3);
}

/* More frames than marks. */
static void deep_stacks(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < 20; i++) {
        twice_left = 5;
        branch(400 + draw(400), 2);
    }
    assert_true(same_frames > all_frames / 3);
}

/* Saved frames must not be overwritten by a deeper stack. */
static void stacks_that_fill_all_room(void **state)
{
    static const unsigned depths[] = { 1500, 3900, 10, 4000, 100, 3500, 4090 };

    (void)state;
    begin();
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        branch(depths[i], 1);
    assert_int_equal(stacks, 7);
}

static NOINLINE void follow_on_the_way_out(unsigned depth)
{
    if (depth != 0)
        follow_on_the_way_out(depth - 1);
    if (depth % 64 == 0)
        follow_here();
    AND_BACK();
}

/* A stack that was cut for lack of room says nothing of shorter ones. */
static void stacks_below_one_that_was_cut(void **state)
{
    (void)state;
    begin();
    follow_on_the_way_out(UNWIND_FRAMES + 1000);
}

/* The state is equal, but a word farther out is not. */
static NOINLINE void inner(void)
{
    follow_here();
    AND_BACK();
}

static NOINLINE void middle(void)
{
    inner();
    AND_BACK();
}

static NOINLINE void one_way(void)
{
    middle();
    AND_BACK();
}

static NOINLINE void another_way(void)
{
    middle();
    AND_BACK();
}

static void another_caller_farther_out(void **state)
{
    void (*volatile ways[])(void) = { one_way, another_way };

    (void)state;
    begin();
    for (unsigned i = 0; i < 10; i++)
        ways[i % 2]();
    assert_int_equal(stacks, 10);
}

static void nothing_is_taken_after_forgetting(void **state)
{
    (void)state;
    begin();
    inner();
    unwind_forget(one_by_one);
    same_frames = 0;
    inner();
    assert_int_equal(same_frames, 0);
    inner();
    assert_true(same_frames > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_of_calls_as_if_each_were_alone),
        cmocka_unit_test(deep_stacks),
        cmocka_unit_test(stacks_that_fill_all_room),
        cmocka_unit_test(stacks_below_one_that_was_cut),
        cmocka_unit_test(another_caller_farther_out),
        cmocka_unit_test(nothing_is_taken_after_forgetting),
    };

    return cmocka_run_group_tests(tests, open_both, NULL);
}
