/* SPDX-License-Identifier: Apache-2.0 */
/* report_findings.c - findings in words, cut to the line */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/report/report_parts.h"
#include "tool/model/findings/findings.h"
#include "tool/tables/memory.h"

enum {
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
    return cut_name(finding_call(report->profile, report->names, number), room);
}

char *report_finding_text(const struct report *report,
                          const struct finding *finding, unsigned room)
{
    char *figures = finding_figures(finding);
    char *name = finding->site == FINDING_NO_SITE
                     ? memory_text("")
                     : report_call_name(report, finding->site,
                                        room - terminal_columns(figures));
    char *text = memory_print("%s%s", name, figures);

    free(name);
    free(figures);
    return text;
}
