/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - a page with all views, for a browser: tool/web/page.h */
#include "tool/exporters/exporter.h"
#include "tool/web/page.h"

static void write_html(const struct export_job *job, FILE *out,
                       struct export_result *result)
{
    struct page_subject subject = { .title = job->title,
                                    .regions = job->regions };

    (void)result;
    if (job->regions == NULL)
        subject =
            page_subject_of(job->title, job->profile, job->names, job->frames);
    subject.has_sources = job->has_sources;
    subject.processes = job->processes;
    subject.process_count = job->process_count;
    page_write(out, &subject);
}

const struct exporter exporter_html = {
    .summary = "a page with all views, for a browser",
    .write = write_html,
    .is_page = true,
};
