/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - tally report: who holds the memory
 *
 * This file is long because all that a report may be asked for is checked in
 * one place.
 */
#include <glob.h>
#include <sys/stat.h>

#include "tool/commands/diff/diff_parts.h"
#include "tool/commands/report/report_parts.h"
#include "tool/render/result.h"

struct report_options {
    struct source_options of;
    struct report report; /* what of it is asked for */
    unsigned order;       /* --sort; ORDER_NOT_SAID: the view's */
    unsigned view_order;
    unsigned form; /* of result_form_words */
    bool has_svg;
    const char *output; /* -o; NULL: standard output */
    bool is_forced;
    struct history_wish between[2];
    const char *view_option; /* "--peak" and so on; NULL without */
};

enum { DEFAULT_ROWS = 20 };

#define ORDER_NOT_SAID UINT_MAX

static int set_view(const char *name, const char *value, void *whole)
{
    static const struct {
        const char *option;
        const char *order;
        enum report_view view;
    } views[] = {
        { "--peak", "peak", REPORT_PEAK },
        { "--leaks", "live", REPORT_LEAKS },
        { "--temporary", "temporary", REPORT_TEMPORARY },
        { "--reallocs", "reallocs", REPORT_REALLOCS },
        { "--lifetimes", "total", REPORT_LIFETIMES },
        { "--since", "total", REPORT_SINCE },
        { "--resident", "resident", REPORT_RESIDENT },
    };
    struct report_options *options = whole;
    size_t i = 0;

    while (strcmp(views[i].option, name) != 0)
        i++;
    options->report.since = value;
    options->report.view = views[i].view;
    options->view_option = views[i].option;
    options->view_order = (unsigned)words_find(&site_orders, views[i].order);
    return COMMAND_GO_ON;
}

static int take_between(const char *name, const char *value, void *whole)
{
    struct report_options *options = whole;
    const char *comma = strchr(value, ',');
    OWNED char *first = NULL;
    int status;

    if (comma == NULL)
        return complain_about_value(name, value,
                                    "two times as --at takes them: T1,T2");
    first = memory_print("%.*s", (int)(comma - value), value);
    status = history_option_take(name, first, &options->between[0]);
    return status == COMMAND_GO_ON
               ? history_option_take(name, comma + 1, &options->between[1])
               : status;
}

static const char *const by_names[] = { "label" };
static const struct word_list by_words = WORDS(by_names);

static int take_by(const char *name, const char *value, void *whole)
{
    struct report_options *options = whole;

    options->of.choice.sum = (struct site_sum){ .by = SITE_SUM_LABEL };
    return words_find(&by_words, value) == 0
               ? COMMAND_GO_ON
               : complain_about_word(name, value, &by_words);
}

static const struct option_rule rules[] = {
    { "sort", OPTION_WORD(struct report_options, order, site_orders),
      OPTION_OF_SITES },
    { "peak", OPTION_CALLS_WHOLE(set_view), OPTION_OF_SITES },
    { "leaks", OPTION_CALLS_WHOLE(set_view), OPTION_OF_SITES },
    { "temporary", OPTION_CALLS_WHOLE(set_view), OPTION_OF_SITES },
    { "reallocs", OPTION_CALLS_WHOLE(set_view), OPTION_OF_SITES },
    { "lifetimes", OPTION_CALLS_WHOLE(set_view), OPTION_OF_SITES },
    { "since", OPTION_TAKES_WHOLE(set_view), OPTION_OF_SITES },
    { "older-than",
      OPTION_NUMBER(struct report_options, report.older_ns, parse_duration, 1,
                    UINT64_MAX, OPTION_DURATIONS),
      OPTION_OF_SITES },
    { "resident", OPTION_CALLS_WHOLE(set_view), OPTION_OF_SITES },
    { "between", OPTION_TAKES_WHOLE(take_between), OPTION_OF_SITES },
    { "callers", OPTION_NAMES(struct report_options, report.callers_of),
      OPTION_OF_SITES },
    { "row",
      OPTION_NUMBER(struct report_options, report.row, option_parse_count, 1,
                    SIZE_MAX, "the number of a row, from 1"),
      OPTION_OF_SITES },
    { "reverse", OPTION_SETS(struct report_options, report.is_reverse),
      OPTION_OF_SITES },
    { "sizes", OPTION_SETS(struct report_options, report.has_sizes),
      OPTION_OF_SITES },
    { "by", OPTION_TAKES_WHOLE(take_by), OPTION_OF_SITES, .words = &by_words },
    { "regions", OPTION_SETS(struct report_options, report.has_regions) },
    { "format", OPTION_WORD(struct report_options, form, result_form_words) },
    { "json", OPTION_JSON(struct report_options, form) },
    { "svg", OPTION_SETS(struct report_options, has_svg) },
    { "output", 'o', OPTION_NAMES(struct report_options, output) },
    { "force", 'f', OPTION_SETS(struct report_options, is_forced) },
    { "full", OPTION_SETS(struct report_options, report.is_full) },
    { "color",
      OPTION_WORD(struct report_options, report.color, terminal_color_words) },
    { 0 },
};

