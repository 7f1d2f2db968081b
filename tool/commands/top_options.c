/* SPDX-License-Identifier: Apache-2.0 */
/* top_options.c - what `tally top` is asked for; see top_options.h */
#include "tool/commands/top_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/command.h"
#include "tool/commands/filter_options.h"

static const char help[] =
    "usage: tally top [OPTION]... [PID|FILE]\n"
    "\n"
    "Watch who holds the memory of a program that runs under tally record, or\n"
    "of a kernel by its allocinfo file, or look at a ledger. Without PID or\n"
    "FILE, the newest recording of yours.\n"
    "\n"
    "  -d, --delay=SECONDS  time between two refreshes, at least 0.1; default "
    "1\n"
    "  -n, --count=COUNT    end after COUNT refreshes\n"
    "  -s, --sort=KEY       live, blocks, total, rate or function; default "
    "live\n"
    "  -r, --rows=COUNT     rows of plain text; default 20\n"
    "\n" FILTER_NAME_HELP FILTER_SIZE_HELP "\n"
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

static const struct option long_options[] = {
    { "delay", required_argument, NULL, 'd' },
    { "count", required_argument, NULL, 'n' },
    { "sort", required_argument, NULL, 's' },
    { "rows", required_argument, NULL, 'r' },
    FILTER_NAME_OPTIONS,
    FILTER_SIZE_OPTIONS,
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'V' },
    { NULL, 0, NULL, 0 },
};

static const struct {
    const char *name;
    char key;
} sort_names[] = {
    { "live", 'l' }, { "blocks", 'b' },   { "total", 't' },
    { "rate", 'r' }, { "function", 'f' },
};

static int bad_value(const char *option, const char *value)
{
    fprintf(stderr, "tally: top: %s %s: bad value; see tally top --help\n",
            option, value);
    return COMMAND_USAGE;
}

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

static bool parse_sort(const char *text, char *key)
{
    for (size_t i = 0; i < sizeof sort_names / sizeof sort_names[0]; i++) {
        if (strcmp(sort_names[i].name, text) == 0 ||
            (text[0] == sort_names[i].key && text[1] == '\0')) {
            *key = sort_names[i].key;
            return true;
        }
    }
    return false;
}

int top_options_parse(struct top_options *options, int argc, char **argv)
{
    int option;

    *options =
        (struct top_options){ .interval = 1, .row_count = 20, .sort_key = 'l' };
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":d:n:s:r:hV", long_options,
                                 NULL)) != -1) {
        long rows;
        int status;

        if (filter_options_take(&options->filter, option, optarg, &status)) {
            if (status != COMMAND_DONE)
                return status;
            continue;
        }
        if (option == 'h')
            return fputs(help, stdout) < 0 ? COMMAND_USAGE : COMMAND_DONE;
        if (option == 'V')
            return command_version();
        if (option == '?' || option == ':')
            return command_bad_option("top", option, argv);
        if (option == 'd' && !parse_seconds(optarg, &options->interval))
            return bad_value("-d", optarg);
        if (option == 'n' && !parse_count(optarg, &options->refreshes))
            return bad_value("-n", optarg);
        if (option == 's' && !parse_sort(optarg, &options->sort_key))
            return bad_value("-s", optarg);
        if (option == 'r') {
            if (!parse_count(optarg, &rows))
                return bad_value("-r", optarg);
            options->row_count = (size_t)rows;
        }
    }
    if (filter_options_check(&options->filter) != COMMAND_DONE)
        return COMMAND_USAGE;
    if (argc - optind > 1) {
        fputs("tally: top: more than one PID or FILE; name one\n", stderr);
        return COMMAND_USAGE;
    }
    return -1;
}
