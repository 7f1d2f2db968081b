/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_flame_layout.c - stacks become frames that lie on their parents
 */
#include "tool/exporters/flame_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct stack stack(const char *module, const char *file,
                          const char *function, int64_t weight)
{
    struct stack made = { .frames = { (char *)(uintptr_t)module,
                                      (char *)(uintptr_t)file,
                                      (char *)(uintptr_t)function },
                          .weight = weight };

    while (made.depth < STACK_DEPTH_LIMIT && made.frames[made.depth] != NULL)
        made.depth++;
    return made;
}

static const struct flame_frame *find(const struct flame_layout *layout,
                                      const char *name)
{
    for (size_t i = 0; i < layout->count; i++) {
        if (strcmp(layout->frames[i].name, name) == 0)
            return &layout->frames[i];
    }
    fail_msg("no frame %s", name);
    return NULL;
}

static void assert_frame(const struct flame_layout *layout, const char *name,
                         unsigned level, uint64_t start, uint64_t weight)
{
    const struct flame_frame *frame = find(layout, name);

    assert_int_equal(frame->level, level);
    assert_int_equal(frame->start, start);
    assert_int_equal(frame->weight, weight);
}

static void shared_frames_are_one_and_the_heaviest_comes_first(void **state)
{
    struct stack stacks[] = {
        stack("app", "a.c", "f", 1),
        stack("app", "a.c", "g", 2),
        stack("app", "b.c", "h", 10),
        stack("lib", "l.c", "k", 100),
    };
    struct stack_list list = { stacks, 4, 0 };
    struct flame_layout layout;

    (void)state;
    assert_int_equal(flame_layout_open(&layout, &list), 0);
    assert_int_equal(layout.count, 10);
    assert_int_equal(layout.levels, 4);
    assert_frame(&layout, "all", 0, 0, 113);
    assert_frame(&layout, "lib", 1, 0, 100);
    assert_frame(&layout, "k", 3, 0, 100);
    assert_frame(&layout, "app", 1, 100, 13);
    assert_frame(&layout, "b.c", 2, 100, 10);
    assert_frame(&layout, "a.c", 2, 110, 3);
    assert_frame(&layout, "g", 3, 110, 2);
    assert_frame(&layout, "f", 3, 112, 1);
    flame_layout_close(&layout);
}

/* Two files of one name in two modules are two frames. */
static void equal_names_on_other_parents_are_not_shared(void **state)
{
    struct stack stacks[] = {
        stack("a", "x.c", "f", 5),
        stack("b", "x.c", "f", 6),
    };
    struct stack_list list = { stacks, 2, 0 };
    struct flame_layout layout;

    (void)state;
    assert_int_equal(flame_layout_open(&layout, &list), 0);
    assert_int_equal(layout.count, 7);
    assert_frame(&layout, "b", 1, 0, 6);
    assert_frame(&layout, "a", 1, 6, 5);
    flame_layout_close(&layout);
}

static void stacks_may_differ_in_depth(void **state)
{
    struct stack stacks[] = {
        stack("a", "f", NULL, 1),
        stack("a", "x.c", "f", 2),
    };
    struct stack_list list = { stacks, 2, 0 };
    struct flame_layout layout;

    (void)state;
    assert_int_equal(flame_layout_open(&layout, &list), 0);
    assert_int_equal(layout.count, 5);
    assert_frame(&layout, "a", 1, 0, 3);
    assert_frame(&layout, "x.c", 2, 0, 2);
    flame_layout_close(&layout);
}

static void nothing_is_a_root_alone(void **state)
{
    struct stack_list list = { 0 };
    struct flame_layout layout;

    (void)state;
    assert_int_equal(flame_layout_open(&layout, &list), 0);
    assert_int_equal(layout.count, 1);
    assert_int_equal(layout.levels, 1);
    assert_int_equal(layout.frames[0].weight, 0);
    flame_layout_close(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_frames_are_one_and_the_heaviest_comes_first),
        cmocka_unit_test(equal_names_on_other_parents_are_not_shared),
        cmocka_unit_test(stacks_may_differ_in_depth),
        cmocka_unit_test(nothing_is_a_root_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
