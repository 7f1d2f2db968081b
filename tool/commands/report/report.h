/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - a report, worked out and not yet written
 *
 * report.c parses, loads and sorts; report_text.c and report_json.c write, the
 * former with report_table.c, report_callers.c and report_trust.c; report_calls.c
 * writes what there is more of a trace of calls.
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_H
#define TALLY_TOOL_COMMANDS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/names/frame_names.h"
#include "tool/model/names/images.h"
#include "tool/model/names/site_names.h"
#include "tool/model/profile/measure.h"
#include "tool/model/profile/profile.h"
#include "tool/model/trace/trace_sum.h"
#include "tool/render/terminal.h"

/* One process image beside the first; unreadable ones have only a failure. */
struct report_image {
    const struct image_file *file;
    char *program;
    struct profile_amounts heap;
    bool is_estimate; /* for it was sampled */
    bool is_running;  /* when it was read */
    bool is_readable;
};

/* Which rows, and what is shown of them. */
enum report_view {
    REPORT_ALL,
    REPORT_PEAK,      /* what lived when the heap held most */
    REPORT_LEAKS,     /* what lives at the end, or now */
    REPORT_TEMPORARY, /* what was freed at once */
    REPORT_LIFETIMES, /* how long blocks lived, as samples tell */
};

struct report {
    const char *source; /* as the user named it */
    const struct profile *profile;
    const struct site_names *names;
    size_t *heap; /* indices of the HEAP sites to show, sorted */
    size_t heap_count;
    size_t *maps; /* likewise of the MAP sites */
    size_t map_count;
    struct frame_names *frames; /* NULL: the source knows no stacks */
    size_t *stacks;             /* indices of the stacks of `heap`, sorted */
    size_t stack_count;
    enum report_view view;
    enum measure measure;   /* that trees of calls weigh by */
    const char *callers_of; /* --callers; NULL: all */
    bool is_reverse;        /* --reverse: from the outermost call on */
    bool is_indexed;        /* --json=indexed: each frame is written once */
    size_t row_limit;       /* rows of each table; the rest is one row */
    bool is_sum_of_images;  /* --all */
    struct report_image *images;
    size_t image_count;
    enum terminal_color color;
    bool has_regions;            /* --regions */
    bool has_sizes;              /* --sizes */
    const struct trace_sum *sum; /* of a trace, else NULL */
};

struct json;

/* "0", "1" or "never": vm.mem_profiling when the ledger was read. */
const char *report_profiling(const struct profile_image *image);

/* Both write to stdout; -1 without memory. */
int report_write_text(const struct report *report);
int report_write_json(const struct report *report);

/* Parts of the text; -1 without memory. */
int report_write_table(const struct report *report, const size_t *sites,
                       size_t count, bool is_maps);
int report_write_callers(const struct report *report);
void report_write_trust(const struct report *report);

/* A line of its own, and any text as a terminal may see it. */
void report_print_heading(const struct report *report, const char *text);
void report_print_safe(const char *text);

/* How large blocks were, likewise. */
void report_write_sizes(const struct report *report);
void report_write_sizes_json(struct json *json, const struct profile *profile);

/* Resident memory and what it is used for, likewise. */
void report_write_resident(const struct report *report);
void report_write_resident_json(struct json *json,
                                const struct profile *profile);

/* Slabs and heaps: for people, and as a member of a report for scripts. */
int report_write_regions(const struct report *report);
void report_write_regions_json(struct json *json,
                               const struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_REPORT_H */
