/* SPDX-License-Identifier: Apache-2.0 */
/* page_tree.c - see page_tree.h */
#include "tool/web/page_tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/fold.h"
#include "tool/tables/array.h"

enum name_flags {
    NAME_MAP = 2, /* of memory that is no heap */
    NAME_PAIR = 8,
    NAME_FILE = 16,
    NAME_STACK = 32,
    NAME_LEVEL = 64, /* a module or file: no call */
};

static uint32_t text_of(struct page_tree *tree, const char *text)
{
    return text == NULL ? 0 : text_pool_add(&tree->texts, text);
}

/* What stands for a map is a call, too, and so is a label. */
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
    char *function = of->function == NULL || flags != 0
                         ? NULL
                         : fold_short_name(of->function);
    char *source = !tree->subject->has_sources || of->file == NULL
                       ? NULL
                       : source_lines_find(&tree->sources, of->file, of->line);
    struct page_name known = {
        .label = text_of(tree, name->label),
        .function = text_of(tree, function),
        .file = text_of(tree, of->file),
        .module = text_of(tree, of->module),
        .line = of->line > UINT32_MAX ? 0 : (uint32_t)of->line,
        .flags = flags,
        .source = text_of(tree, source),
    };

    free(function);
    free(source);
    return add_name(tree, &known);
}

static uint32_t add_node(struct page_tree *tree, uint32_t parent, uint32_t name)
{
    ARRAY_ADD(tree->nodes, tree->node_count,
              (struct page_node){ parent, name, { 0 } });
    return (uint32_t)tree->node_count - 1;
}

/* The node of a module, or of a file in it; each once. */
static uint32_t level_of(struct page_tree *tree, uint32_t parent,
                         uint32_t label, uint32_t module)
{
    const struct page_name name = { .label = label,
                                    .module = module,
                                    .flags = NAME_LEVEL };
    const struct page_node level = { parent, add_name(tree, &name), { 0 } };
    size_t count = tree->level_count;
    uint32_t number = INDEX_ADD(&tree->level_table, sizeof level, tree->levels,
                                tree->level_count, &level);

    if (number == count)
        ARRAY_ADD(tree->level_nodes, count, add_node(tree, parent, level.name));
    return tree->level_nodes[number];
}

/* In place of a caller: the module and the file that it is in. */
static uint32_t levels_of(struct page_tree *tree, uint32_t number)
{
    const struct page_name name = tree->names[number];
    uint32_t node = level_of(
        tree, 0, name.module == 0 ? text_of(tree, "no module") : name.module,
        name.module);

    return name.file == 0 ? node : level_of(tree, node, name.file, name.module);
}

/* Each call is looked at once. */
static void add_nodes(struct page_tree *tree)
{
    const struct call_tree *calls = tree->calls;
    uint32_t *known =
        memory_zeroed(tree->call_limit + UINT64_C(1), sizeof *known);
    uint32_t *numbers = memory_zeroed(calls->count, sizeof *numbers);
    bool is_flat = true; /* but for what says which maps they are */

    tree->ends = memory_zeroed(calls->end_count, sizeof *tree->ends);
    for (uint32_t i = 1; i < calls->count; i++)
        is_flat = is_flat && (calls->nodes[i].level == 1 ||
                              (flags_of(calls->nodes[i].name) & NAME_MAP) != 0);
    add_node(tree, 0, 0);
    for (uint32_t i = 1; i < calls->count; i++) {
        const struct call_node *node = &calls->nodes[i];
        bool is_cut = node->name == &frame_truncated; /* it has no number */
        uint32_t *slot = &known[is_cut ? tree->call_limit : node->number];

        if (*slot == 0)
            *slot = name_of(tree, node->name) + 1;
        numbers[i] =
            add_node(tree,
                     is_flat && node->level == 1 ? levels_of(tree, *slot - 1)
                                                 : numbers[node->parent],
                     *slot - 1);
        tree->nodes[numbers[i]].end = node->end;
    }
    free(numbers);
    free(known);
}

static void add_changes(struct page_tree *tree)
{
    const struct history *history = &tree->subject->profile->history;

    tree->instant_count = page_instants(history);
    tree->change_counts =
        memory_zeroed(tree->instant_count + 1, sizeof *tree->change_counts);
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
            ARRAY_ADD(tree->changes, tree->change_count, own);
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
            ARRAY_ADD(tree->lives, tree->life_count,
                      (struct page_life){ end, i, sum });
    }
}

/* Of samples, also where there is none: what has no variance is exact. */
static void add_variances(struct page_tree *tree, uint32_t end)
{
    for (unsigned i = 0; i < MEASURE_COUNT; i++)
        tree->own.variances[end].own[i] =
            fmax(tree->own.variances[end].own[i], DBL_MIN);
}

/* What ends do not tell by a measure. */
static void add_stacks(struct page_tree *tree)
{
    const struct profile *profile = tree->subject->profile;

    if (profile_has_inherited(profile))
        tree->inherited =
            memory_zeroed(tree->own.end_count, sizeof *tree->inherited);
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        const struct profile_stack *stack = &profile->stacks.stacks[i];
        uint32_t end = tree->own.stack_nodes[i];

        if (tree->inherited != NULL) {
            tree->inherited[end].blocks += stack->amounts.inherited_blocks;
            tree->inherited[end].bytes += stack->amounts.inherited_bytes;
        }
        if (profile->sites[stack->site].is_estimate)
            add_variances(tree, end);
        if (stack->lifetimes != NULL)
            add_lives(tree, end, stack->lifetimes);
    }
}

/* From here on stacks have the numbers of ends, and calls are the page's. */
static void drop_calls(struct page_tree *tree)
{
    size_t count = tree->subject->profile->stacks.stack_count;

    for (size_t i = 0; i < count; i++)
        tree->own.stack_nodes[i] =
            tree->own.nodes[tree->own.stack_nodes[i]].end;
    free(tree->own.nodes);
    tree->own.nodes = NULL;
}

/* Of a profile all stacks; of a comparison those of both sides. */
void page_tree_open(struct page_tree *tree)
{
    const struct page_subject *subject = tree->subject;

    text_pool_add(&tree->texts, "");
    tree->own = (struct call_tree){ .names = subject->frames,
                                    .profile = subject->profile,
                                    .key = CALL_TREE_BY_LINE };
    tree->calls = &tree->own;
    call_tree_make_root(&tree->own);
    if (subject->comparison != NULL) {
        tree->calls = &subject->comparison->tree;
        tree->call_limit = subject->comparison->matching.id_count + 1;
    } else if (subject->profile != NULL) {
        tree->call_limit = frame_names_call_limit(subject->frames);
        tree->own.stack_nodes =
            memory_zeroed(subject->profile->stacks.stack_count + 1,
                          sizeof *tree->own.stack_nodes);
        call_tree_add_from_roots(&tree->own);
    }
    add_nodes(tree);
    if (subject->profile == NULL)
        return;
    drop_calls(tree);
    add_changes(tree);
    add_stacks(tree);
}

void page_tree_close(struct page_tree *tree)
{
    free(tree->own.stack_nodes);
    call_tree_close(&tree->own);
    text_pool_free(&tree->texts);
    source_lines_free(&tree->sources);
    index_table_free(&tree->name_table);
    index_table_free(&tree->level_table);
    free(tree->names);
    free(tree->nodes);
    free(tree->ends);
    free(tree->inherited);
    free(tree->node_order);
    free(tree->changes);
    free(tree->change_counts);
    free(tree->lives);
    free(tree->end_order);
    free(tree->levels);
    free(tree->level_nodes);
}
