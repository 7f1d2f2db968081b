/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - a report, worked out and not yet written
 *
 * report.c parses, loads and sorts; report_text.c and report_json.c write, and
 * report_calls.c what there is more of a trace of calls.
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_H
#define TALLY_TOOL_COMMANDS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/images.h"
#include "tool/model/profile.h"
#include "tool/model/site_names.h"
#include "tool/model/trace_sum.h"
#include "tool/render/terminal.h"

/* One process image beside the first; unreadable ones have only a failure. */
struct report_image {
    const struct image_file *file;
    char *program;
    struct profile_amounts heap;
    bool is_readable;
};

struct report {
    const char *source; /* as the user named it */
    const struct profile *profile;
    const struct site_names *names;
    size_t *heap; /* indices of the HEAP sites to show, sorted */
    size_t heap_count;
    size_t *maps; /* likewise of the MAP sites */
    size_t map_count;
    size_t row_limit;      /* rows of each table; the rest is one row */
    bool is_sum_of_images; /* --all */
    struct report_image *images;
    size_t image_count;
    enum terminal_color color;
    bool has_regions;            /* --regions */
    const struct trace_sum *sum; /* of a trace, else NULL */
};

struct json;

/* "0", "1" or "never": vm.mem_profiling when the ledger was read. */
const char *report_profiling(const struct profile_image *image);

/* Both write to stdout; -1 without memory. */
int report_write_text(const struct report *report);
int report_write_json(const struct report *report);

/* Slabs and heaps: for people, and as a member of a report for scripts. */
int report_write_regions(const struct report *report);
void report_write_regions_json(struct json *json,
                               const struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_REPORT_H */
