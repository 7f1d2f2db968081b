/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_callers.c - trees of callers as lines
 */
#include "tool/commands/report/report_parts.h"

enum {
    SITES_SHOWN = 5,  /* with their callers, in a plain report */
    CHAIN_LIMIT = 12, /* lines of one way to a site there */
};

static const char *const headings[] = {
    [MEASURE_LIVE_BYTES] = "live bytes",
    [MEASURE_LIVE_BLOCKS] = "live blocks",
    [MEASURE_PEAK_BYTES] = "bytes at the peak",
    [MEASURE_PEAK_BLOCKS] = "blocks at the peak",
    [MEASURE_TOTAL_BYTES] = "bytes allocated",
    [MEASURE_TOTAL_BLOCKS] = "blocks allocated",
    [MEASURE_TEMPORARY] = "temporary blocks",
    [MEASURE_GROWN] = "blocks grown by realloc",
    [MEASURE_RESIDENT] = "resident bytes",
};

static struct call_tree new_tree(const struct report *report)
{
    return (struct call_tree){ .arena = report->profile->arena,
                               .names = report->frames,
                               .profile = report->profile,
                               .key = CALL_TREE_BY_LINE };
}

/* Add the stacks of positive weight. */
static void add_stacks_of(const struct report *report, struct call_tree *tree,
                          size_t site)
{
    const struct stacks *stacks = &report->profile->stacks;

    for (size_t i = 0; i < stacks->stack_count; i++) {
        const struct profile_stack *stack = &stacks->stacks[i];

        if (stack->site == site && report->row != 0)
            frame_names_fold(report->frames, i, 0); /* it is whole */
        if (stack->site == site &&
            measure_of(&stack->amounts, report->measure) != 0)
            call_tree_add_from_leaf(tree, stack, NULL);
    }
}

/* Print the weight of a node; the interval too if it is an estimate. */
static void print_weight(const struct call_tree_text *text, uint32_t node,
                         bool is_estimate)
{
    const struct profile *profile = text->tree->profile;
    uint64_t weight = text->totals->weights[node];
    char estimate[ESTIMATE_TEXT_SIZE];

    if (text->totals->errors == NULL || !is_estimate) {
        printf("%13s  ", NUMBER(weight));
        return;
    }
    printf("%17s  ",
           estimate_text(estimate, (int64_t)weight,
                         interval_of_sampled(profile, text->totals->measure,
                                             (double)weight,
                                             text->totals->errors[node])));
}

static void open_text(struct call_tree_text *text, struct call_totals *totals,
                      const struct report *report, const struct call_tree *tree)
{
    call_totals_open(totals, tree, report->measure);
    *text = (struct call_tree_text){ .tree = tree,
                                     .totals = totals,
                                     .width = terminal_text_width(stdout),
                                     .least_percent = 1 };
}

/* The site itself is the tree's one trunk, or several with --sum. */
static void write_site(const struct report *report, size_t site)
{
    struct call_tree tree = new_tree(report);
    struct call_totals totals;
    struct call_tree_text text;

    tree.is_exact = !report->profile->callers[site].is_estimate;
    add_stacks_of(report, &tree, site);
    open_text(&text, &totals, report, &tree);
    text.least_percent = report->row != 0 ? 0 : 5;
    text.chain_limit = report->row != 0 ? 0 : CHAIN_LIMIT;
    if (report->row != 0)
        text.width = INT_MAX;
    for (uint32_t i = 0; i < totals.child_counts[0]; i++) {
        uint32_t node = totals.children[totals.first_child[0] + i];

        print_weight(&text, node, report->profile->callers[site].is_estimate);
        call_tree_text_write_name(tree.nodes[node].name, text.width - 15);
        call_tree_text_write(&text, node);
    }
}

void report_write_callers_of(const struct report *report,
                             const struct report_rows *rows)
{
    char heading[64];

    if (rows->site_count == 0 || report->row_limit == 0)
        return;
    snprintf(heading, sizeof heading, "Called from, by %s",
             headings[report->measure]);
    report_print_heading(report, heading);
    for (size_t i = 0;
         i < rows->site_count && i < report->row_limit && i < SITES_SHOWN;
         i++) {
        size_t site = rows->sites[i];

        if (measure_of(&report->profile->callers[site].amounts,
                       report->measure) <= 0)
            continue;
        if (i > 0)
            putchar('\n');
        write_site(report, site);
    }
}

static void write_tree(const struct report *report)
{
    struct call_totals totals;
    struct call_tree_text text;

    open_text(&text, &totals, report, &report->tree);
    print_weight(&text, 0, true);
    puts(headings[report->measure]);
    if (totals.weights[0] == 0 && report->measure == MEASURE_LIVE_BYTES)
        puts("  nothing is live; --sort=total shows all that was "
             "allocated");
    call_tree_text_write(&text, 0);
}

/* Add the stacks of all rows, outermost call first. */
static void add_rows(const struct report *report, struct call_tree *tree)
{
    OWNED bool *is_row = memory_zeroed(report->profile->stacks.stack_count, 1);

    for (size_t i = 0; i < LEDGER_SITE_KINDS; i++) {
        for (size_t k = 0; k < report->rows[i].stack_count; k++)
            is_row[report->rows[i].stacks[k]] = true;
    }
    tree->wanted = is_row;
    call_tree_add_from_roots(tree);
}

bool report_make_tree(struct report *report)
{
    const struct profile_stack *stacks = report->profile->stacks.stacks;

    report->tree = new_tree(report);
    if (report->is_reverse)
        add_rows(report, &report->tree);
    for (size_t i = 0; report->callers_of != NULL && i < LEDGER_SITE_KINDS;
         i++) {
        const struct report_rows *rows = &report->rows[i];

        for (size_t k = 0; k < rows->stack_count; k++)
            call_tree_add_from_leaf(&report->tree, &stacks[rows->stacks[k]],
                                    report->callers_of);
    }
    return report->tree.count > 1;
}

void report_write_callers(const struct report *report)
{
    if (report->frames == NULL)
        return;
    if (report->callers_of != NULL) {
        printf("Callers of ");
        facet_print_safe(report->callers_of);
        puts(", innermost first\n");
        write_tree(report);
    } else if (report->is_reverse) {
        puts("Calls, outermost first\n");
        write_tree(report);
    } else {
        report_write_callers_of(report, &report->rows[LEDGER_SITE_HEAP]);
    }
}
