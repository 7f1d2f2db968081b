/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_results.c - growth as results for reviews: verdicts, then changed rows
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/commands/diff/diff_parts.h"
#include "tool/render/result.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

static char *describe(const struct diff *diff, const struct comparison_row *row,
                      double percent)
{
    static const char *const states[] = { [COMPARISON_BOTH] = "",
                                          [COMPARISON_NEW] = ", new",
                                          [COMPARISON_GONE] = ", gone" };
    char share[32] = "";

    if (isfinite(percent))
        snprintf(share, sizeof share, " (%+.1f %%)", percent);
    return memory_print(
        "%s%s %s%s: %s before, %s after%s", diff->value->said,
        NUMBER_GROWTH(comparison_deciding(diff->value, &row->growth)),
        diff->value->is_of_blocks ? "blocks" : "bytes", share,
        NUMBER_SIGNED(comparison_deciding(diff->value, &row->before)),
        NUMBER_SIGNED(comparison_deciding(diff->value, &row->after)),
        states[row->state]);
}

static struct result result_of(const struct diff *diff,
                               const struct comparison_row *row, double percent)
{
    return (struct result){
        .state = RESULT_CHANGED,
        .rule = memory_print("growth of %s", diff->value->name),
        .message = describe(diff, row, percent),
        .value = (double)comparison_deciding(diff->value, &row->before),
        .limit = (double)comparison_deciding(diff->value, &row->after),
        .over = (double)comparison_deciding(diff->value, &row->growth),
        .is_bytes = !diff->value->is_of_blocks,
    };
}

static void add_place(struct result *result, const struct comparison_row *row)
{
    result_add_call(
        result,
        &(struct site_name){ .function = row->function,
                             .file = row->line != 0 ? row->file : NULL,
                             .line = row->last_line > row->line ? 0 : row->line,
                             .module = row->object });
}

/* Add the stack that grew most or, without stacks, the row. */
static void add_culprit(struct result *result, const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    const struct stack_comparison *stacks = diff->stacks;

    for (size_t i = 0; stacks != NULL && i < stacks->changed_count; i++) {
        uint32_t node = stacks->changed[i];

        if (stack_comparison_growth(stacks, node) <= 0)
            continue;
        node = stack_comparison_blamed(stacks, node);
        for (; node != 0 && result->stack_count < RESULT_STACK_LIMIT;
             node = stacks->tree.nodes[node].parent)
            result_add_frame(result, stacks->tree.nodes[node].name);
        return;
    }
    for (size_t i = 0; i < comparison->count; i++) {
        const struct comparison_row *row = &comparison->rows[i];

        if (comparison_deciding(diff->value, &row->growth) > 0) {
            add_place(result, row);
            return;
        }
    }
}

static void add_gate(struct result_list *list, const struct diff *diff,
                     const struct comparison_row *sum, double percent,
                     double least)
{
    const bool is_broken = diff->has_bound && least > diff->bound;
    struct result result = result_of(diff, sum, percent);

    result.state = is_broken ? RESULT_BROKEN
                   : diff->has_bound && percent > diff->bound
                       ? RESULT_UNJUDGED /* within the sampling error */
                       : RESULT_KEPT;
    if (diff->has_bound) {
        free(result.rule);
        result.rule = memory_print("%s grows by at most %g %%",
                                   diff->value->name, diff->bound);
        result.limit = result.value * (1 + diff->bound / 100);
        result.value += result.over;
        result.over = result.value - result.limit;
    }
    if (is_broken)
        add_culprit(&result, diff);
    result_add(list, &result);
}

/* Name no culprit of the peak: rows are live memory. */
static void add_peak_gate(struct result_list *list, const struct diff *diff)
{
    const struct comparison none = { 0 };
    struct diff peak = *diff;
    struct comparison_row sum = { 0 };

    if (!diff->has_peaks || !diff->has_bound)
        return;
    peak.value = compared_values;
    while (peak.value->bytes != MEASURE_PEAK_BYTES)
        peak.value++;
    peak.comparison = &none;
    peak.stacks = NULL;
    sum.before.bytes = diff->peaks[0];
    sum.after.bytes = diff->peaks[1];
    sum.growth.bytes = diff->peaks[1] - diff->peaks[0];
    add_gate(list, &peak, &sum, diff_peak_percent(diff),
             diff_peak_percent(diff));
}

void diff_write_results(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    struct result_list list = { .command = "diff", .source = diff->names[1] };
    size_t shown = 0;

    add_gate(&list, diff, &comparison->sum, diff_percent(diff),
             diff_least_percent(diff));
    add_peak_gate(&list, diff);
    for (size_t i = 0; i < comparison->count && shown < diff->row_limit; i++) {
        const struct comparison_row *row = &comparison->rows[i];
        struct result result;

        if (diff_is_noise(diff, row))
            continue;
        result = result_of(
            diff, row,
            comparison_percent(comparison_deciding(diff->value, &row->before),
                               comparison_deciding(diff->value, &row->growth)));
        add_place(&result, row);
        result_add(&list, &result);
        shown++;
    }
    result_forms[diff->form].write(stdout, &list);
    result_list_free(&list);
}
