/* SPDX-License-Identifier: Apache-2.0 */
/* findings_facet.c - problems worth fixing, a line each */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/facets/facet.h"
#include "tool/model/findings/findings.h"
#include "tool/render/result.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

enum {
    LEAST_OF_LINE = 16, /* of a name that is cut: "server.c:120)" */
    LEAST_OF_FILE = 6,  /* where no line is known */
    LEAST = 22,
    COLUMNS = 80,
    NARROWEST = 40,
};

/* Cut the beginning of the file first, then that of the function. */
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

char *facet_call_name(const struct facet_subject *subject, size_t site,
                      unsigned room)
{
    return cut_name(finding_call(subject->profile, subject->names, site), room);
}

static unsigned columns(void)
{
    unsigned width = terminal_width(stdout);

    return width < NARROWEST ? COLUMNS : width;
}

static void print_finding(const struct facet_subject *subject,
                          const struct finding *finding)
{
    char *figures = finding_figures(finding), *line, *safe;
    char *name =
        finding->site == FINDING_NO_SITE
            ? memory_text("")
            : facet_call_name(subject, finding->site,
                              columns() - 11 - terminal_columns(figures));

    line = memory_print(" %-9s %s%s", finding->kind, name, figures);
    safe = memory_or_exit(escape_copy(ESCAPE_TERMINAL, line));
    terminal_write_cut(stdout, safe, columns(), "...", false);
    putchar('\n');
    free(figures);
    free(name);
    free(line);
    free(safe);
}

void findings_print(const struct facet_subject *subject,
                    const struct findings *findings, size_t shown)
{
    char *unjudged = findings_unjudged(findings), *line;
    char heading[64];

    snprintf(heading, sizeof heading,
             shown < findings->count ? "Findings (%zu of %zu; --full)"
                                     : "Findings",
             shown, findings->count);
    facet_print_heading(subject, heading);
    if (findings->count == 0 && unjudged == NULL)
        puts(
            "  none: no leak, growth, churn or unused memory beyond the usual");
    for (size_t i = 0; i < shown; i++)
        print_finding(subject, &findings->found[i]);
    if (unjudged != NULL) {
        line = memory_print(
            "  %s%s",
            findings->count == 0 && findings->has_judged ? "none; " : "",
            unjudged);
        terminal_write_cut(stdout, line, columns(), "...", false);
        putchar('\n');
        free(line);
    }
    free(unjudged);
}

static void print_findings(const struct facet_subject *subject)
{
    struct findings findings;

    findings_find(&findings, subject->profile);
    if (findings.count > 0 || findings.unjudged_count > 0)
        findings_print(subject, &findings, findings.count);
}

static void write_findings(const struct facet_subject *subject,
                           struct json *json)
{
    struct findings findings;
    const struct finding *found = findings.found;

    findings_find(&findings, subject->profile);
    json_begin(json, "findings", JSON_ARRAY);
    for (size_t i = 0; i < findings.count; i++) {
        char *text = finding_text(subject->profile, subject->names, &found[i]);

        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "kind", found[i].kind);
        json_string(json, "text", text);
        json_signed(json, "bytes", found[i].bytes);
        json_unsigned(json, "blocks", found[i].blocks);
        json_fraction(json, "share", found[i].share);
        json_unsigned(json, "others", found[i].others);
        json_string(json, "option", found[i].option);
        json_string(json, "page", found[i].page);
        if (found[i].site != FINDING_NO_SITE)
            result_write_name(json, &subject->names->sites[found[i].site]);
        json_end(json);
        free(text);
    }
    json_end(json);
    json_begin(json, "not_judged", JSON_ARRAY);
    for (size_t i = 0; i < findings.unjudged_count; i++) {
        json_begin(json, NULL, JSON_LINE_OBJECT);
        json_string(json, "kind", findings.unjudged[i].kind);
        json_string(json, "why",
                    findings.coverage.why[findings.unjudged[i].lacks]);
        json_end(json);
    }
    json_end(json);
}

/* Return the heaviest stack of a site; NULL: unknown. */
static const struct profile_stack *heaviest(const struct facet_subject *subject,
                                            size_t site)
{
    const struct stacks *stacks = &subject->profile->stacks;
    const struct profile_stack *found = NULL;

    for (size_t i = 0; subject->frames != NULL && i < stacks->stack_count;
         i++) {
        const struct profile_stack *stack = &stacks->stacks[i];

        if (stack->site == site &&
            (found == NULL ||
             stack->amounts.alloc_bytes > found->amounts.alloc_bytes))
            found = stack;
    }
    return found;
}

static void add_results(const struct facet_subject *subject,
                        struct result_list *list)
{
    struct findings findings;
    const struct finding *found = findings.found;
    char *unjudged;

    findings_find(&findings, subject->profile);
    for (size_t i = 0; i < findings.count; i++) {
        struct result result = {
            .state = RESULT_FOUND,
            .rule = memory_text(found[i].kind),
            .message =
                finding_text(subject->profile, subject->names, &found[i]),
        };

        if (found[i].site != FINDING_NO_SITE)
            result_add_calls(&result, subject->names, subject->frames,
                             heaviest(subject, found[i].site), found[i].site);
        result_add(list, &result);
    }
    unjudged = findings_unjudged(&findings);
    if (unjudged != NULL)
        result_add(list,
                   &(struct result){ .state = RESULT_UNJUDGED,
                                     .rule = memory_text("findings"),
                                     .message = memory_text(
                                         unjudged + strlen("not judged: ")) });
    free(unjudged);
}

const struct facet findings_facet = {
    .request = FACET_FINDINGS,
    .print = print_findings,
    .write = write_findings,
    .results = add_results,
};
