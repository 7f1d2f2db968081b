/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - tally decode: the memory events of a trace, one a line
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool/commands/command.h"
#include "tool/commands/complaint.h"
#include "tool/commands/decode_lines.h"
#include "tool/commands/options.h"
#include "tool/commands/trace_losses.h"
#include "tool/model/trace.h"
#include "tool/model/trace_names.h"

struct decode_options {
    const char *source;
    const char *elf;
    bool is_json;
};

static const char help[] =
    "usage: tally decode [OPTION...] TRACE\n"
    "Print the memory events of a ZPL trace, one a line. TRACE is a CTF "
    "stream\n"
    "in any of ZPL's layouts, ZPL's text with whatever else a console shows, "
    "a\n"
    "CTF folder with metadata, or - for standard input. Damaged parts are\n"
    "skipped, and a line on standard error tells of them.\n"
    "\n"
    "  --elf=FILE    the program, for names of slabs, heaps and threads\n"
    "  --json        an array for scripts\n"
    "  --help        show this text\n"
    "  --version     show Tally's version\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage or no event in TRACE.\n";

static const struct option_rule rules[] = {
    { "elf", 0, OPTION_NAMES(struct decode_options, elf) },
    { "json", 0, OPTION_SETS(struct decode_options, is_json) },
    { NULL, 0, OPTION_END },
};

static const struct option_table table = {
    .command = "decode",
    .help = help,
    .rules = rules,
};

/* A live trace is shown as far as it has come. */
static void flush_lines(void *context)
{
    decode_lines_flush(context);
}

static int decode(const struct decode_options *options, struct trace *trace,
                  struct trace_names *names, struct decode_lines *lines)
{
    struct source_failure failure;
    struct trace_counts counts;
    struct zpl_event event;
    int got;

    decode_lines_open(lines, stdout, options->is_json);
    trace->before_read = flush_lines;
    trace->context = lines;
    while ((got = trace_next(trace, &event, &failure)) > 0 && !ferror(stdout))
        decode_lines_add(lines, &event, trace_names_find(names, &event));
    decode_lines_close(lines);
    if (got < 0)
        return complain_about_source(options->source, &failure);
    if (got > 0)
        return COMMAND_DONE; /* main() tells what is wrong with the output */
    trace_count(trace, &counts);
    trace_tell_losses(options->source, &counts);
    return trace_check(options->source, &counts);
}

static int run(const struct decode_options *options, struct trace *trace)
{
    struct source_failure failure;
    struct decode_lines *lines = malloc(sizeof *lines);
    struct trace_names *names;
    int status;

    if (lines == NULL)
        return complain("decode", "there is not enough memory",
                        "free some and try again");
    names = trace_names_open(trace, options->elf, &failure);
    if (names == NULL)
        status = complain_about_source(
            options->elf != NULL ? options->elf : options->source, &failure);
    else
        status = decode(options, trace, names, lines);
    trace_names_close(names);
    free(lines);
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
