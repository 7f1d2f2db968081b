/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - tally diff: growth from one source to another
 *
 * Sources may be recordings, traces and allocinfo texts in any mix.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/diff/diff_parts.h"
#include "tool/commands/load/load.h"
#include "tool/commands/options/command.h"
#include "tool/exporters/exporter.h"
#include "tool/model/names/names.h"
#include "tool/render/result.h"
#include "tool/tables/tables.h"
#include "tool/web/page.h"

enum { DEFAULT_ROWS = 20 };

/* No --value: compare live bytes, and check the peak. */
#define VALUE_NOT_SAID UINT_MAX

struct diff_options {
    struct source_options of;
    struct diff diff;
    struct elf_option elfs[2]; /* of traces */
    unsigned order, value;
    bool has_svg;
};

static int take_bound(const char *name, const char *value, void *whole)
{
    struct diff_options *options = whole;
    char *end;

    options->diff.bound = strtod(value, &end);
    if (end == value || end != value + strspn(value, "0123456789.") ||
        (*end != '\0' && strcmp(end + (*end == ' '), "%") != 0) ||
        !isfinite(options->diff.bound))
        return complain(name, "its argument is not a number",
                        "give a percentage such as 5, 0.5 or 5%");
    options->diff.has_bound = true;
    return COMMAND_GO_ON;
}

/* The first --elf is for both traces; a second one replaces the later. */
static int take_elf(const char *name, const char *value, void *field)
{
    struct elf_option *elfs = field;

    if (elfs[0].path != elfs[1].path)
        return complain(name, "it is given three times",
                        "give one for each trace");
    elfs[1].path = value;
    if (elfs[0].path == NULL)
        elfs[0].path = value;
    return COMMAND_GO_ON;
}

static int take_load_address(const char *name, const char *value, void *field)
{
    struct elf_option *elfs = field;
    bool is_first = !elfs[0].has_load_address;
    int status = elf_option_take_load_address(name, value, &elfs[1]);

    if (is_first) {
        elfs[0].has_load_address = true;
        elfs[0].load_address = elfs[1].load_address;
    }
    return status;
}

static const struct option_rule rules[] = {
    { "sort", OPTION_WORD(struct diff_options, order, comparison_orders),
      OPTION_OF_SITES },
    { "value", OPTION_WORD(struct diff_options, value, compared_value_words),
      OPTION_OF_SITES },
    { "svg", OPTION_SETS(struct diff_options, has_svg), OPTION_OF_SITES },
    { "html", OPTION_SETS(struct diff_options, diff.has_html) },
    { "fail-over", OPTION_TAKES_WHOLE(take_bound) },
    { "elf", OPTION_TAKES(take_elf, struct diff_options, elfs) },
    { "load-address",
      OPTION_TAKES(take_load_address, struct diff_options, elfs) },
    { "json", OPTION_JSON(struct diff_options, diff.form) },
    { "format",
      OPTION_WORD(struct diff_options, diff.form, result_form_words) },
    { "color",
      OPTION_WORD(struct diff_options, diff.color, terminal_color_words) },
    { 0 },
};

static const struct option_conflict excludes[] = {
    { "svg html json", "svg html json format", "each is a form of its own",
      "choose one" },
    { "svg html", "sort top sum file function module line inaccurate focus",
      "a picture shows all stacks", "leave out one" },
    { "svg", "value=blocks value=temporary", "an SVG shows bytes",
      "leave out --value, or choose another one" },
    { "svg", "hide leaf", "an SVG shows all frames", "leave out one" },
    { 0 },
};

static const struct option_table table = {
    .command = "diff",
    .help = help_diff,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_BLAME | OPTIONS_NAMES | OPTIONS_SUM | OPTIONS_TOP |
              OPTIONS_ALL | OPTIONS_PROCESS | OPTIONS_SYMBOLS |
              OPTIONS_METADATA,
    .rules = rules,
    .excludes = excludes,
};

static int parse(int argc, char **argv, struct diff_options *options)
{
    int status = options_read(&table, argc, argv, options);

    if (status != COMMAND_GO_ON)
        return status;
    if (argc - optind != 2)
        return complain("diff",
                        argc - optind < 2 ? "two sources are needed"
                                          : "more than two sources are given",
                        "see tally diff --help");
    options->diff.names[0] = argv[optind];
    options->diff.names[1] = argv[optind + 1];
    if (strcmp(argv[optind], "-") == 0 && strcmp(argv[optind + 1], "-") == 0)
        return complain("diff", "standard input can be read only once",
                        "name a file for the other source");
    if (options->diff.form == RESULT_JSON && !options->of.has_row_limit)
        options->of.row_limit = SIZE_MAX;
    return COMMAND_GO_ON;
}

