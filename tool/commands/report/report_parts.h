/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_parts.h - a report, worked out and not yet written, and its parts
 *
 * report.c parses, loads and sorts; report_text.c and report_json.c write with
 * the parts below.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/text/allocinfo_text.h"
#include "tool/commands/load/process_tree.h"
#include "tool/facets/facet.h"
#include "tool/model/names/frame_names.h"
#include "tool/model/names/site_names.h"
#include "tool/model/profile/measure.h"
#include "tool/model/profile/profile.h"
#include "tool/model/trace/trace_sum.h"
#include "tool/render/json.h"
#include "tool/render/terminal.h"
#include "tool/tables/text_pool.h"

/* Which rows, and what is shown of them. */
enum report_view {
    REPORT_ALL,
    REPORT_PEAK,      /* what lived when the heap held most */
    REPORT_LEAKS,     /* what lives at the end, or now */
    REPORT_TEMPORARY, /* what was freed at once */
    REPORT_REALLOCS,  /* what realloc made grow */
    REPORT_RESIDENT,  /* what keeps pages in memory now */
    REPORT_LIFETIMES, /* how long blocks lived, as samples tell */
    REPORT_SINCE,     /* what was allocated and freed since a snapshot */
    REPORT_OLDER,     /* what lives since before one */
};

/* Sites of one kind to show, and their stacks: sorted indices. */
struct report_rows {
    size_t *sites;
    size_t site_count;
    size_t *stacks;
    size_t stack_count;
};

struct report {
    const char *source; /* as the user named it */
    const struct profile *profile;
    const struct site_names *names;
    struct report_rows rows[LEDGER_SITE_KINDS];
    struct frame_names *frames; /* NULL: the source knows no stacks */
    struct text_pool wrappers;  /* that are folded, beside those of the list */
    enum report_view view;
    const char *since;      /* the snapshot; NULL: none */
    uint64_t older_ns;      /* of REPORT_OLDER: it is so old at least */
    enum measure measure;   /* that trees of calls weigh by */
    const char *callers_of; /* --callers; NULL: all */
    bool is_reverse;        /* --reverse: from the outermost call on */
    size_t row;             /* --row, from 1: the only one; 0: all */
    size_t row_limit;       /* rows of each table; the rest is one row */
    bool is_full;           /* --full: with findings */
    bool is_sum_of_images;  /* --all */
    const char *process;    /* --process; NULL: the image that held most */
    const struct process_tree *processes; /* of the recording, if several */
    const struct process_image *chosen;   /* of these; NULL: none was */
    enum terminal_color color;
    bool has_regions;            /* --regions */
    bool has_sizes;              /* --sizes */
    bool has_series;             /* rows are those that were loaded */
    const struct trace_sum *sum; /* of a trace, else NULL */
    FILE *out;                   /* of JSON; NULL: stdout */
};

/* Whether rows are of the time since a snapshot. */
static inline bool report_has_snapshot(const struct report *report)
{
    return report->view >= REPORT_SINCE;
}

/* What `--sort` takes. An order is the number of a word. */
extern const struct word_list site_orders;

/* The order by that measure, which there is one of. */
unsigned site_order_of(enum measure measure);

/* What it asks for; live bytes where it goes by names. */
enum measure site_order_measure(unsigned order);

/*
 * Sort indices of profile->callers, or of its stacks. Equal ones keep their
 * order.
 */
void site_order_sort(unsigned order, const struct profile *profile,
                     const struct site_names *names, bool has_stacks,
                     size_t *rows, size_t count);

/* Fill `rows`, which report_free_rows() frees, with those that the filter and
   the view leave. */
void report_choose_rows(struct report *report,
                        const struct allocinfo_filter *filter, unsigned order);
void report_free_rows(struct report *report);

/* A stack or, where stacks are not known, a site. */
struct report_row {
    size_t site;
    const struct profile_stack *stack;
    const struct profile_amounts *amounts;
    const struct lifetimes *lifetimes; /* NULL: not sampled */
};

size_t report_row_count(const struct report *report,
                        const struct report_rows *rows);
struct report_row report_row_at(const struct report *report,
                                const struct report_rows *rows, size_t number);

/* A line of its own, and any text as a terminal may see it. */
void report_print_heading(const struct report *report, const char *text);

/* The first line: of `name` what a screen has room for beside `rest`. */
void report_print_head(const char *name, const char *rest);

/* The tree of process images, or in it those that held most. How many lines
   that took. */
size_t report_print_processes(const struct report *report, size_t limit);

/* Return the facets' view of the report, with the sections it asks for. */
struct facet_subject report_subject(const struct report *report);

/* Print the first screen. */
void report_write_screen(const struct report *report);

/* Findings and rows, in that form of result.h. */
void report_write_results(const struct report *report, unsigned form);

/* The whole report, to stdout. */
void report_write_text(const struct report *report);
void report_write_json(const struct report *report);

/* Trees of callers: of each of the rows, or with --callers and --reverse one of
   all. */
void report_write_callers(const struct report *report);
void report_write_callers_of(const struct report *report,
                             const struct report_rows *rows);

/* As JSON, of a program that runs: COMMAND_DONE, or COMMAND_USAGE. */
int report_write_live(const char *pid, const struct symbols_search *search,
                      FILE *out);

/* Who pins the heap's pages: sums and what could go back; the member
   "residency". */
void report_write_residency(const struct report *report);
void report_write_residency_json(struct json *json,
                                 const struct profile *profile);

/* The calls of a stack in one line, innermost first, for the caller to free. */
char *report_calls_of(const struct report *report,
                      const struct profile_stack *stack);
/* Which instant the report is of, if it is of one; and members of a report:
   that, and what rows held over time. */
void report_print_instant(const struct report *report);
void report_write_history_json(struct json *json, const struct report *report);

/* Slabs and heaps: for people, and as a member of a report for scripts. */
void report_write_regions(const struct report *report);
void report_write_regions_json(struct json *json,
                               const struct profile *profile);

/* How long blocks lived: a row for each stack, then the whole heap; the member
   "lifetimes", where NULL is that nothing was sampled. */
void report_write_lifetimes(const struct report *report);
void report_write_lifetimes_json(struct json *json,
                                 const struct profile *profile,
                                 const struct lifetimes *lifetimes);

/*
 * Of a trace of calls: the first line; behind the totals the peak, the line
 * over time, who was refused and regions; what of the trace is missing; members
 * of "lost", and of the report.
 */
void report_calls_print_head(const struct report *report);
void report_calls_print(const struct report *report);
void report_calls_print_losses(const struct report *report);
void report_calls_write_lost(struct json *json, const struct report *report);
void report_calls_write_json(struct json *json, const struct report *report);

/* Write members for all that is missing of a trace. */
void trace_losses_write(struct json *json, const struct trace_counts *counts);

/* Add what was live over time to regions that can be drawn. */
void report_calls_add_region(struct regions *regions,
                             const struct call_accounts *calls);

/* On the regions of a trace: the whole report, and the part of a report about
   calls. */
void trace_report(const struct report *report, unsigned form, bool has_svg);
void trace_report_print_regions(const struct regions *regions,
                                enum terminal_color color);
void trace_report_write_regions(struct json *json,
                                const struct regions *regions);
