/* SPDX-License-Identifier: Apache-2.0 */
/* report_findings.c - findings in words */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/report/report_parts.h"
#include "tool/model/findings/findings.h"
#include "tool/model/names/fold.h"
#include "tool/tables/memory.h"
#include "tool/text/number.h"

enum {
    DIGITS = 32,
    LEAST_OF_LINE = 16, /* of a name that is cut: "server.c:120)" */
    LEAST_OF_FILE = 6,  /* where no line is known */
    LEAST = 22
};

/* The beginning of the file goes before that of the function. */
static char *cut_name(char *name, unsigned room)
{
    const char *bracket = strrchr(name, '(');
    const char *place = bracket == NULL ? name + strlen(name) : bracket + 1;
    unsigned end = terminal_columns(place), all = terminal_columns(name);
    unsigned kept = strchr(place, ':') == NULL ? LEAST_OF_FILE : LEAST_OF_LINE;
    unsigned cut_end = end > kept ? end - kept : 0, cut;
    char *shown;

    room = (int)room < LEAST ? LEAST : room;
    cut = all > room ? all - room : 0;
    cut_end = cut_end < cut ? cut_end : cut;
    cut -= cut_end;
    bracket = terminal_skip(name, cut == 0 ? 0 : cut + 3);
    shown =
        memory_print("%s%.*s%s%s", cut == 0 ? "" : "...",
                     (int)(place - bracket), bracket, cut_end == 0 ? "" : "...",
                     terminal_skip(place, cut_end == 0 ? 0 : cut_end + 3));
    free(name);
    return shown;
}

char *report_call_name(const struct report *report, size_t number,
                       unsigned room)
{
    const struct site_name *name = &report->names->sites[number];
    char place[SITE_PLACE_SIZE];
    char *short_name, *line, *text;

    if (name->function == NULL)
        return cut_name(
            memory_print("%s+%s",
                         name->module == NULL ? "" : base_name(name->module),
                         site_place(place, &report->profile->sites[number])),
            room);
    short_name = fold_short_name(name->function);
    line =
        name->file == NULL
            ? memory_text(name->module == NULL ? "?" : base_name(name->module))
            : site_line(base_name(name->file), name->line);
    text = memory_print("%s (%s)",
                        short_name == NULL ? name->function : short_name, line);
    free(short_name);
    free(line);
    return cut_name(text, room);
}

/* "leak  serve (a.c:1): 1.2 MiB in 4,567 blocks; --leaks". */
static const struct {
    bool has_bytes, has_blocks;
    const char *share;  /* what the share is of; NULL: it is not shown */
    const char *option; /* that shows more */
} says[FINDING_COUNT] = {
    [FINDING_LOST] = { false, true, "of all calls", "--full" },
    [FINDING_LEAK] = { true, true, NULL, "--leaks" },
    [FINDING_GROWTH] = { true, false, "of the peak", "--peak" },
    [FINDING_SPIKE] = { true, false, "of the peak", "--peak" },
    [FINDING_CHURN] = { false, true, "of all", "--temporary" },
    [FINDING_REALLOCS] = { false, true, NULL, "--reallocs" },
    [FINDING_SMALL] = { true, true, NULL, "--peak" },
    [FINDING_SLACK] = { true, false, "of the heap", "--resident PID" },
    [FINDING_UNTOUCHED] = { true, false, "of live bytes", "--resident PID" },
};

/* ": 1.2 MiB in 4,567 blocks; --leaks". */
static char *figures_of(const struct finding *finding)
{
    enum finding_kind kind = finding->kind;
    bool has_both = says[kind].has_bytes && says[kind].has_blocks;
    char more[DIGITS + 16] = "", share[DIGITS + 16] = "";

    if (finding->others != 0)
        snprintf(more, sizeof more, " (+%zu)", finding->others);
    if (kind == FINDING_REALLOCS)
        return memory_print("%s: +%s %s times, grow by half; %s", more,
                            NUMBER_BYTES(finding->bytes),
                            NUMBER(finding->blocks), says[kind].option);
    if (kind == FINDING_SMALL)
        return memory_print(
            "%s: %s blocks of %s; %s", more, NUMBER(finding->blocks),
            NUMBER_BYTES(finding->bytes / (int64_t)finding->blocks),
            says[kind].option);
    if (kind == FINDING_SLACK && finding->site != FINDING_NO_SITE)
        return memory_print(
            "%s: %s block%s pin %s; --resident", more, NUMBER(finding->blocks),
            number_plural(finding->blocks), NUMBER_BYTES(finding->bytes));
    if (kind == FINDING_UNTOUCHED && finding->site != FINDING_NO_SITE)
        return memory_print(
            "%s: %s of %s never touched; --resident", more,
            NUMBER_BYTES(finding->bytes),
            NUMBER_BYTES((int64_t)((double)finding->bytes / finding->share)));
    if (says[kind].share != NULL)
        snprintf(share, sizeof share, ", %.0f %% %s", finding->share * 100,
                 says[kind].share);
    return memory_print(
        "%s%s%s%s%s%s%s%s; %s", more,
        finding->site == FINDING_NO_SITE ? "" : ": ",
        says[kind].has_bytes ? NUMBER_BYTES(finding->bytes) : "",
        has_both ? " in " : "",
        says[kind].has_blocks ? NUMBER(finding->blocks) : "",
        says[kind].has_blocks ? " block" : "",
        says[kind].has_blocks ? number_plural(finding->blocks) : "", share,
        says[kind].option);
}

char *report_finding_text(const struct report *report,
                          const struct finding *finding, unsigned room)
{
    char *figures = figures_of(finding);
    char *name = finding->site == FINDING_NO_SITE
                     ? memory_text("")
                     : report_call_name(report, finding->site,
                                        room - terminal_columns(figures));
    char *text = memory_print("%s%s", name, figures);

    free(name);
    free(figures);
    return text;
}
