/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_residency.c - which stacks keep the heap's pages in memory
 *
 * The rows of the table are as all others; here are the sums, what could go
 * back, and how far all that can be trusted.
 */
#include "tool/commands/report/report_parts.h"

/* Write members or, if `json` is NULL, print lines. */
static void put_sums(struct json *json, const struct profile *profile)
{
    const struct ledger_residency *unpinned = &profile->unpinned;
    const struct ledger_residency *pinned = &profile->pinned;
    const struct {
        const char *key, *title;
        uint64_t bytes;
    } rows[] = {
        { "used_bytes", "in blocks", pinned->used },
        { "slack_bytes", "free beside them", pinned->resident - pinned->used },
        { "unpinned_bytes", "without a block", unpinned->resident },
        { "bytes", "all", pinned->resident + unpinned->resident },
        { "huge_bytes", "in huge pages", pinned->huge + unpinned->huge },
        { "shared_bytes", "shared", pinned->shared + unpinned->shared },
        { "swapped_bytes", "swapped out", pinned->swapped + unpinned->swapped },
        { "freeable_bytes", "pinned by one stack", pinned->alone },
        { "untouched_bytes", "requested, untouched", pinned->untouched },
        { "unread_bytes", "not read", unpinned->alone },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (json != NULL)
            json_unsigned(json, rows[i].key, rows[i].bytes);
        else if (i < 4 || rows[i].bytes != 0)
            printf("  %-22s %18s  (%s)\n", rows[i].title, NUMBER(rows[i].bytes),
                   NUMBER_BYTES((int64_t)rows[i].bytes));
    }
}

/* Print how much freeing the first row's blocks returns. */
static void print_first(const struct report *report, struct report_row first)
{
    const struct facet_subject subject = report_subject(report);
    OWNED char *calls =
        first.stack == NULL ? NULL : report_calls_of(report, first.stack);
    OWNED char *name = facet_call_name(&subject, first.site, INT_MAX);

    if (first.amounts->alone_blocks == 1)
        fputs("  freeing this block of ", stdout);
    else
        printf("  freeing these %s blocks of ",
               NUMBER(first.amounts->alone_blocks));
    facet_print_safe(name);
    printf(" returns about %s (an estimate)\n",
           NUMBER_BYTES((int64_t)first.amounts->alone_pages * LEDGER_PAGE));
    if (calls != NULL) {
        fputs("    ", stdout);
        facet_print_safe(calls);
        putchar('\n');
    }
}

void report_write_residency(const struct report *report)
{
    const struct profile *profile = report->profile;

    report_print_heading(report, "Resident heap by page use");
    put_sums(NULL, profile);
    if (report_row_count(report, &report->rows[LEDGER_SITE_HEAP]) > 0 &&
        profile->pinned.alone > 0)
        print_first(report,
                    report_row_at(report, &report->rows[LEDGER_SITE_HEAP], 0));
    if (profile->unpinned.alone_blocks != 0)
        printf("  left out: %s block%s that changed while pages were read\n",
               NUMBER(profile->unpinned.alone_blocks),
               number_plural(profile->unpinned.alone_blocks));
}

void report_write_residency_json(struct json *json,
                                 const struct profile *profile)
{
    json_begin(json, "residency", JSON_OBJECT);
    put_sums(json, profile);
    json_unsigned(json, "uncertain_blocks", profile->unpinned.alone_blocks);
    json_bool(json, "estimate", true);
    json_end(json);
}
