/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - write a page with all views, for a browser: tool/web/page.h */
#include "tool/exporters/exporter.h"
#include "tool/web/page.h"

static void write_html(const struct export_job *job, FILE *out,
                       struct export_result *result)
{
    (void)result;
    page_write(out, &(struct page_subject){
                        .title = job->title,
                        .profile = job->profile,
                        .names = job->names,
                        .frames = job->frames,
                        .has_stacks = job->has_stacks,
                        .has_sources = job->has_sources,
                        .processes = job->processes,
                        .process_count = job->process_count,
                        .regions = job->regions,
                    });
}

const struct exporter exporter_html = {
    .summary = "a page with all views, for a browser",
    .write = write_html,
    .is_page = true,
};
