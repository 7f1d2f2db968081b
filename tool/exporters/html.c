/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - a page with all views, for a browser: tool/web/page.h */
#include <stdlib.h>

#include "tool/exporters/exporter.h"
#include "tool/tables/memory.h"
#include "tool/web/page.h"

/* "serve (server.c:120)"; for the caller to free. */
static char *call_name(const struct export_job *job, size_t site)
{
    const struct site_name *name = &job->names->sites[site];
    char *line, *text;

    if (name->function == NULL)
        return memory_text(name->module == NULL ? "?" : name->module);
    if (name->file == NULL)
        return memory_text(name->function);
    line = site_line(base_name(name->file), name->line);
    text = memory_print("%s (%s)", name->function, line);
    free(line);
    return text;
}

static void write_profile(const struct export_job *job, FILE *out)
{
    struct finding found[FINDING_COUNT];
    struct page_finding findings[FINDING_COUNT];
    struct page_subject subject = {
        .profile = job->profile,
        .names = job->names,
        .frames = job->frames,
        .title = job->title,
        .findings = findings,
        .finding_count = findings_find(job->profile, found),
    };
    char *names[FINDING_COUNT] = { NULL };

    for (size_t i = 0; i < subject.finding_count; i++) {
        if (found[i].site != FINDING_NO_SITE)
            names[i] = call_name(job, found[i].site);
        findings[i] = (struct page_finding){ found[i], names[i] };
    }
    page_write(out, &subject);
    for (size_t i = 0; i < subject.finding_count; i++)
        free(names[i]);
}

static void write_html(const struct export_job *job, FILE *out,
                       struct export_result *result)
{
    const struct page_subject regions = { .title = job->title,
                                          .regions = job->regions };

    (void)result;
    if (job->regions != NULL)
        page_write(out, &regions);
    else
        write_profile(job, out);
}

const struct exporter exporter_html = {
    .name = "html",
    .summary = "a page with all views, for a browser",
    .write = write_html,
    .is_page = true,
};
