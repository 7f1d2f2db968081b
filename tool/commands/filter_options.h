/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter_options.h - the options that choose rows, the same for each command
 *
 *     static const struct option long_options[] = { FILTER_LONG_OPTIONS, ... };
 *
 *     if (filter_options_take(&filter, option, optarg, &status)) ...
 *     status = filter_options_check(&filter);
 *     if (filter_options_match(&filter, &row, name->module)) show(&row);
 */
#ifndef TALLY_TOOL_COMMANDS_FILTER_OPTIONS_H
#define TALLY_TOOL_COMMANDS_FILTER_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "format/allocinfo_filter.h"

/* What getopt_long() returns for them; clear of all other options. */
enum filter_option {
    FILTER_OPTION_FILE = 512,
    FILTER_OPTION_FUNCTION,
    FILTER_OPTION_MODULE,
    FILTER_OPTION_LINE,
    FILTER_OPTION_INACCURATE,
    FILTER_OPTION_MIN_SIZE,
    FILTER_OPTION_MAX_SIZE,
};

/* What a place is called, and whether its row is marked. */
#define FILTER_NAME_OPTIONS                                              \
    { "file", required_argument, NULL, FILTER_OPTION_FILE },             \
        { "function", required_argument, NULL, FILTER_OPTION_FUNCTION }, \
        { "module", required_argument, NULL, FILTER_OPTION_MODULE },     \
        { "line", required_argument, NULL, FILTER_OPTION_LINE },         \
    {                                                                    \
        "inaccurate", no_argument, NULL, FILTER_OPTION_INACCURATE        \
    }

/* How many bytes it holds. */
#define FILTER_SIZE_OPTIONS                                          \
    { "min-size", required_argument, NULL, FILTER_OPTION_MIN_SIZE }, \
    {                                                                \
        "max-size", required_argument, NULL, FILTER_OPTION_MAX_SIZE  \
    }

#define FILTER_NAME_HELP                                                       \
    "  --file=NAME      only rows of this source file; names must be equal,\n" \
    "                   long ones in their last 63 bytes\n"                    \
    "  --function=NAME  only rows of this function\n"                          \
    "  --module=NAME    only rows of this module; '' those built in\n"         \
    "  --line=N         only rows of this line\n"                              \
    "  --inaccurate     only rows that are marked inaccurate\n"

#define FILTER_SIZE_HELP                                                 \
    "  --min-size=N     only rows that hold N bytes or more; negative\n" \
    "                   numbers count as huge\n"                         \
    "  --max-size=N     only rows that hold N bytes or fewer\n"

/*
 * Whether the option is one of these. If it is, it is taken into the filter and
 * `*status` is COMMAND_DONE, or COMMAND_USAGE after a complaint. The argument
 * must stay.
 */
bool filter_options_take(struct allocinfo_filter *filter, int option,
                         const char *argument, int *status);

/* COMMAND_DONE, or COMMAND_USAGE after a complaint; once, after the last. */
int filter_options_check(const struct allocinfo_filter *filter);

/*
 * Whether the row is wanted. A ledger's module may also be named by its path or
 * base name, the executable too; `module_path` is NULL where there is none.
 */
bool filter_options_match(const struct allocinfo_filter *filter,
                          const struct allocinfo_row *row,
                          const char *module_path);

#endif /* TALLY_TOOL_COMMANDS_FILTER_OPTIONS_H */
