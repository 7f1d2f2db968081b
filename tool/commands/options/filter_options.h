/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter_options.h - the options that choose rows, the same for each command
 *
 *     static const struct option_rule rules[] = {
 *         FILTER_NAME_RULES(struct diff_options, filter), ...
 *
 *     status = filter_options_check(&options.filter);
 *     if (filter_options_match(&filter, &row, name->module)) show(&row);
 */
#ifndef TALLY_TOOL_COMMANDS_FILTER_OPTIONS_H
#define TALLY_TOOL_COMMANDS_FILTER_OPTIONS_H

#include <stdbool.h>

#include "format/text/allocinfo_filter.h"
#include "tool/commands/options/options.h"
#include "tool/model/names/site_rows.h"

/* Into a struct allocinfo_filter, which keeps the value. */
option_take_fn filter_option_take;

/* What a place is called, and whether its row is marked. */
#define FILTER_NAME_RULES(type, member)                                    \
    { "file", 0, OPTION_TAKES(filter_option_take, type, member) },         \
        { "function", 0, OPTION_TAKES(filter_option_take, type, member) }, \
        { "module", 0, OPTION_TAKES(filter_option_take, type, member) },   \
        { "line", 0, OPTION_TAKES(filter_option_take, type, member) },     \
    {                                                                      \
        "inaccurate", 0, OPTION_CALLS(filter_option_take, type, member)    \
    }

/* How many bytes it holds. */
#define FILTER_SIZE_RULES(type, member)                                \
    { "min-size", 0, OPTION_TAKES(filter_option_take, type, member) }, \
    {                                                                  \
        "max-size", 0, OPTION_TAKES(filter_option_take, type, member)  \
    }

/* Which rows are summed, into a struct site_sum. */
option_take_fn sum_option_take;

#define SUM_RULE(type, member)                                   \
    {                                                            \
        "sum", 0, OPTION_MAY_TAKE(sum_option_take, type, member) \
    }

/* COMMAND_GO_ON, or COMMAND_USAGE after a complaint; once, after the last. */
int filter_options_check(const struct allocinfo_filter *filter);

/*
 * Names of a finished profile, from which the sites are left out whose names
 * are not wanted, and then summed; numbers are those of the sums, for
 * allocinfo_filter_matches_numbers(). NULL without memory.
 */
struct site_names *filter_options_name(const struct allocinfo_filter *filter,
                                       const struct site_sum *sum,
                                       const struct symbols_search *search,
                                       enum demangle_arguments arguments,
                                       struct profile *profile);

/*
 * Whether the row is wanted. A ledger's module may also be named by its path or
 * base name, the executable too; `module_path` is NULL where there is none.
 */
bool filter_options_match(const struct allocinfo_filter *filter,
                          const struct allocinfo_row *row,
                          const char *module_path);

#endif /* TALLY_TOOL_COMMANDS_FILTER_OPTIONS_H */