/* Options that name the rows, by call and by size. */
#define NAMES "file function module line focus inaccurate hide leaf"
#define SIZES "min-size max-size"
#define VIEWS "peak leaks temporary reallocs lifetimes resident"
#define FORMS "json format=json " MESSAGES
#define MESSAGES \
    "format=markdown format=github format=junit" /* rows and findings */

static const struct option_conflict excludes[] = {
    { VIEWS, VIEWS " since older-than", "each is a view of its own",
      "choose one" },
    { "between",
      VIEWS " " SIZES " since older-than at sort callers reverse row sizes "
            "regions svg full all",
      "a comparison of two times has rows of growth alone", "leave out one" },
    { "at", "peak temporary reallocs resident sizes all",
      "the history has live and allocated memory of one process image",
      "leave out one" },
    { "resident", "all", "processes share pages", "leave out --all" },
    { "since older-than", "all", "a snapshot is of one process image",
      "leave out --all" },
    { "callers", "reverse", "each is a tree of its own", "choose one" },
    { "callers reverse", FORMS, "a tree is text",
      "leave out one; --json has each whole stack" },
    { "callers reverse", "top sum by sort=function sort=file sort=module",
      "a tree has no rows", "leave out one" },
    { "callers", "hide", "hidden functions can be named, too",
      "leave out --hide" },
    { "by", "hide leaf", "rows are labels", "leave out one" },
    { "reverse", "hide leaf", "the tree shows all frames", "leave out one" },
    { "row", "top sizes", "--row shows one row alone", "leave out one" },
    { "sum", "by", "rows are summed once", "choose one" },
    { "sizes", MESSAGES, "these forms have no table of sizes",
      "leave out one, or use --json" },
    { "regions",
      VIEWS " " NAMES " " SIZES " since older-than at callers reverse sort "
            "top row sum by kind sizes full " MESSAGES,
      "regions have no call sites", "leave out one" },
    { "svg", FORMS, "an SVG is a form of its own", "choose one" },
    { 0 },
};

static const struct option_need needs[] = { { "force", "output" }, { 0 } };

static const struct option_table table = {
    .command = "report",
    .help = help_report,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_BLAME | OPTIONS_NAMES | OPTIONS_SIZES | OPTIONS_SUM |
              OPTIONS_TOP | OPTIONS_ALL | OPTIONS_PROCESS | OPTIONS_SYMBOLS |
              OPTIONS_METADATA | OPTIONS_ELF | OPTIONS_AT,
    .rules = rules,
    .excludes = excludes,
    .needs = needs,
};

/* Choose the view of older blocks; without a snapshot, read it twice. */
static int set_older(struct report_options *options)
{
    struct report *report = &options->report;

    if (report->since == NULL && !is_pid(report->source))
        return complain("--older-than", "a file does not tell",
                        "name an earlier snapshot with --since, or a process");
    report->view = REPORT_OLDER;
    options->view_order = (unsigned)words_find(&site_orders, "older");
    return COMMAND_GO_ON;
}

/* Return the recording of this folder that was written last; NULL: none. */
static const char *newest_recording(void)
{
    static glob_t found; /* owns the result */
    const char *newest = NULL;
    struct stat facts;
    uint64_t last = 0;

    if (glob("*.tally", 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i];
        uint64_t ns;

        if (stat(name, &facts) < 0 || !S_ISREG(facts.st_mode))
            continue;
        ns = (uint64_t)facts.st_mtim.tv_sec * UINT64_C(1000000000) +
             (uint64_t)facts.st_mtim.tv_nsec;
        if (ns < last || !is_ledger_file(name))
            continue;
        last = ns;
        newest = name;
    }
    return newest;
}

static int take_source(int argc, char **argv, const char **source)
{
    if (optind != argc)
        return options_take_one(&table, "source", argc, argv, source);
    *source = newest_recording();
    if (*source == NULL)
        return complain("report",
                        "no source is named, and no recording is here",
                        "see tally report --help");
    tell_line("%s is the newest recording here", *source);
    return COMMAND_GO_ON;
}

