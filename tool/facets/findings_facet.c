/* SPDX-License-Identifier: Apache-2.0 */
/* findings_facet.c - problems worth fixing, a line each */
#include "tool/facets/facet.h"
#include "tool/model/findings/findings.h"
#include "tool/render/result.h"

/* least columns of a function that is cut, and of "(server.c:120)" */
enum { LEAST = 8, LEAST_OF_LINE = 17 };

/* Return `text` cut to `room` columns, `first` of them for its start; the
   caller frees it. */
static char *cut_text(const char *text, int first, int room)
{
    int all = (int)terminal_columns(text);

    if (all <= room)
        return memory_text(text);
    return memory_print(
        "%.*s...%s", (int)(terminal_skip(text, (unsigned)first) - text), text,
        terminal_skip(text, (unsigned)(all - room + first + 3)));
}

/* Cut the start of the file, or leave out a module; then cut outer scopes, or
   else the middle of the function, or leave it out before a line. */
static char *cut_name(char *name, int room)
{
    char *bracket = strrchr(name, '('), *function, *line, *shown;
    int over = (int)terminal_columns(name) - room, width;
    bool has_line = bracket != NULL && strchr(bracket, ':') != NULL;

    if (over <= 0 || bracket == NULL || bracket == name)
        return name;
    bracket[-1] = '\0';
    width = (int)terminal_columns(bracket) - over;
    line = has_line ? cut_text(bracket, 1,
                               width < LEAST_OF_LINE ? LEAST_OF_LINE : width)
                    : memory_text("");
    room -= has_line ? 1 + (int)terminal_columns(line) : 0;
    if (!has_line && room < LEAST)
        room = LEAST;
    function =
        room < LEAST && (int)terminal_columns(name) > room
            ? memory_text("")
            : cut_text(name, strstr(name, "::") == NULL ? (room - 2) / 2 : 0,
                       room);
    shown = memory_print("%s%s%s", function,
                         has_line && function[0] != '\0' ? " " : "", line);
    free(line);
    free(function);
    free(name);
    return shown;
}

char *facet_call_name(const struct facet_subject *subject, size_t site,
                      int room)
{
    return cut_name(finding_call(subject->profile, subject->names, site), room);
}

static void print_finding(const struct facet_subject *subject,
                          const struct finding *finding)
{
    OWNED char *figures = finding_figures(finding);
    OWNED char *name =
        finding->site == FINDING_NO_SITE
            ? memory_text("")
            : facet_call_name(subject, finding->site,
                              terminal_room(stdout) - 11 -
                                  (int)terminal_columns(figures));

    facet_print_line(memory_print(" %-9s %s%s", finding->kind, name, figures));
}

void findings_print(const struct facet_subject *subject,
                    const struct findings *findings, size_t shown)
{
    OWNED char *unjudged = findings_unjudged(findings);
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
    if (unjudged != NULL)
        facet_print_line(memory_print(
            "  %s%s",
            findings->count == 0 && findings->has_judged ? "none; " : "",
            unjudged));
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
        OWNED char *text =
            finding_text(subject->profile, subject->names, &found[i]);

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
    OWNED char *unjudged = NULL;

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
}

const struct facet findings_facet = {
    .request = FACET_FINDINGS,
    .print = print_findings,
    .write = write_findings,
    .results = add_results,
};
