/* SPDX-License-Identifier: Apache-2.0 */
/* page_tree.c - see page_tree.h */
#include "tool/web/page_tree.h"

#include <float.h>
#include <math.h>

enum name_flags {
    NAME_MAP = 2, /* of memory that is no heap */
    NAME_WRAPPER = 4,
    NAME_PAIR = 8,
    NAME_FILE = 16,
    NAME_STACK = 32,
    NAME_LEVEL = 64, /* a module or file: no call */
};

static uint32_t text_of(struct page_tree *tree, const char *text)
{
    return text == NULL ? 0 : text_pool_add(&tree->texts, text);
}

/* Return flags of a name; mappings and labels are calls, too. */
static unsigned flags_of(const struct frame_name *name)
{
    static const unsigned kinds[LEDGER_SITE_KINDS] = {
        [LEDGER_SITE_MAP] = NAME_MAP,
        [LEDGER_SITE_FILE] = NAME_MAP | NAME_FILE,
        [LEDGER_SITE_STACK] = NAME_MAP | NAME_STACK,
    };

    for (unsigned i = LEDGER_SITE_MAP; i < LEDGER_SITE_KINDS; i++)
        if (strcmp(name->label, frame_kinds[i].label) == 0)
            return kinds[i];
    return name->is_pair ? NAME_PAIR : 0;
}

static uint32_t add_name(struct page_tree *tree, const struct page_name *name)
{
    return INDEX_ADD(&tree->name_table, sizeof *name, tree->names,
                     tree->name_count, name);
}

static uint32_t name_of(struct page_tree *tree, const struct frame_name *name)
{
    const struct site_name *of = &name->name;
    unsigned flags = flags_of(name);
    bool is_wrapper = name->fold == FOLD_RULE || name->fold == FOLD_WRAPPER;
    OWNED char *source =
        !tree->subject->has_sources || of->file == NULL
            ? NULL
            : source_lines_find(&tree->sources, of->file, of->line);
    struct page_name known = {
        .label = text_of(tree, name->label),
        .function = text_of(tree, flags != 0 ? NULL : of->short_name),
        .file = text_of(tree, of->file),
        .module = text_of(tree, of->module),
        .line = of->line > UINT32_MAX ? 0 : (uint32_t)of->line,
        .flags = flags | (is_wrapper ? NAME_WRAPPER : 0),
        .source = text_of(tree, source),
    };

    return add_name(tree, &known);
}

/* Each call is followed by those that it made. */
static void add_node(struct page_tree *tree, uint32_t depth, uint32_t name)
{
    ARENA_ADD(tree->arena, tree->nodes, tree->node_count,
              (struct page_node){ name, tree->depth + 1 - depth });
    tree->depth = depth;
}

/* In place of callers: a module and the file that it is in, where they are
   others than those of the call before. Their number. */
static uint32_t add_levels(struct page_tree *tree, uint32_t number,
                           struct page_name *last)
{
    const struct page_name name = tree->names[number];
    bool is_first = last->label == 0 || last->module != name.module;
    struct page_name level = { .label = name.module == 0
                                            ? text_of(tree, "built-in")
                                            : name.module,
                               .module = name.module,
                               .flags = NAME_LEVEL };

    if (is_first)
        add_node(tree, 1, add_name(tree, &level));
    level.label = name.file;
    if (name.file != 0 && (is_first || last->file != name.file))
        add_node(tree, 2, add_name(tree, &level));
    *last = name;
    return 1 + (name.file != 0);
}

/* In the order of a walk, for most calls lie behind their caller then. */
static void add_nodes(struct page_tree *tree)
{
    const struct call_tree *calls = tree->calls;
    const struct call_node *nodes = calls->nodes;
    OWNED uint32_t *known =
        memory_zeroed(tree->call_limit + UINT64_C(1), sizeof *known);
    OWNED uint32_t *first = memory_zeroed(calls->count, sizeof *first);
    OWNED uint32_t *next = memory_zeroed(calls->count, sizeof *next);
    uint32_t at = 0, levels = 0;
    struct page_name last = { 0 };
    bool is_flat = true; /* but for what says which maps they are */

    for (size_t i = calls->count; i-- > 1;) {
        next[i] = first[nodes[i].parent];
        first[nodes[i].parent] = (uint32_t)i;
        is_flat = is_flat && (nodes[i].level == 1 ||
                              (flags_of(nodes[i].name) & NAME_MAP) != 0);
    }
    ARENA_ADD(tree->arena, tree->nodes, tree->node_count,
              (struct page_node){ 0 });
    for (size_t i = 1; i < calls->count; i++) {
        uint32_t *slot, caller;

        while (first[at] == 0)
            at = nodes[at].parent;
        caller = at;
        at = first[caller];
        first[caller] = next[at];
        /* A truncated stack has no number. */
        slot = &known[nodes[at].name == &frame_truncated ? tree->call_limit
                                                         : nodes[at].number];
        if (*slot == 0)
            *slot = name_of(tree, nodes[at].name) + 1;
        if (is_flat && nodes[at].level == 1)
            levels = add_levels(tree, *slot - 1, &last);
        add_node(tree, levels + nodes[at].level, *slot - 1);
        if (nodes[at].end != 0) {
            tree->end_numbers[nodes[at].end] = (uint32_t)++tree->end_count;
            tree->end_order[tree->end_count] = nodes[at].end;
            tree->ends[tree->end_count].node = (uint32_t)tree->node_count - 1;
        }
    }
}

