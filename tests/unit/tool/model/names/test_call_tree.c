/* SPDX-License-Identifier: Apache-2.0 */
/* test_call_tree.c - random stacks, compared with simple sums */
#include "tool/model/names/call_tree.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { STACKS = 300, DEEPEST = 12, CALLS = 4 };

/* Input: calls as numbers, outermost first. */
struct model_stack {
    uint64_t calls[DEEPEST];
    unsigned depth;
    bool is_cut;
    uint64_t live, total;
};

struct fixture {
    struct profile *profile;
    struct site_names *site_names;
    struct frame_names *names;
    struct model_stack model[STACKS];
};

static void add_to_profile(struct profile *profile,
                           const struct model_stack *model)
{
    struct profile_site site = {
        .kind = LEDGER_SITE_HEAP,
        .module = PROFILE_NO_MODULE,
        .place = model->calls[model->depth - 1],
        .frame = model->is_cut ? STACK_CUT : STACK_WHOLE,
        .amounts = { .alloc_blocks = 1,
                     .alloc_bytes = model->total,
                     .free_bytes = model->total - model->live },
    };

    for (unsigned i = 0; i + 1 < model->depth; i++) {
        struct profile_place place = { model->calls[i], PROFILE_NO_MODULE };
        struct profile_frame frame = { .parent = site.frame };

        frame.place = stacks_add_place(&profile->stacks, &place);
        site.frame = stacks_add_frame(&profile->stacks, &frame);
    }
    profile_add_site(profile, &site);
}

static int create(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct random_sequence random = { 7 };

    fixture->profile = profile_create();
    profile_begin_stacks(fixture->profile);
    for (size_t i = 0; i < STACKS; i++) {
        struct model_stack *model = &fixture->model[i];

        model->depth = 1 + random_below(&random, DEEPEST);
        for (unsigned j = 0; j < model->depth; j++)
            model->calls[j] = 1 + random_below(&random, CALLS);
        model->is_cut = random_below(&random, 5) == 0;
        model->total = random_below(&random, 1000);
        model->live = random_below(&random, 4) == 0 ? model->total : 0;
        add_to_profile(fixture->profile, model);
    }
    profile_finish(fixture->profile);
    fixture->site_names =
        site_names_create(fixture->profile, NULL, DEMANGLE_WITH_ARGUMENTS);
    fixture->names = frame_names_create(fixture->profile, fixture->site_names);
    *state = fixture;
    return 0;
}

static int destroy(void **state)
{
    struct fixture *fixture = *state;

    profile_destroy(fixture->profile);
    free(fixture);
    return 0;
}

static uint64_t call_of(const struct call_node *node)
{
    return strtoull(node->name->label, NULL, 0);
}

/* Return true if the model's stack passes through the node, which it then ends
   at. */
static bool goes_through(const struct call_tree *tree, uint32_t node,
                         const struct model_stack *model)
{
    unsigned level = tree->nodes[node].level;
    unsigned offset = model->is_cut;

    if (level > model->depth + offset)
        return false;
    for (; level > 0; level--, node = tree->nodes[node].parent) {
        bool is_mark =
            strcmp(tree->nodes[node].name->label, "[truncated]") == 0;

        if (is_mark != (model->is_cut && level == 1))
            return false;
        if (!is_mark &&
            call_of(&tree->nodes[node]) != model->calls[level - 1 - offset])
            return false;
    }
    return true;
}

static void weights_are_the_sums_of_what_goes_through(void **state)
{
    struct fixture *fixture = *state;
    struct call_tree tree = { .arena = fixture->profile->arena,
                              .names = fixture->names,
                              .profile = fixture->profile };
    struct call_totals live, total;

    call_tree_add_from_roots(&tree);
    call_totals_open(&live, &tree, MEASURE_LIVE_BYTES);
    call_totals_open(&total, &tree, MEASURE_TOTAL_BYTES);
    assert_true(tree.count > STACKS);
    for (uint32_t node = 0; node < tree.count; node++) {
        uint64_t live_sum = 0, total_sum = 0;

        for (size_t i = 0; i < STACKS; i++) {
            if (!goes_through(&tree, node, &fixture->model[i]))
                continue;
            live_sum += fixture->model[i].live;
            total_sum += fixture->model[i].total;
        }
        assert_int_equal(live.weights[node], live_sum);
        assert_int_equal(total.weights[node], total_sum);
    }
}

static void children_are_all_that_weigh_and_the_heaviest_first(void **state)
{
    struct fixture *fixture = *state;
    struct call_tree tree = { .arena = fixture->profile->arena,
                              .names = fixture->names,
                              .profile = fixture->profile };
    struct call_totals totals;

    call_tree_add_from_roots(&tree);
    call_totals_open(&totals, &tree, MEASURE_LIVE_BYTES);
    for (uint32_t node = 0; node < tree.count; node++) {
        const uint32_t *children = totals.children + totals.first_child[node];
        uint64_t sum = (uint64_t)call_tree_own(&tree, node)[MEASURE_LIVE_BYTES];

        for (uint32_t i = 0; i < totals.child_counts[node]; i++) {
            assert_int_equal(tree.nodes[children[i]].parent, node);
            assert_true(totals.weights[children[i]] > 0);
            assert_true(i == 0 || totals.weights[children[i]] <=
                                      totals.weights[children[i - 1]]);
            sum += totals.weights[children[i]];
        }
        assert_int_equal(sum, totals.weights[node]);
    }
}

/* The first call of a function counts, so that recursion counts once. */
static void callers_begin_at_the_innermost_call(void **state)
{
    struct fixture *fixture = *state;
    const struct stacks *stacks = &fixture->profile->stacks;
    struct call_tree tree = { .arena = fixture->profile->arena,
                              .names = fixture->names,
                              .profile = fixture->profile };
    struct call_totals totals;
    uint64_t sum = 0;

    for (size_t i = 0; i < stacks->stack_count; i++)
        call_tree_add_from_leaf(&tree, &stacks->stacks[i], "0x2");
    for (size_t i = 0; i < STACKS; i++) {
        bool has_it = false;

        for (unsigned j = 0; j < fixture->model[i].depth; j++)
            has_it = has_it || fixture->model[i].calls[j] == 2;
        sum += has_it ? fixture->model[i].total : 0;
    }
    call_totals_open(&totals, &tree, MEASURE_TOTAL_BYTES);
    assert_int_equal(totals.weights[0], sum);
    assert_int_equal(totals.child_counts[0], 1);
    assert_string_equal(tree.nodes[totals.children[0]].name->label, "0x2");
    assert_int_equal(totals.weights[totals.children[0]], sum);
}

static void nothing_is_a_root_without_weight(void **state)
{
    struct profile *profile = profile_create();
    struct call_tree tree = { .arena = profile->arena, .profile = profile };
    struct call_totals totals;

    (void)state;
    call_tree_add_from_roots(&tree);
    assert_int_equal(tree.count, 1);
    call_totals_open(&totals, &tree, MEASURE_LIVE_BYTES);
    assert_int_equal(totals.weights[0], 0);
    assert_int_equal(totals.child_counts[0], 0);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_the_sums_of_what_goes_through),
        cmocka_unit_test(children_are_all_that_weigh_and_the_heaviest_first),
        cmocka_unit_test(callers_begin_at_the_innermost_call),
        cmocka_unit_test(nothing_is_a_root_without_weight),
    };

    return cmocka_run_group_tests(tests, create, destroy);
}
