/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - tally report: who holds the memory
 */
#include "tool/commands/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/command.h"
#include "tool/commands/complaint.h"
#include "tool/commands/elf_option.h"
#include "tool/commands/filter_options.h"
#include "tool/commands/open_profile.h"
#include "tool/commands/open_trace_sum.h"
#include "tool/commands/report_calls.h"
#include "tool/commands/site_order.h"
#include "tool/commands/trace_report.h"
#include "tool/model/site_rows.h"
#include "tool/model/site_sum.h"

enum { DEFAULT_ROWS = 20 };

struct report_options {
    const char *source;
    const struct site_order *order;
    struct option_rows rows;
    bool has_json;
    bool has_svg;
    bool has_all;
    bool has_sum;
    bool has_regions;
    struct allocinfo_filter filter;
    struct symbols_search search;
    enum terminal_color color;
    struct elf_option elf;        /* if the source is a trace */
    struct trace_report of_trace; /* ... of regions alone */
};

static const char help[] =
    "usage: tally report [OPTION...] SOURCE\n"
    "Show who holds the memory of a recorded program, call site by call site.\n"
    "SOURCE is a ledger that tally record wrote, - for standard input, the\n"
    "process id of a program that is being recorded, or a kernel's allocinfo\n"
    "file, or a trace of mem_trace's calls. Of a ZPL trace, show its stacks, "
    "heaps\n"
    "and slabs over time.\n"
    "\n"
    "  --sort=KEY       live (default), blocks, total, calls, function, file "
    "or\n"
    "                   module\n"
    "  --top=N          show N rows and sum the rest in one (default 20; 0 "
    "all)\n"
    "  --sum            sum rows of the same file, line, function and "
    "module\n" FILTER_NAME_HELP FILTER_SIZE_HELP
    "  --all            sum all process images of the recording\n"
    "  --regions        show the slabs and heaps that the program shares out "
    "itself\n"
    "  --json           for scripts: all rows unless --top is given\n"
    "  --debuginfod     ask the servers in DEBUGINFOD_URLS for symbols\n"
    "  --elf=FILE       of a trace: the program, for names\n"
    "  --load-address=ADDRESS  where that was loaded, if it was moved\n"
    "  --svg            of a trace: a picture for a browser\n"
    "  --color=WHEN     auto (default), always or never\n"
    "  --help           show this text\n"
    "  --version        show Tally's version\n";

static int take_order(const char *name, const char *value, void *field)
{
    const struct site_order *order = site_order_find(value);

    if (order == NULL)
        return complain(
            name, "there is no such key",
            "use live, blocks, total, calls, function, file or module");
    *(const struct site_order **)field = order;
    return COMMAND_GO_ON;
}

static int set_network(const char *name, const char *value, void *field)
{
    (void)name;
    (void)value;
    *(enum symbols_network *)field = SYMBOLS_DEBUGINFOD;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "sort", 0, OPTION_TAKES(take_order, struct report_options, order) },
    { "top", 0, OPTION_TAKES(option_take_rows, struct report_options, rows) },
    { "sum", 0, OPTION_SETS(struct report_options, has_sum) },
    FILTER_NAME_RULES(struct report_options, filter),
    FILTER_SIZE_RULES(struct report_options, filter),
    { "all", 0, OPTION_SETS(struct report_options, has_all) },
    { "debuginfod", 0,
      OPTION_CALLS(set_network, struct report_options, search.network) },
    /* Of traces, too, is what stands from here on. */
    { "regions", 0, OPTION_SETS(struct report_options, has_regions) },
    { "json", 0, OPTION_SETS(struct report_options, has_json) },
    ELF_RULES(struct report_options, elf),
    { "svg", 0, OPTION_SETS(struct report_options, has_svg) },
    { "color", 0,
      OPTION_TAKES(option_take_color, struct report_options, color) },
    { NULL, 0, OPTION_END },
};

static void note_option(const struct option_rule *rule, void *whole)
{
    struct report_options *options = whole;

    if (!option_is_from(rules, "regions", rule))
        options->of_trace.foreign_option = rule->name;
}

static const struct option_table table = {
    .command = "report",
    .help = help,
    .rules = rules,
    .note = note_option,
};

static int parse(int argc, char **argv, struct report_options *options)
{
    int status = options_read(&table, argc, argv, options);

    if (status == COMMAND_GO_ON)
        status = filter_options_check(&options->filter);
    if (status == COMMAND_GO_ON)
        status =
            options_take_one(&table, "source", argc, argv, &options->source);
    options->of_trace.source = options->source;
    options->of_trace.color = options->color;
    options->of_trace.form = options->has_svg    ? TRACE_REPORT_SVG
                             : options->has_json ? TRACE_REPORT_JSON
                                                 : TRACE_REPORT_TEXT;
    if (options->has_json && !options->rows.is_given)
        options->rows.limit = SIZE_MAX;
    return status;
}

const char *report_profiling(const struct profile_image *image)
{
    static const char *const settings[] = {
        [LEDGER_CONTROL_OFF] = "0",
        [LEDGER_CONTROL_ON] = "1",
        [LEDGER_CONTROL_NEVER] = "never",
    };

    return settings[image->control];
}

