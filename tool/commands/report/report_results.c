/* SPDX-License-Identifier: Apache-2.0 */
/* report_results.c - findings and rows as results for reviews */
#include "tool/commands/report/report_parts.h"
#include "tool/render/result.h"

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
        result = (struct result){
            .state = RESULT_HELD,
            .rule = memory_text(measure_name(report->measure)),
            .message = measure_is_bytes(report->measure)
                           ? memory_print("%s bytes (%s)", NUMBER_SIGNED(value),
                                          NUMBER_BYTES(value))
                           : memory_print("%s blocks", NUMBER_SIGNED(value)),
        };
        result_add_calls(&result, report->names, report->frames, row.stack,
                         row.site);
        result_add(list, &result);
    }
}

void report_write_results(const struct report *report, unsigned form)
{
    const struct facet_subject subject = report_subject(report);
    const struct profile *profile = report->profile;
    struct result_list list = {
        .command = "report",
        .program = profile->image_count == 0
                       ? NULL
                       : base_name(profile->images[0].program),
        .source = report->source,
    };

    facets_results(&subject, &list);
    for (size_t i = 0; i < LEDGER_SITE_KINDS; i++)
        add_rows(&list, report, &report->rows[i]);
    result_forms[form].write(stdout, &list);
    result_list_free(&list);
}
