/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_trust.c - how far a report can be trusted, at its end
 */
#include "tool/commands/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool/commands/report/report_calls.h"
#include "tool/commands/report/report_frames.h"
#include "tool/model/names/trust.h"
#include "tool/text/number.h"

/* The stacks themselves show which were not followed. */
static bool is_said_better(const struct profile *profile, size_t count)
{
    return count == LEDGER_COUNT_truncated_stacks && profile->cut_stacks != 0;
}

/* Files that may have changed since, with no build-id to check. */
static void print_changed(const struct report *report)
{
    const struct profile *profile = report->profile;
    bool has_any = false;

    for (size_t i = 0; i < profile->module_count; i++) {
        if (!site_names_may_be_wrong(report->names, profile, i))
            continue;
        if (!has_any)
            report_print_heading(report, "Names that may be wrong");
        has_any = true;
        fputs("  those in ", stdout);
        report_print_safe(profile->modules[i].path);
        puts(": it has no build-id, and was changed after the run");
    }
}

static void print_lost(const struct report *report)
{
    const struct profile *profile = report->profile;
    /* Those of a log are reported with the rest of it. */
    size_t marked = profile->text.reports != 0 ? 0 : profile->inaccurate_sites;
    char number[NUMBER_SIZE], sentence[TRUST_LINE_SIZE];
    bool has_any = profile->torn_sites != 0 || marked != 0 ||
                   report->names->unresolved != 0 || profile->cut_stacks != 0 ||
                   report_frames_unresolved(report) != 0 ||
                   report_calls_has_losses(report);

    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++)
        has_any = has_any || profile->counts[i] != 0;
    if (!has_any)
        return;
    report_print_heading(report, "Lost or not seen");
    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++) {
        if (profile->counts[i] != 0 && !is_said_better(profile, i))
            printf("  %s %s\n", number_unsigned(number, profile->counts[i]),
                   trust_count_sentence(sentence, i, profile->counts[i]));
    }
    if (profile->torn_sites != 0)
        printf("  %zu call site%s changed while %s read; live values below 0 "
               "are shown as 0\n",
               profile->torn_sites, number_plural(profile->torn_sites),
               profile->torn_sites == 1 ? "it was" : "they were");
    if (marked != 0)
        printf("  %zu row%s marked inaccurate: what could not be tracked is "
               "missing; changes since are right\n",
               marked, marked == 1 ? " is" : "s are");
    report_calls_print_losses(report);
    if (profile->cut_stacks != 0)
        printf(
            "  %zu of %zu stacks are not known to their end: their outermost "
            "call is [truncated]\n",
            profile->cut_stacks, profile->stacks.stack_count);
    if (profile->cut_stacks != 0 && report->frames != NULL)
        report_frames_write_cut(report);
    if (report->frames != NULL)
        report_frames_write_unresolved(report);
    else if (report->names->unresolved != 0 && profile->calls != NULL &&
             profile->module_count == 0)
        printf("  %zu caller%s without a name: name the program, or the ledger "
               "of the same "
               "run, with --elf\n",
               report->names->unresolved,
               number_plural(report->names->unresolved));
    else if (report->names->unresolved != 0)
        printf("  %zu call site%s without a name: their file is gone, has "
               "changed or has no symbols\n",
               report->names->unresolved,
               number_plural(report->names->unresolved));
}

/* The one "%s" of a sentence stands for the text. */
static void print_notice(const struct profile_notice *notice)
{
    const char *sentence = trust_notice_sentence(notice->code);
    const char *hole = strstr(sentence, "%s");
    size_t length = hole == NULL ? strlen(sentence) : (size_t)(hole - sentence);

    printf("  %.*s", (int)length, sentence);
    report_print_safe(notice->text);
    if (hole != NULL)
        fputs(hole + 2, stdout);
    if (notice->times > 1)
        printf(" (%" PRIu64 " times)", notice->times);
    putchar('\n');
}

static void print_notices(const struct report *report)
{
    if (report->profile->notice_count == 0)
        return;
    report_print_heading(report, "Notices");
    for (size_t i = 0; i < report->profile->notice_count; i++)
        print_notice(&report->profile->notices[i]);
}

/* The heading comes before the first. */
static void print_text_line(void *context, const char *line)
{
    const struct report **report = context;

    if (*report != NULL)
        report_print_heading(*report, "About this text");
    *report = NULL;
    printf("  %s\n", line);
}

void report_write_trust(const struct report *report)
{
    const struct report *unsaid = report;

    print_lost(report);
    trust_tell_text(report->profile, print_text_line, &unsaid);
    trust_tell_twice(report->profile, print_text_line, &unsaid);
    print_changed(report);
    print_notices(report);
}
