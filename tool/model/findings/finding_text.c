/* SPDX-License-Identifier: Apache-2.0 */
/* finding_text.c - findings in words */
#include <stdio.h>
#include <stdlib.h>

#include "tool/model/findings/findings.h"
#include "tool/model/names/fold.h"
#include "tool/tables/memory.h"
#include "tool/text/number.h"

enum { DIGITS = 32 };

char *finding_call(const struct profile *profile,
                   const struct site_names *names, size_t number)
{
    const struct site_name *name = &names->sites[number];
    char *short_name, *line, *text;

    if (name->function == NULL)
        return memory_print("%s+%s",
                            name->module == NULL ? "" : base_name(name->module),
                            ADDRESS(profile->callers[number].place));
    short_name = fold_short_name(name->function);
    line =
        name->file == NULL
            ? memory_text(name->module == NULL ? "?" : base_name(name->module))
            : site_line(base_name(name->file), name->line);
    text = memory_print("%s (%s)",
                        short_name == NULL ? name->function : short_name, line);
    free(short_name);
    free(line);
    return text;
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

char *finding_figures(const struct finding *finding)
{
    enum finding_kind kind = finding->kind;
    bool has_both = says[kind].has_bytes && says[kind].has_blocks;
    const char *unit = kind == FINDING_LOST ? " call" : " block";
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
        says[kind].has_blocks ? unit : "",
        says[kind].has_blocks ? number_plural(finding->blocks) : "", share,
        says[kind].option);
}

char *finding_text(const struct profile *profile,
                   const struct site_names *names,
                   const struct finding *finding)
{
    char *figures = finding_figures(finding);
    char *name = finding->site == FINDING_NO_SITE
                     ? memory_text("")
                     : finding_call(profile, names, finding->site);
    char *text = memory_print("%s%s", name, figures);

    free(name);
    free(figures);
    return text;
}
