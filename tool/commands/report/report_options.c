/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_options.c - what tally report is asked for
 */
#include "tool/commands/report/report_options.h"

#include <stdint.h>
#include <string.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/options/filter_options.h"
#include "tool/commands/options/symbol_options.h"
#include "tool/commands/options/unknown_value.h"

enum { DEFAULT_ROWS = 20 };

static const char help[] =
    "usage: tally report [OPTION...] SOURCE\n"
    "Show who holds the memory of a recorded program, call site by call site.\n"
    "SOURCE is a ledger that tally record wrote, - for standard input, the\n"
    "process id of a program that is being recorded, or a kernel's allocinfo\n"
    "file, or a trace of mem_trace's calls. Of a ZPL trace, show its stacks, "
    "heaps\n"
    "and slabs over time.\n"
    "Where stacks are known, also who called whom.\n"
    "\n"
    "  --peak           what lived when the heap held most\n"
    "  --leaks          what lives at the end, or now\n"
    "  --temporary      blocks freed before their thread allocated again\n"
    "  --lifetimes      how long blocks lived, stack by stack, if they were\n"
    "                   sampled\n"
    "  --callers=NAME   who called this function, and from where, as a tree\n"
    "  --reverse        a tree from the outermost call on\n"
    "  --sort=KEY       live (default), blocks, total, calls, peak, "
    "temporary,\n"
    "                   function, file or module\n"
    "  --top=N          show N rows and sum the rest in one (default 20; 0 "
    "all)\n" SUM_HELP FILTER_NAME_HELP FILTER_SIZE_HELP
    "  --all            sum all process images of the recording\n"
    "  --regions        show the slabs and heaps that the program shares out "
    "itself\n"
    "  --sizes          how large the blocks were that were asked for\n"
    "  --json[=indexed] for scripts: all rows unless --top is given; indexed:\n"
    "                   each frame once, in a table\n" SYMBOL_HELP
    "  --elf=FILE       of a trace: the program, for names\n"
    "  --load-address=ADDRESS  where that was loaded, if it was "
    "moved\n" METADATA_HELP
    "  --svg            of a trace: a picture for a browser\n"
    "  --color=WHEN     auto (default), always or never\n"
    "  --help           show this text\n"
    "  --version        show Tally's version\n";

static int take_order(const char *name, const char *value, void *field)
{
    const struct site_order *order = site_order_find(value);

    if (order == NULL)
        return complain_about_word(name, value, site_order_name);
    *(const struct site_order **)field = order;
    return COMMAND_GO_ON;
}

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
        { "--lifetimes", "total", REPORT_LIFETIMES },
    };
    struct report_options *options = whole;
    size_t i = 0;

    (void)value;
    while (strcmp(views[i].option, name) != 0)
        i++;
    if (options->view_option != NULL && options->view != views[i].view)
        return complain(
            name, "it is another view than the one before",
            "name one of --peak, --leaks, --temporary and --lifetimes");
    options->view = views[i].view;
    options->view_option = views[i].option;
    options->order = site_order_find(views[i].order);
    return COMMAND_GO_ON;
}

static int take_json(const char *name, const char *value, void *whole)
{
    struct report_options *options = whole;

    if (value != NULL && strcmp(value, "indexed") != 0)
        return complain_about_value(name, value, "indexed, or leave it out");
    options->has_json = true;
    options->is_indexed = value != NULL;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "sort", 0, OPTION_TAKES(take_order, struct report_options, order) },
    { "top", 0, OPTION_TAKES(option_take_rows, struct report_options, rows) },
    SUM_RULE(struct report_options, sum),
    FILTER_NAME_RULES(struct report_options, filter),
    FILTER_SIZE_RULES(struct report_options, filter),
    { "all", 0, OPTION_SETS(struct report_options, has_all) },
    { "peak", 0, OPTION_CALLS_WHOLE(set_view) },
    { "leaks", 0, OPTION_CALLS_WHOLE(set_view) },
    { "temporary", 0, OPTION_CALLS_WHOLE(set_view) },
    { "lifetimes", 0, OPTION_CALLS_WHOLE(set_view) },
    { "callers", 0, OPTION_NAMES(struct report_options, callers_of) },
    { "reverse", 0, OPTION_SETS(struct report_options, is_reverse) },
    { "sizes", 0, OPTION_SETS(struct report_options, has_sizes) },
    SYMBOL_RULES(struct report_options, search),
    /* Of traces, too, is what stands from here on. */
    { "regions", 0, OPTION_SETS(struct report_options, has_regions) },
    { "json", 0, OPTION_MAY_TAKE_WHOLE(take_json) },
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

int report_options_parse(int argc, char **argv, struct report_options *options)
{
    int status;

    *options = (struct report_options){
        .order = site_order_find("live"),
        .rows = { .limit = DEFAULT_ROWS },
    };
    status = options_read(&table, argc, argv, options);

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