static const char *made; /* output file; NULL: none */

static void remove_made(void)
{
    unlink(made);
}

/* Let standard output be the file of -o. */
static int open_output(const struct report_options *options)
{
    const char *path = options->output;

    if (path == NULL || strcmp(path, "-") == 0)
        return COMMAND_GO_ON;
    if (make_way(options->is_forced, path, options->report.source) !=
        COMMAND_GO_ON)
        return COMMAND_USAGE;
    if (terminal_redirect(path) < 0)
        return complain_about_output(path);
    made = path;
    memory_undo(remove_made);
    return COMMAND_GO_ON;
}

static int parse(int argc, char **argv, struct report_options *options)
{
    int status = options_read(&table, argc, argv, options);

    if (status == COMMAND_GO_ON)
        status = take_source(argc, argv, &options->report.source);
    if (status == COMMAND_GO_ON && options->report.older_ns != 0)
        status = set_older(options);
    if (options->order == ORDER_NOT_SAID)
        options->order = options->view_order;
    options->report.is_sum_of_images = options->of.has_all;
    if (options->form == RESULT_JSON && !options->of.has_row_limit)
        options->of.row_limit = SIZE_MAX;
    options->report.row_limit = options->of.row_limit;
    options->report.measure = site_order_measure(options->order);
    return status;
}

/* Return true if the first screen is enough. */
static bool asks_nothing(const struct report_options *options)
{
    return !options->report.is_full && !options->of.asks_rows &&
           options->form != RESULT_JSON && !options->report.has_regions;
}

static int refuse_callers(const struct report *report,
                          const struct named_profile *named)
{
    char near[NEAR_SIZE] = "";

    return glob_is_known(report->callers_of, named, 1, near)
               ? tell_line("--callers=%s: in no stack of these rows; leave "
                           "out filters, or use --reverse",
                           report->callers_of)
               : tell_line("--callers=%s: matches no call%s",
                           report->callers_of, near);
}

static int write_report(struct report_options *options,
                        const struct named_profile *named)
{
    struct report *report = &options->report;
    int status = COMMAND_DONE;
    size_t shown = 0;

    report->is_screen =
        asks_nothing(options) && report->profile->calls == NULL &&
        report->profile->image_count > 0 && options->form == RESULT_TEXT;
    report_choose_rows(report, &options->of.choice.filter, options->order);
    for (size_t i = 0; i < LEDGER_SITE_KINDS; i++)
        shown += report->rows[i].site_count;
    if (!report_make_tree(report) && report->callers_of != NULL)
        status = refuse_callers(report, named);
    else if (report->row != 0 && shown != 1)
        status = complain("--row", "the report has fewer rows",
                          "leave it out to see them");
    else if (options->form == RESULT_JSON)
        report_write_json(report);
    else if (options->form != RESULT_TEXT)
        report_write_results(report, options->form);
    else if (report->has_regions)
        report_write_regions(report);
    else if (report->is_screen)
        report_write_screen(report);
    else
        report_write_text(report);
    return status;
}

/* Return true if only the regions of a trace, or a picture, are requested. */
static bool has_regions_alone(const struct report_options *options,
                              const struct trace_sum *sum)
{
    return !trace_sum_has_calls(sum) || options->has_svg ||
           (options->report.has_regions && options->form != RESULT_JSON &&
            sum->regions.count > 0);
}

/* Check that the source has what the options request. */
static int check(const struct report_options *options,
                 const struct profile *profile)
{
    const struct report *report = &options->report;
    const char *option =
        options->view_option != NULL ? options->view_option : "--sort";
    const char *tree = report->is_reverse           ? "--reverse"
                       : report->callers_of != NULL ? "--callers"
                                                    : NULL;

    if (tree != NULL && !profile->has_stacks)
        return complain(tree, "the source has no stacks",
                        "record with --stacks=all");
    if (options->of.choice.sum.by == SITE_SUM_LABEL && !profile->has_stacks)
        return complain("--by=label", "the source has no stacks",
                        "record with --stacks=all");
    if (report->view == REPORT_LIFETIMES &&
        (profile->sample_interval == 0 || profile->calls != NULL))
        return complain(option, "the source has no lifetimes",
                        "record with --stacks=sampled");
    if (report->view == REPORT_OLDER && profile->sample_interval != 0)
        return complain("--older-than", "samples do not tell it by this way",
                        "see tally report --lifetimes");
    if (report->since != NULL && profile->duration_ns < report->older_ns)
        return complain(report->since, "it is not so old",
                        "name an earlier snapshot with --since");
    if (report->has_sizes && !profile->has_sizes)
        return complain("--sizes", "the source has no block sizes",
                        "use a recording without --stacks=sampled");
    return measure_is_known(profile, report->measure)
               ? COMMAND_DONE
               : complain_about_measure(
                     option, profile, report->measure,
                     "use live, blocks, function, file or module");
}