/* Return 0, or -1 if growth is too large. */
static int write_diff(struct diff_options *options,
                      const struct comparison_side sides[2],
                      struct comparison *comparison)
{
    struct diff *diff = &options->diff;

    if (comparison_open(comparison, diff->value, sides) < 0)
        return -1;
    comparison_sort(comparison, options->order == 0 && diff->value->is_of_blocks
                                    ? 1 /* growth of blocks */
                                    : options->order);
    diff->comparison = comparison;
    diff->is_exceeded =
        diff->has_bound &&
        fmax(diff_least_percent(diff), diff_peak_percent(diff)) > diff->bound;
    if (options->has_svg)
        comparison_svg_write(stdout, diff->stacks,
                             &(struct comparison_title){ diff->names[0],
                                                         diff->names[1],
                                                         diff->is_lossy });
    else if (diff->has_html)
        page_write(stdout, &(struct page_subject){
                               .title = diff->names[1],
                               .comparison = diff->stacks,
                               .before = diff->names[0],
                               .after = diff->names[1],
                           });
    else if (diff->form == RESULT_JSON)
        diff_write_json(diff);
    else if (diff->form != RESULT_TEXT)
        diff_write_results(diff);
    else
        diff_write_text(diff);
    return 0;
}

static int compare_sides(struct diff_options *options,
                         struct comparison_side sides[2])
{
    const struct named_profile named[2] = { sides[0].of, sides[1].of };
    bool has_stacks =
        named[0].profile->has_stacks && named[1].profile->has_stacks;
    struct comparison comparison = { 0 };
    struct stack_comparison stacks = { 0 };
    struct diff *diff = &options->diff;
    int error;

    if (note_unknown_names(&options->of, named, 2))
        return COMMAND_USAGE;
    if ((options->of.choice.filter.mask != 0 ||
         options->of.choice.focus.count != 0) &&
        sides[0].count + sides[1].count == 0)
        return tell_line("no row of either source passes the filter; see "
                         "tally report for names");
    if (options->has_svg && !has_stacks)
        return complain("--svg", "it needs stacks in both sources",
                        "record them with tally record --stacks=all");
    for (unsigned i = 0; i < 2; i++) {
        diff->profiles[i] = named[i].profile;
        diff->is_lossy = diff->is_lossy || trust_is_lossy(named[i].profile);
    }
    diff->row_limit = options->of.row_limit;
    diff->has_peaks = options->value == VALUE_NOT_SAID;
    diff_find_sums(diff, sides, &options->of);
    if (has_stacks) {
        diff->stacks = &stacks;
        stack_comparison_open(&stacks, diff->value, named);
        for (unsigned i = 0; i < 2; i++) {
            sides[i].calls = stacks.calls[i].sites;
            sides[i].call_limit = stacks.numbers.count + UINT64_C(1);
        }
    }
    error = write_diff(options, sides, &comparison);
    comparison_close(&comparison);
    stack_comparison_close(&stacks);
    if (error < 0)
        return complain(diff->names[1], "growth exceeds 64 bits",
                        "choose fewer rows with --file or --module");
    return diff->is_exceeded ? COMMAND_NO : COMMAND_DONE;
}

static const struct compared_value *value_of(const struct diff_options *options)
{
    return &compared_values[options->value == VALUE_NOT_SAID ? 0
                                                             : options->value];
}

static int diff_sites(struct diff_options *options,
                      struct source_load sources[2])
{
    const struct compared_value *value = value_of(options);
    struct comparison_side sides[2] = { 0 };
    struct text_pool *wrappers = &options->diff.wrappers;
    int status = COMMAND_DONE;

