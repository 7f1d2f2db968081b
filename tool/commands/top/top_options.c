/* SPDX-License-Identifier: Apache-2.0 */
/* top_options.c - what `tally top` is asked for; see top_options.h */
#include "tool/commands/top/top_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/elf_option.h"
#include "tool/commands/options/filter_options.h"
#include "tool/commands/options/symbol_options.h"
#include "tool/commands/options/unknown_value.h"

static const char help[] =
    "usage: tally top [OPTION]... [PID|FILE|SOURCE]\n"
    "\n"
    "Watch who holds the memory of a program that runs under tally record, or\n"
    "of a kernel by its allocinfo file, or look at a ledger. Without PID or\n"
    "FILE, the newest recording of yours. Of a ZPL trace, what of each region "
    "is\n"
    "used: FILE may be one that tally capture is writing, SOURCE is one of "
    "its.\n"
    "\n"
    "  -d, --delay=SECONDS  time between two refreshes, at least 0.1; default "
    "1\n"
    "  -n, --count=COUNT    end after COUNT refreshes\n"
    "  -s, --sort=KEY       live, blocks, total, rate or function; default "
    "live\n"
    "  -r, --rows=COUNT     rows of plain text; default 20\n"
    "  -a, --all            with all processes below it that run; of a FILE, "
    "all\n"
    "                       other images of the recording\n"
    "\n" SUM_HELP FILTER_NAME_HELP FILTER_SIZE_HELP SYMBOL_HELP METADATA_HELP
    "\n"
    "  -h, --help           this text\n"
    "  -V, --version        version of tally and of its ledgers\n"
    "\n"
    "Keys: l live bytes, b live blocks, t total bytes, r bytes allocated a\n"
    "second since the last refresh, f function; arrows, Page Up, Page Down,\n"
    "Home, End scroll; ^L draws the screen anew; q quits.\n"
    "\n"
    "A kernel's file is read anew at each refresh; it has no totals, and its\n"
    "rates say by how much live values changed.\n"
    "\n"
    "When standard output is no terminal, each refresh is plain text; it ends\n"
    "with the program. A program that was not started under tally record\n"
    "cannot be watched.\n";

static const struct {
    const char *name;
    char key;
} sort_names[] = {
    { "live", 'l' }, { "blocks", 'b' },   { "total", 't' },
    { "rate", 'r' }, { "function", 'f' },
};

enum { SORT_COUNT = sizeof sort_names / sizeof sort_names[0] };

#define COUNT_ADVICE "a whole number from 1 on"

static bool parse_count(const char *text, long *count)
{
    char *end;

    errno = 0;
    *count = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *count > 0 &&
           *count <= 1000000000;
}

static bool parse_seconds(const char *text, double *seconds)
{
    char *end;

    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds >= 0.1 && *seconds <= 86400;
}

static int take_delay(const char *name, const char *value, void *field)
{
    return parse_seconds(value, field)
               ? COMMAND_GO_ON
               : complain_about_value(name, value, "seconds, 0.1 or more");
}

static int take_count(const char *name, const char *value, void *field)
{
    return parse_count(value, field)
               ? COMMAND_GO_ON
               : complain_about_value(name, value, COUNT_ADVICE);
}

static const char *sort_word(size_t index)
{
    return index < SORT_COUNT ? sort_names[index].name : NULL;
}

static int take_sort(const char *name, const char *value, void *field)
{
    for (size_t i = 0; i < SORT_COUNT; i++) {
        if (strcmp(sort_names[i].name, value) == 0 ||
            (value[0] == sort_names[i].key && value[1] == '\0')) {
            *(char *)field = sort_names[i].key;
            return COMMAND_GO_ON;
        }
    }
    return complain_about_word(name, value, sort_word);
}

static int take_rows(const char *name, const char *value, void *field)
{
    long rows;

    if (!parse_count(value, &rows))
        return complain_about_value(name, value, COUNT_ADVICE);
    *(size_t *)field = (size_t)rows;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "delay", 'd', OPTION_TAKES(take_delay, struct top_options, interval) },
    { "count", 'n', OPTION_TAKES(take_count, struct top_options, refreshes) },
    { "sort", 's', OPTION_TAKES(take_sort, struct top_options, sort_key) },
    { "rows", 'r', OPTION_TAKES(take_rows, struct top_options, row_count) },
    { "all", 'a', OPTION_SETS(struct top_options, has_all) },
    SUM_RULE(struct top_options, sum),
    FILTER_NAME_RULES(struct top_options, filter),
    FILTER_SIZE_RULES(struct top_options, filter),
    SYMBOL_RULES(struct top_options, search),
    METADATA_RULE,
    { NULL, 0, OPTION_END },
};

static const struct option_table table = {
    .command = "top",
    .help = help,
    .rules = rules,
};

int top_options_parse(struct top_options *options, int argc, char **argv)
{
    int status;

    *options =
        (struct top_options){ .interval = 1, .row_count = 20, .sort_key = 'l' };
    status = options_read(&table, argc, argv, options);
    if (status == COMMAND_GO_ON)
        status = filter_options_check(&options->filter);
    options->names = options->filter;
    if (options->sum.by != SITE_SUM_NONE)
        options->filter.mask &= ALLOCINFO_FILTER_NUMBERS;
    if (status == COMMAND_GO_ON && argc - optind > 1) {
        fputs("tally: top: more than one PID or FILE; name one\n", stderr);
        return COMMAND_USAGE;
    }
    return status;
}
