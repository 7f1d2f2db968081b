/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_options.h - what `tally top` is asked for
 */
#ifndef TALLY_TOOL_COMMANDS_TOP_OPTIONS_H
#define TALLY_TOOL_COMMANDS_TOP_OPTIONS_H

#include <stddef.h>

#include <stdbool.h>

#include "format/text/allocinfo_filter.h"
#include "tool/model/names/site_sum.h"
#include "tool/symbols/symbols.h"

struct top_options {
    double interval;  /* seconds */
    long refreshes;   /* 0: until the end */
    size_t row_count; /* of plain text */
    char sort_key;
    bool has_all;
    struct allocinfo_filter filter; /* with `sum`, of numbers alone */
    struct allocinfo_filter names;  /* ... and all of it */
    struct site_sum sum;
    struct symbols_search search;
};

/*
 * COMMAND_GO_ON, with the names that are left from `optind`, or the exit status.
 */
int top_options_parse(struct top_options *options, int argc, char **argv);

#endif /* TALLY_TOOL_COMMANDS_TOP_OPTIONS_H */