/* From here on stacks have the numbers of ends, and calls are the page's. */
static void drop_calls(struct page_tree *tree)
{
    size_t count = tree->subject->profile->stacks.stack_count;
    uint32_t *ends = tree->own.stack_nodes;

    for (size_t i = 0; i < count; i++)
        ends[i] = tree->end_numbers[tree->own.nodes[ends[i]].end];
    arena_release(tree->arena, tree->own.nodes);
}

static void add_changes(struct page_tree *tree)
{
    const struct history *history = &tree->subject->profile->history;

    tree->instant_count = page_instants(history);
    tree->change_counts = arena_zeroed(tree->arena, tree->instant_count + 1,
                                       sizeof *tree->change_counts);
    for (uint32_t i = 0; i < tree->instant_count; i++) {
        struct ledger_run run =
            ledger_run_of(history->runs, history->instants, i);
        struct ledger_change change;

        while (ledger_run_next(&run, &change) > 0) {
            uint32_t row = history_row(history, change.site);
            struct page_change own = { 0 };

            if (row == UINT32_MAX)
                continue;
            own.end = tree->own.stack_nodes[row];
            ledger_change_add(&change, own.grown);
            ARENA_ADD(tree->arena, tree->changes, tree->change_count, own);
            tree->change_counts[i]++;
        }
    }
}

static void add_lives(struct page_tree *tree, uint32_t end,
                      const struct lifetimes *lifetimes)
{
    for (uint32_t i = 0; i <= LEDGER_LIFE_CLASSES; i++) {
        struct lifetime_sum sum = i == LEDGER_LIFE_CLASSES
                                      ? lifetimes_live(lifetimes)
                                      : lifetimes->sums[LEDGER_LIFE_FREED + i];

        if (sum.samples != 0)
            ARENA_ADD(tree->arena, tree->lives, tree->life_count,
                      (struct page_life){ end, i, sum });
    }
}

/* Add variances of samples, also 0: without one a figure is exact. */
static void add_variances(struct page_tree *tree, uint32_t end)
{
    struct estimate_error *own = tree->own.errors[tree->end_order[end]].own;

    for (unsigned i = 0; i < MEASURE_COUNT; i++)
        own[i].variance = fmax(own[i].variance, DBL_MIN);
}

/* Add stacks that no measure of an end has. */
static void add_stacks(struct page_tree *tree)
{
    const struct profile *profile = tree->subject->profile;

    if (profile_has_inherited(profile))
        tree->inherited = arena_zeroed(tree->arena, tree->own.end_count,
                                       sizeof *tree->inherited);
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        const struct profile_stack *stack = &profile->stacks.stacks[i];
        uint32_t end = tree->own.stack_nodes[i];

        if (tree->inherited != NULL) {
            tree->inherited[end].blocks += stack->amounts.inherited_blocks;
            tree->inherited[end].bytes += stack->amounts.inherited_bytes;
        }
        if (profile->callers[stack->site].is_estimate)
            add_variances(tree, end);
        if (stack->lifetimes != 0)
            add_lives(tree, end, stacks_lifetimes(&profile->stacks, stack));
    }
}

/* Open the tree of all stacks; in a comparison of both sides. */
void page_tree_open(struct page_tree *tree)
{
    const struct page_subject *subject = tree->subject;

    tree->arena = arena_create();
    tree->texts.table.arena = tree->name_table.arena = tree->arena;
    text_pool_add(&tree->texts, "");
    tree->own = (struct call_tree){ .arena = tree->arena,
                                    .names = subject->frames,
                                    .profile = subject->profile,
                                    .key = CALL_TREE_BY_LINE };
    tree->calls = &tree->own;
    call_tree_make_root(&tree->own);
    if (subject->comparison != NULL) {
        tree->calls = &subject->comparison->tree;
        tree->call_limit = subject->comparison->numbers.count + 1;
    } else if (subject->profile != NULL) {
        tree->call_limit = frame_names_call_limit(subject->frames);
        tree->own.stack_nodes =
            arena_zeroed(tree->arena, subject->profile->stacks.stack_count + 1,
                         sizeof *tree->own.stack_nodes);
        call_tree_add_from_roots(&tree->own);
        index_table_free(&tree->own.table); /* it is complete */
    }
    tree->ends =
        arena_zeroed(tree->arena, tree->calls->end_count, sizeof *tree->ends);
    tree->end_order = arena_zeroed(tree->arena, tree->calls->end_count,
                                   sizeof *tree->end_order);
    tree->end_numbers = arena_zeroed(tree->arena, tree->calls->end_count,
                                     sizeof *tree->end_numbers);
    add_nodes(tree);
    if (subject->profile == NULL)
        return;
    drop_calls(tree);
    add_changes(tree);
    add_stacks(tree);
}

void page_tree_close(struct page_tree *tree)
{
    source_lines_free(&tree->sources);
    arena_destroy(tree->arena);
}
