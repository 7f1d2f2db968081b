/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c - tally decode: print the memory events of a trace, one a line */
#include "tool/commands/load/load.h"
#include "tool/commands/trace/decode_lines.h"

struct decode_options {
    struct source_options of;
    const char *source;
    bool is_json;
};

/* Names for events; callers are opened at the first call. */
struct decode_names {
    struct trace_program program;
    struct trace_names *regions;
    struct caller_modules modules;
    struct caller_names *callers;
};

static const struct option_rule rules[] = {
    { "json", OPTION_SETS(struct decode_options, is_json) },
    { 0 },
};

static const struct option_table table = {
    .command = "decode",
    .help = help_decode,
    .arguments = ARGUMENT_FILE,
    .shared = OPTIONS_METADATA | OPTIONS_ELF,
    .rules = rules,
};

/* Print all lines before waiting for more. */
static void flush_lines(void *context)
{
    decode_lines_flush(context);
}

/* Open names of callers. Text without names is mem_trace's own line. Return
   COMMAND_DONE, or COMMAND_USAGE after a complaint. */
static int open_callers(const struct decode_options *options,
                        struct decode_names *names)
{
    int status = COMMAND_DONE;

    if (options->is_json || options->of.elf.path != NULL)
        status =
            elf_option_add(&options->of.elf, &names->program, &names->modules);
    if (status != COMMAND_DONE)
        return status;
    names->callers = caller_names_open(&names->modules);
    return COMMAND_DONE;
}

static int add_line(const struct decode_options *options,
                    struct decode_names *names, struct decode_lines *lines,
                    const struct trace_event *event)
{
    const char *name;

    if (event->kind == TRACE_EVENT_REGION) {
        name = trace_names_find(names->regions, &event->region);
    } else {
        if (names->callers == NULL &&
            open_callers(options, names) != COMMAND_DONE)
            return COMMAND_USAGE;
        name = caller_names_find(names->callers, event->call.caller);
    }
    decode_lines_add(lines, event, name);
    return COMMAND_DONE;
}

static int decode(const struct decode_options *options, struct trace *trace,
                  struct decode_names *names, struct decode_lines *lines)
{
    struct source_failure failure;
    struct trace_counts counts;
    struct trace_event event;
    int status = COMMAND_DONE, got;

    decode_lines_open(lines, stdout, options->is_json);
    trace->before_read = flush_lines;
    trace->context = lines;
    while ((got = trace_next(trace, &event, &failure)) > 0 &&
           status == COMMAND_DONE && !ferror(stdout))
        status = add_line(options, names, lines, &event);
    decode_lines_close(lines);
    if (status != COMMAND_DONE)
        return status;
    if (got < 0)
        return complain_about_source(options->source, &failure);
    if (got > 0)
        return COMMAND_DONE; /* main() reports errors of the output */
    trace_count(trace, &counts);
    status = trace_check(options->source, &counts);
    if (status == COMMAND_DONE)
        trace_tell_losses(options->source, &counts);
    if (status == COMMAND_DONE && counts.events == 0 && options->is_json)
        fputs("[\n]\n", stdout);
    return status;
}

static int run(const struct decode_options *options, struct trace *trace)
{
    struct source_failure failure;
    static struct decode_lines lines; /* too large for a stack */
    struct decode_names names = { .program = trace_program_find(trace) };
    const char *elf = elf_option_program(&options->of.elf);
    int status;

    names.regions = trace_names_open(trace, elf, &failure);
    if (names.regions == NULL)
        status = complain_about_source(elf != NULL ? elf : options->source,
                                       &failure);
    else
        status = decode(options, trace, &names, &lines);
    trace_names_close(names.regions);
    caller_names_close(names.callers);
    caller_modules_close(&names.modules);
    trace_program_close(&names.program);
    return status;
}

int command_decode(int argc, char **argv)
{
    struct decode_options options = { 0 };
    struct source_failure failure;
    struct trace trace;
    int status = options_read(&table, argc, argv, &options);

    if (status == COMMAND_GO_ON)
        status = options_take_one(&table, "trace", argc, argv, &options.source);
    if (status != COMMAND_GO_ON)
        return status;
    if (trace_open(&trace, options.source, &failure) < 0)
        return complain_about_source(options.source, &failure);
    status = run(&options, &trace);
    trace_close(&trace);
    return status;
}
