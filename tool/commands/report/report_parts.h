/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_parts.h - a report, worked out and not yet written, and its parts
 *
 * report.c parses, loads and sorts; report_text.c and report_json.c write with
 * the parts below.
 */
#pragma once

#include "tool/commands/load/load.h"
#include "tool/facets/facet.h"

/* rows and columns of a report */
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

/* sorted indices of the sites of one kind to show, and of their stacks */
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
    struct frame_names *frames; /* NULL: the source has no stacks */
    struct text_pool wrappers;  /* that are folded, beside those of the list */
    enum report_view view;
    const char *since;      /* the snapshot; NULL: none */
    uint64_t older_ns;      /* of REPORT_OLDER: it is so old at least */
    enum measure measure;   /* that trees of calls weigh by */
    const char *callers_of; /* --callers; NULL: all */
    bool is_reverse;        /* --reverse: from the outermost call on */
    struct call_tree tree;  /* of --callers and --reverse */
    size_t row;             /* --row, from 1: the only one; 0: all */
    size_t row_limit;       /* rows of each table; the rest is one row */
    bool is_full;           /* --full: with findings */
    bool is_screen;         /* the first screen, which has no stacks */
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

/* Return true if rows count from a snapshot. */
static inline bool report_has_snapshot(const struct report *report)
{
    return report->view >= REPORT_SINCE;
}

/* words of `--sort`; an order is the number of a word */
extern const struct word_list site_orders;

/* Return the only order by that measure. */
unsigned site_order_of(enum measure measure);

/* Return the measure of an order; live bytes for orders by name. */
enum measure site_order_measure(unsigned order);

/*
 * Sort indices of profile->callers, or of its stacks. Equal ones keep their
 * order.
 */
void site_order_sort(unsigned order, const struct profile *profile,
                     const struct site_names *names, bool has_stacks,
                     size_t *rows, size_t count);

/* Fill `rows` with those that pass the filter and the view. */
void report_choose_rows(struct report *report,
                        const struct allocinfo_filter *filter, unsigned order);

/* a stack or, without stacks, a site */
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

/* Write findings and rows in that form of result.h. */
void report_write_results(const struct report *report, unsigned form);

/* Write the whole report to stdout. */
void report_write_text(const struct report *report);
void report_write_json(const struct report *report);

/* Fill the tree of --callers or --reverse; return false if it is empty. */
bool report_make_tree(struct report *report);

/* Print that tree, or the callers of each of the first rows. */
void report_write_callers(const struct report *report);
void report_write_callers_of(const struct report *report,
                             const struct report_rows *rows);

/* Write the JSON of a running program; return COMMAND_DONE or COMMAND_USAGE. */
int report_write_live(const char *pid, const struct symbols_search *search,
                      FILE *out);

/* Who pins the heap's pages: sums and what could go back; the member
   "residency". */
void report_write_residency(const struct report *report);
void report_write_residency_json(struct json *json,
                                 const struct profile *profile);

/* Return the calls of a stack in one line, innermost first; the caller frees
   it. */
char *report_calls_of(const struct report *report,
                      const struct profile_stack *stack);
/* Print the chosen data point, if any; write it and the series of rows as
   members. */
void report_print_instant(const struct report *report);
void report_write_history_json(struct json *json, const struct report *report);

/* Print slabs and heaps; write them as the member "regions". */
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
 * For a trace of calls: print the first line; after the totals print peak,
 * timeline, failed requests and regions; write members of "lost" and of the
 * report.
 */
void report_calls_print_head(const struct report *report);
void report_calls_print(const struct report *report);
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