static int report_sites(struct report_options *options,
                        struct source_load *load)
{
    struct report *report = &options->report;
    struct site_names *names;
    struct frame_names *frames;
    struct named_profile named;
    int status = source_load_profile(load);

    if (status == COMMAND_DONE)
        status = check(options, load->profile);
    if (status != COMMAND_DONE)
        return status;
    report->profile = load->profile;
    /* Who calls an allocator can be asked, too. */
    options->of.choice.fold.is_leaf =
        options->of.choice.fold.is_leaf || report->callers_of != NULL;
    names = sites_name(&options->of.choice, DEMANGLE_WITH_ARGUMENTS,
                       load->profile, &frames, &report->wrappers);
    named = (struct named_profile){ load->profile, names, frames };
    report->frames = report->profile->has_stacks ? frames : NULL;
    report->names = names;
    report->has_series = options->of.choice.sum.by == SITE_SUM_NONE;
    if (report->has_regions)
        region_names_find(load->profile, options->of.choice.search.sysroot);
    status = note_unknown_names(&options->of, &named, 1)
                 ? COMMAND_USAGE
                 : write_report(options, &named);
    text_pool_free(&report->wrappers);
    return status;
}

static int run(struct report_options *options, struct source_load *load)
{
    struct report *report = &options->report;
    struct trace_sum *sum = &load->sum;
    int status = source_load_open(load);

    load->has_all = report->is_sum_of_images; /* also beside a trace */
    report->sum = sum;
    report->processes = &load->processes;
    report->chosen = load->chosen;
    if (status == COMMAND_DONE && !load->is_trace &&
        (options->of.elf.path != NULL || options->of.elf.has_load_address ||
         options->has_svg))
        return complain("report",
                        "--elf, --load-address and --svg are for traces alone",
                        "draw a flame graph with tally export --to svg");
    if (status == COMMAND_DONE)
        status = source_load_sum(load);
    if (status != COMMAND_DONE)
        return status;
    if (!load->is_trace || !has_regions_alone(options, sum))
        return report_sites(options, load);
    if (trace_sum_has_calls(sum) && options->has_svg)
        report_calls_add_region(&sum->regions, &sum->calls);
    if (options->of.of_sites != NULL)
        return trace_refuse_option(options->of.of_sites);
    trace_report(report, options->form, options->has_svg);
    return COMMAND_DONE;
}

static int load_and_run(struct report_options *options)
{
    struct report *report = &options->report;
    struct source_load load = source_load_of(report->source, &options->of);
    int status;

    if (load.kinds == 0 && report->callers_of == NULL && !report->is_reverse)
        load.kinds = PROFILE_ALL;
    load.since = report->since;
    load.older_ns = report->older_ns;
    load.has_residency = report->view == REPORT_RESIDENT;
    load.is_exact = load.has_all;
    load.has_all = false; /* traces refuse it once they are open */
    load.is_silent = asks_nothing(options);
    report->process = load.process;
    status = run(options, &load);
    source_load_close(&load);
    return status;
}

int command_report(int argc, char **argv)
{
    struct report_options options = { .of = { .row_limit = DEFAULT_ROWS },
                                      .order = ORDER_NOT_SAID };
    int status = parse(argc, argv, &options);

    if (status == COMMAND_GO_ON)
        status = open_output(&options);
    if (status != COMMAND_GO_ON)
        return status;
    status = options.between[0].time != HISTORY_NONE
                 ? diff_between(options.report.source, options.between,
                                &options.of, options.form, options.report.color)
                 : load_and_run(&options);
    if (made != NULL && status == COMMAND_USAGE)
        remove_made();
    return status;
}

int report_write_live(const char *pid, const struct symbols_search *search,
                      FILE *out)
{
    struct report_options options = {
        .of = { .row_limit = SIZE_MAX, .choice.search = *search },
        .report = { .source = pid, .row_limit = SIZE_MAX, .out = out },
        .form = RESULT_JSON,
    };

    return load_and_run(&options);
}
