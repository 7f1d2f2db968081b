/* SPDX-License-Identifier: Apache-2.0 */
/* test_flame_layout.c - children on their parents, largest first */
#include "tool/exporters/exporter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct frame_name names[] = {
    { .label = "app", .label_number = 0 },
    { .label = "lib", .label_number = 1 },
    { .label = "f", .label_number = 2 },
    { .label = "g", .label_number = 3 },
    { .label = "h", .label_number = 4 },
};

enum { APP, LIB, F, G, H, NONE };

/* Add a stack of up to three calls, outermost first. */
static void add(struct call_tree *tree, int outer, int middle, int inner,
                int64_t weight)
{
    const int calls[] = { outer, middle, inner };
    const struct profile_amounts amounts = { .live_bytes = weight };
    uint32_t node = 0;

    for (size_t i = 0; i < 3 && calls[i] != NONE; i++)
        node = call_tree_child(tree, node, names[calls[i]].label_number,
                               &names[calls[i]]);
    call_tree_add(tree, node, &amounts);
}

struct drawn {
    struct call_tree tree;
    struct call_totals totals;
    uint64_t *starts;
};

static void lay_out(struct drawn *drawn)
{
    call_totals_open(&drawn->totals, &drawn->tree, MEASURE_LIVE_BYTES);
    drawn->starts = flame_layout(&drawn->tree, &drawn->totals);
    assert_non_null(drawn->starts);
}

static void destroy(struct drawn *drawn)
{
    free(drawn->starts);
    arena_destroy(drawn->tree.arena);
}

/* Return the node `name` below `parent`; NULL: the root. */
static void assert_frame(const struct drawn *drawn, const char *parent,
                         const char *name, uint64_t start, uint64_t weight)
{
    const struct call_node *nodes = drawn->tree.nodes;

    for (size_t i = 1; i < drawn->tree.count; i++) {
        const struct call_node *above = &nodes[nodes[i].parent];

        if (strcmp(nodes[i].name->label, name) != 0 ||
            (parent == NULL) != (above->name == NULL) ||
            (parent != NULL && strcmp(above->name->label, parent) != 0))
            continue;
        assert_int_equal(drawn->starts[i], start);
        assert_int_equal(drawn->totals.weights[i], weight);
        return;
    }
    fail_msg("no frame %s", name);
}

static void shared_calls_are_one_and_the_heaviest_comes_first(void **state)
{
    struct drawn drawn = { .tree.arena = arena_create() };

    (void)state;
    add(&drawn.tree, APP, F, NONE, 1);
    add(&drawn.tree, APP, F, G, 2);
    add(&drawn.tree, APP, H, NONE, 10);
    add(&drawn.tree, LIB, NONE, NONE, 100);
    lay_out(&drawn);
    assert_int_equal(drawn.tree.count, 6);
    assert_int_equal(drawn.tree.levels, 4);
    assert_int_equal(drawn.totals.weights[0], 113);
    assert_frame(&drawn, NULL, "lib", 0, 100);
    assert_frame(&drawn, NULL, "app", 100, 13);
    assert_frame(&drawn, "app", "h", 100, 10);
    assert_frame(&drawn, "app", "f", 110, 3);
    assert_frame(&drawn, "f", "g", 110, 2);
    destroy(&drawn);
}

static void equal_names_on_other_parents_are_not_shared(void **state)
{
    struct drawn drawn = { .tree.arena = arena_create() };

    (void)state;
    add(&drawn.tree, APP, F, NONE, 5);
    add(&drawn.tree, LIB, F, NONE, 6);
    lay_out(&drawn);
    assert_int_equal(drawn.tree.count, 5);
    assert_frame(&drawn, "lib", "f", 0, 6);
    assert_frame(&drawn, "app", "f", 6, 5);
    destroy(&drawn);
}

static void what_weighs_less_than_nothing_takes_no_room(void **state)
{
    struct drawn drawn = { .tree.arena = arena_create() };

    (void)state;
    add(&drawn.tree, APP, F, NONE, -5);
    add(&drawn.tree, APP, G, NONE, 6);
    lay_out(&drawn);
    assert_int_equal(drawn.totals.negative, 1);
    assert_int_equal(drawn.totals.weights[0], 6);
    assert_frame(&drawn, "app", "g", 0, 6);
    destroy(&drawn);
}

/* Each node comes before its children, in order, without nodes of weight 0. */
static void a_walk_visits_all_that_weigh(void **state)
{
    static const char *const expected[] = { "lib", "app", "h", "f", "g" };
    struct drawn drawn = { .tree.arena = arena_create() };
    struct call_walk walk;
    uint32_t node;
    size_t count = 0;

    (void)state;
    add(&drawn.tree, APP, F, G, 2);
    add(&drawn.tree, APP, H, NONE, 10);
    add(&drawn.tree, APP, G, NONE, 0);
    add(&drawn.tree, LIB, NONE, NONE, 100);
    lay_out(&drawn);
    call_walk_begin(&walk, &drawn.tree, &drawn.totals);
    assert_true(call_walk_next(&walk, &node));
    assert_int_equal(node, 0);
    while (call_walk_next(&walk, &node)) {
        assert_true(count < 5);
        assert_string_equal(drawn.tree.nodes[node].name->label,
                            expected[count++]);
    }
    assert_int_equal(count, 5);
    destroy(&drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_calls_are_one_and_the_heaviest_comes_first),
        cmocka_unit_test(equal_names_on_other_parents_are_not_shared),
        cmocka_unit_test(what_weighs_less_than_nothing_takes_no_room),
        cmocka_unit_test(a_walk_visits_all_that_weigh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
