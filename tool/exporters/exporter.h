/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporter.h - a profile or a trace, written for another tool's viewer
 *
 * To add a format: write one file NAME.c that defines a struct exporter_NAME,
 * add a row to the table of exporters.c, and give it cases in tests/cli/export.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/model/compare/compare.h"
#include "tool/model/names/frame_names.h"
#include "tool/model/names/site_names.h"
#include "tool/model/profile/measure.h"
#include "tool/model/profile/profile.h"
#include "tool/model/trace/trace.h"
#include "tool/model/trace/trace_names.h"

struct export_job {
    const struct profile *profile; /* finished; NULL: there are regions */
    const struct site_names *names;
    struct frame_names *frames; /* of the profile's stacks, all known */
    bool has_stacks; /* the source knew them; else each is a site alone */
    enum measure measure;
    bool has_sources;   /* lines of source are shown */
    bool has_inherited; /* live values of what was there before, too */
    const struct page_process *processes;
    size_t process_count;
    const char *title;             /* what the source is called */
    const struct regions *regions; /* of a trace; else NULL */
};

struct export_result {
    size_t negative;   /* places left out because their value is below 0 */
    uint64_t left_out; /* allocations that the format has no room for */
    uint64_t too_many; /* blocks for it: nothing was written */
};

/* Where a trace goes. */
struct export_files {
    FILE *out;
    FILE *metadata; /* with has_metadata, if it goes to a folder; or NULL */
};

struct exporter {
    const char *summary; /* one line for --help */
    /* NULL: not for profiles. Write errors stay in the FILE. */
    void (*write)(const struct export_job *job, FILE *out,
                  struct export_result *result);
    /*
     * NULL: not for traces. Read the trace and write it. 0, or -1 with the
     * reason; of what is no trace nothing is written.
     */
    int (*write_trace)(struct trace *trace, struct trace_names *names,
                       const struct export_files *files,
                       struct source_failure *failure);
    const char *suffix; /* the viewer knows a file by it; NULL: by any */
    bool has_metadata;  /* FILE is a folder, with `stream` and `metadata` */
    bool is_by_blame;   /* sites of its job are the calls to blame: blame.h */
    bool is_page;       /* likewise; a job may be of regions */
};

/* All of them, and what each is called: `tally export --to NAME`. */
extern const struct exporter *const exporter_list[];
extern const struct word_list exporter_names;

extern const struct exporter exporter_pprof;

/* The finished profile as `job` says, which is filled in but for what may be
   zero; for free(). */
char *pprof_of(struct profile *profile, const struct symbols_search *search,
               struct export_job job, size_t *size);

/* What is compared is called, and whether one of both lacks something. */
struct comparison_title {
    const char *before;
    const char *after;
    bool is_lossy;
};

/*
 * A flame graph of what grew, for any browser. A call is as wide as the more of
 * what it held before and after; what grew is red and what shrank blue, the
 * more so the larger its part. Write errors stay in the FILE.
 */
void comparison_svg_write(FILE *out, const struct stack_comparison *comparison,
                          const struct comparison_title *title);