    options->diff.value = value;
    for (unsigned i = 0; i < 2 && status == COMMAND_DONE; i++) {
        trace_tell_losses(sources[i].name, &sources[i].sum.counts);
        if (sources[i].is_trace)
            status = source_load_profile(&sources[i]);
        if (status == COMMAND_DONE) {
            enum measure unknown = compared_unknown(value, sources[i].profile);

            if (unknown != MEASURE_COUNT)
                status = complain_about_measure("--value", sources[i].profile,
                                                unknown, "use --value=live");
        }
        /* A page shows rows without callers, too. */
        if (status == COMMAND_DONE && options->diff.has_html)
            profile_begin_stacks(sources[i].profile);
        if (status == COMMAND_DONE)
            diff_side_open(&sides[i], &sources[i], &options->of, wrappers);
    }
    for (unsigned i = 0; i < 2 && status == COMMAND_DONE; i++)
        diff_side_choose(&sides[i], &options->diff, &options->of, i);
    if (status == COMMAND_DONE)
        status = compare_sides(options, sides);
    text_pool_free(wrappers);
    return status;
}

static int diff_sources(struct diff_options *options,
                        struct source_load sources[2])
{
    bool has_regions[2];

    for (unsigned i = 0; i < 2; i++)
        has_regions[i] =
            sources[i].is_trace && !trace_sum_has_calls(&sources[i].sum);
    if (has_regions[0] && has_regions[1])
        return trace_diff(
            &options->diff, options->of.of_sites,
            (const struct trace_sum[2]){ sources[0].sum, sources[1].sum });
    if (has_regions[0] || has_regions[1])
        return complain(sources[has_regions[0] ? 0 : 1].name,
                        "it is a trace of regions, but the other source is not",
                        "compare it with another such trace");
    if ((options->elfs[0].path != NULL || options->elfs[0].has_load_address) &&
        !sources[0].is_trace && !sources[1].is_trace)
        return complain(options->elfs[0].path != NULL ? "--elf"
                                                      : "--load-address",
                        "the sources are not traces", "leave it out");
    return diff_sites(options, sources);
}

/* Load one source at a time: the bytes of both may take too much memory. Only
   the sums of a trace are kept. */
static int load_sources(struct source_load sources[2])
{
    int status = COMMAND_DONE;

    for (unsigned i = 0; i < 2 && status <= COMMAND_DONE; i++) {
        status = source_load_open(&sources[i]);
        if (status == COMMAND_DONE)
            status = sources[i].is_trace ? source_load_sum(&sources[i])
                                         : source_load_profile(&sources[i]);
    }
    return status;
}

int command_diff(int argc, char **argv)
{
    struct diff_options options = { .of = { .row_limit = DEFAULT_ROWS },
                                    .value = VALUE_NOT_SAID };
    struct source_load sources[2];
    int status = parse(argc, argv, &options);

    if (status != COMMAND_GO_ON)
        return status;
    for (unsigned i = 0; i < 2; i++) {
        sources[i] = source_load_of(options.diff.names[i], &options.of);
        sources[i].elf = &options.elfs[i];
        sources[i].at = (struct history_wish){ HISTORY_UNUSED, 0 };
        sources[i].has_residency =
            options.diff.has_html ||
            value_of(&options)->bytes == MEASURE_RESIDENT;
    }
    source_load_choose_same(sources);
    status = load_sources(sources);
    if (status == COMMAND_DONE)
        status = diff_sources(&options, sources);
    for (unsigned i = 0; i < 2; i++)
        source_load_close(&sources[i]);
    return status;
}

int diff_between(const char *source, const struct history_wish times[2],
                 const struct source_options *of, unsigned form,
                 enum terminal_color color)
{
    struct diff_options options = {
        .of = *of, .diff = { .form = form, .color = color, .is_between = true }
    };
    struct source_load sources[2];
    int status;

    for (unsigned i = 0; i < 2; i++) {
        sources[i] = source_load_of(source, of);
        sources[i].elf = &options.elfs[i];
        sources[i].at = times[i];
        sources[i].has_all = false;
        sources[i].is_silent = i == 1;
    }
    status = strcmp(source, "-") == 0
                 ? complain("--between", "standard input can be read only once",
                            "name a file")
                 : load_sources(sources);
    if (status == COMMAND_DONE && (sources[0].is_trace || sources[1].is_trace))
        status = complain(source, "no history", "name a recording");
    for (unsigned i = 0; i < 2 && status == COMMAND_DONE; i++) {
        const struct history *history = &sources[i].profile->history;

        options.diff.names[i] = arena_print(
            sources[i].profile->arena, "at %.3f s of %s",
            history_seconds(history, history->instants[history->chosen].ns),
            source);
    }
    if (status == COMMAND_DONE)
        status = diff_sources(&options, sources);
    source_load_close(&sources[0]);
    source_load_close(&sources[1]);
    return status;
}