static int choose_sites(struct report *report,
                        const struct report_options *options)
{
    const struct profile *profile = report->profile;
    struct site_rows rows;
    int error = site_rows_open(&rows, profile, report->names);

    report->heap = calloc(profile->site_count + 1, sizeof *report->heap);
    report->maps = calloc(profile->site_count + 1, sizeof *report->maps);
    if (report->heap == NULL || report->maps == NULL)
        error = -1;
    for (size_t i = 0; error == 0 && i < profile->site_count; i++) {
        if (!filter_options_match(&options->filter, &rows.rows[i],
                                  report->names->sites[i].module))
            continue;
        if (profile->sites[i].kind == LEDGER_SITE_MAP)
            report->maps[report->map_count++] = i;
        else
            report->heap[report->heap_count++] = i;
    }
    site_rows_close(&rows);
    if (error < 0)
        return -1;
    site_order_sort(options->order, profile, report->names, report->heap,
                    report->heap_count);
    site_order_sort(options->order, profile, report->names, report->maps,
                    report->map_count);
    return 0;
}

/* What one line about the image says; an unreadable one is said to be so. */
static int summarise_image(struct report_image *image)
{
    struct profile *profile = profile_create();
    struct source source;
    struct source_failure failure;
    int error = 0;

    if (profile == NULL)
        return -1;
    if (source_open_file(&source, image->file->path, &failure) == 0) {
        image->is_readable = source_load(&source, profile, &failure) == 0;
        source_close(&source);
    }
    if (image->is_readable) {
        profile_finish(profile);
        image->heap = profile->heap;
        image->program =
            strdup(profile->image_count > 0 ? profile->images[0].program : "?");
        error = image->program == NULL ? -1 : 0;
    }
    profile_destroy(profile);
    return error;
}

static int summarise_images(struct report *report,
                            const struct image_list *images)
{
    report->images = calloc(images->file_count + 1, sizeof *report->images);
    if (report->images == NULL)
        return -1;
    for (size_t i = 0; i < images->file_count; i++) {
        report->images[i].file = &images->files[i];
        report->image_count++;
        if (summarise_image(&report->images[i]) < 0)
            return -1;
    }
    return 0;
}

static int write_report(struct report *report,
                        const struct report_options *options,
                        const struct image_list *images)
{
    int error = choose_sites(report, options);

    if (error == 0 && !options->has_all)
        error = summarise_images(report, images);
    if (error == 0 && options->has_json)
        error = report_write_json(report);
    else if (error == 0 && options->has_regions)
        error = report_write_regions(report);
    else if (error == 0)
        error = report_write_text(report);
    for (size_t i = 0; i < report->image_count; i++)
        free(report->images[i].program);
    free(report->images);
    free(report->heap);
    free(report->maps);
    return error;
}

/* What a trace of regions alone is, or a picture of any: nothing is left. */
static int report_trace(struct report_options *options, struct trace_sum *sum)
{
    if (sum->calls.events > 0 &&
        report_calls_add_region(&sum->regions, &sum->calls) < 0)
        return complain("report", "there is not enough memory",
                        "free some and try again");
    return trace_report(&options->of_trace, sum);
}

/* Fill the profile; `*is_done`: there is none, and the report is written. */
static int load_trace(struct report_options *options, struct source *source,
                      struct profile *profile, struct trace_sum *sum,
                      bool *is_done)
{
    int status =
        open_trace_sum(source, options->source, options->elf.path, sum);

    if (status != COMMAND_DONE)
        return status;
    *is_done = sum->calls.events == 0 || options->has_svg;
    if (*is_done)
        return report_trace(options, sum);
    return open_calls(sum, options->source, &options->elf, profile);
}

static int load(struct report_options *options, struct profile *profile,
                struct trace_sum *sum, bool *is_done)
{
    struct source source;
    struct source_failure failure;
    int status = open_source(options->source, &source);

    if (status != COMMAND_DONE)
        return status;
    if (source.kind == SOURCE_TRACE)
        status = load_trace(options, &source, profile, sum, is_done);
    else if (options->elf.path != NULL || options->has_svg)
        status = complain("report", "--elf and --svg are for traces alone",
                          "draw a flame graph with tally export --to svg");
    else if (source_load(&source, profile, &failure) < 0)
        status = complain_about_source(options->source, &failure);
    source_close(&source);
    return status;
}

static int run(struct report_options *options, struct profile *profile,
               struct trace_sum *sum, const struct image_list *images)
{
    struct report report = {
        .source = options->source,
        .profile = profile,
        .row_limit = options->rows.limit,
        .is_sum_of_images = options->has_all,
        .color = options->color,
        .has_regions = options->has_regions,
        .sum = sum,
    };
    struct site_names *names;
    bool is_done = false;
    int status = load(options, profile, sum, &is_done);

    if (status == COMMAND_DONE && options->has_all && !is_done)
        status = open_all_images(images, profile);
    if (status != COMMAND_DONE || is_done)
        return status;
    profile_finish(profile);
    if (profile->lacks_totals && site_order_needs_totals(options->order))
        return complain("--sort", "the source has no totals",
                        "use live, blocks, function, file or module");
    names =
        site_names_create(profile, &options->search, DEMANGLE_WITH_ARGUMENTS);
    report.names = names;
    if (names == NULL || (options->has_sum && site_sum(profile, names) < 0) ||
        write_report(&report, options, images) < 0)
        status = complain("report", "there is not enough memory",
                          "free some and try again");
    site_names_destroy(names);
    return status;
}

int command_report(int argc, char **argv)
{
    struct report_options options = {
        .order = site_order_find("live"),
        .rows = { .limit = DEFAULT_ROWS },
    };
    struct trace_sum sum = { 0 };
    struct image_list images;
    struct profile *profile;
    int status = parse(argc, argv, &options);

    if (status != COMMAND_GO_ON)
        return status;
    profile = profile_create();
    if (images_open(&images, options.source) < 0 || profile == NULL)
        status = complain("report", "there is not enough memory",
                          "free some and try again");
    else
        status = run(&options, profile, &sum, &images);
    images_close(&images);
    profile_destroy(profile);
    trace_sum_close(&sum);
    return status;
}
