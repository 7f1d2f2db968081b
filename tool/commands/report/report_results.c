/* SPDX-License-Identifier: Apache-2.0 */
/* report_results.c - findings and rows as results for reviews */
#include <limits.h>
#include <stdlib.h>

#include "tool/commands/report/report_parts.h"
#include "tool/model/findings/findings.h"
#include "tool/render/result.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

/* The calls of a stack, or of a site without any. */
static void add_calls(struct result *result, const struct report *report,
                      const struct profile_stack *stack, size_t site)
{
    if (stack != NULL)
        result_add_stack(result, report->frames, stack);
    else
        result_add_call(result, &report->names->sites[site]);
}

/* The heaviest stack of a site; NULL: none is known. */
static const struct profile_stack *heaviest(const struct report *report,
                                            size_t site)
{
    const struct stacks *stacks = &report->profile->stacks;
    const struct profile_stack *found = NULL;

    for (size_t i = 0; report->frames != NULL && i < stacks->stack_count; i++) {
        const struct profile_stack *stack = &stacks->stacks[i];

        if (stack->site == site &&
            (found == NULL ||
             stack->amounts.alloc_bytes > found->amounts.alloc_bytes))
            found = stack;
    }
    return found;
}

static struct result result_of(const struct report *report,
                               enum result_state state, const char *rule,
                               char *message)
{
    const struct profile *profile = report->profile;

    return (struct result){
        .state = state,
        .rule = memory_text(rule),
        .program = profile->image_count == 0
                       ? NULL
                       : memory_text(base_name(profile->images[0].program)),
        .source = memory_text(report->source),
        .message = message,
    };
}

static void add_findings(struct result_list *list, const struct report *report)
{
    struct finding found[FINDING_LIMIT];
    size_t count = findings_find(report->profile, found);

    for (size_t i = 0; i < count; i++) {
        struct result result =
            result_of(report, RESULT_FOUND, found[i].kind,
                      finding_text(report->profile, report->names, &found[i]));

        if (found[i].site != FINDING_NO_SITE)
            add_calls(&result, report, heaviest(report, found[i].site),
                      found[i].site);
        result_add(list, &result);
    }
}

static void add_rows(struct result_list *list, const struct report *report,
                     const struct report_rows *rows)
{
    size_t count = report_row_count(report, rows);

    for (size_t i = 0; i < count && i < report->row_limit; i++) {
        const struct report_row row = report_row_at(report, rows, i);
        int64_t value = measure_of(row.amounts, report->measure);
        struct result result;

        if (value == 0)
            continue;
        result =
            result_of(report, RESULT_HELD, measure_name(report->measure),
                      measure_is_bytes(report->measure)
                          ? memory_print("%s bytes (%s)", NUMBER_SIGNED(value),
                                         NUMBER_BYTES(value))
                          : memory_print("%s blocks", NUMBER_SIGNED(value)));
        add_calls(&result, report, row.stack, row.site);
        result_add(list, &result);
    }
}

void report_write_results(const struct report *report, unsigned form)
{
    struct result_list list = { .command = "report" };

    add_findings(&list, report);
    for (size_t i = 0; i < LEDGER_SITE_KINDS; i++)
        add_rows(&list, report, &report->rows[i]);
    result_forms[form].write(stdout, &list);
    result_list_free(&list);
}
