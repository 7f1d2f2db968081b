/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporter.h - write a profile or a trace for another tool's viewer
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
#include "tool/model/names/names.h"
#include "tool/model/profile/measure.h"
#include "tool/model/profile/profile.h"
#include "tool/model/trace/trace.h"
#include "tool/model/trace/trace_names.h"

struct export_job {
    const struct profile *profile; /* finished; NULL: export regions */
    const struct site_names *names;
    struct frame_names *frames; /* names of the profile's stacks, complete */
    bool has_stacks; /* the source has stacks; else each is one site */
    enum measure measure;
    bool has_sources;   /* show lines of source */
    bool has_inherited; /* count live bytes of inherited blocks */
    const struct page_process *processes;
    size_t process_count;
    const char *title;             /* name of the source */
    const struct regions *regions; /* of a trace; or NULL */
};

struct export_result {
    size_t negative;   /* places left out: negative value */
    uint64_t left_out; /* allocations beyond the format's limit */
    uint64_t too_many; /* too many blocks: nothing was written */
};

/* Outputs of a trace. */
struct export_files {
    FILE *out;
    FILE *metadata; /* with has_metadata, in a folder; or NULL */
};

struct exporter {
    const char *summary; /* one line for --help */
    /* NULL: not for profiles. Write errors stay in the FILE. */
    void (*write)(const struct export_job *job, FILE *out,
                  struct export_result *result);
    /*
     * NULL: not for traces. Read the trace and write it. Return 0, or -1 with
     * the reason; write nothing if the source is no trace.
     */
    int (*write_trace)(struct trace *trace, struct trace_names *names,
                       const struct export_files *files,
                       struct source_failure *failure);
    const char *suffix; /* suffix that the viewer expects; NULL: any */
    bool has_metadata;  /* output: folder of `stream` and `metadata` */
    bool is_by_blame;   /* sites are charged to callers: blame.h */
    bool is_page;       /* the page: also charged to callers, and for regions */
};

/* All exporters, and their names: `tally export --to NAME`. */
extern const struct exporter *const exporter_list[];
extern const struct word_list exporter_names;

extern const struct exporter exporter_pprof;

/* Export a finished profile to pprof; return the bytes, for free(). Profile and
   names of `job` are filled in. */
char *pprof_of(struct profile *profile, const struct symbols_search *search,
               struct export_job job, size_t *size);

/* Titles of a comparison, and whether a side lost data. */
struct comparison_title {
    const char *before;
    const char *after;
    bool is_lossy;
};

/*
 * Write a flame graph of growth, for any browser. A call's width is the larger
 * of both sides; growth is red and shrinkage blue, in proportion to its share.
 * Write errors stay in the FILE.
 */
void comparison_svg_write(FILE *out, const struct stack_comparison *comparison,
                          const struct comparison_title *title);
