/* SPDX-License-Identifier: Apache-2.0 */
/* top.c - `tally top`: watch the accounts of a running program */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/options/filter_options.h"
#include "tool/commands/top/top_options.h"
#include "tool/commands/top/top_regions.h"
#include "tool/commands/top/top_rows.h"
#include "tool/commands/top/top_source.h"
#include "tool/commands/top/top_view.h"
#include "tool/commands/top/top_watch.h"

struct top {
    struct top_options options;
    struct top_source source;
    struct top_rows rows;
    struct profile *profile; /* of the last refresh */
    double loaded_at;
};

static int sum_rows(const struct top_options *options, struct profile *profile)
{
    struct site_names *names;

    if (options->sum.by == SITE_SUM_NONE)
        return COMMAND_DONE;
    if (profile->allocinfo_version == 0)
        return complain("--sum", "top sums rows of allocinfo files alone",
                        "sum those of a ledger with tally report");
    names =
        filter_options_name(&options->names, &options->sum, &options->search,
                            DEMANGLE_WITHOUT_ARGUMENTS, profile);
    site_names_destroy(names);
    return names == NULL ? complain_of_memory("top") : COMMAND_DONE;
}

/* Load the accounts anew. Returns COMMAND_DONE, or a status after a complaint,
   with the accounts of before kept. */
static int refresh_accounts(struct top_watch *watch)
{
    struct top *top = watch->context;
    struct profile *profile = top_source_load(&top->source);
    double at = top_now();
    double seconds = top->profile == NULL ? 0 : at - top->loaded_at;
    int status;
    bool is_stale =
        profile == NULL && top->profile != NULL && top->source.has_ended;

    watch->has_ended = top->source.has_ended;
    /* A program ends; a file that was read and cannot be is something else. */
    watch->has_failed = is_stale && !top->source.is_live;
    if (is_stale)
        return COMMAND_DONE;
    if (profile == NULL)
        return COMMAND_USAGE;
    status = sum_rows(&top->options, profile);
    if (status == COMMAND_DONE &&
        !top_rows_update(&top->rows, profile, seconds))
        status = complain_of_memory("top");
    if (status == COMMAND_DONE && top->profile == NULL &&
        top->rows.lacks_totals && top->options.sort_key == 't')
        status = complain("-s total", "the source has no totals",
                          "use live, blocks, rate or function");
    if (status != COMMAND_DONE) {
        profile_destroy(profile);
        return status;
    }
    profile_destroy(top->profile);
    top->profile = profile;
    top->loaded_at = at;
    watch->rows = top->rows.count;
    return COMMAND_DONE;
}

static int write_view(struct top_watch *watch, size_t row_count, unsigned width,
                      FILE *out)
{
    struct top *top = watch->context;
    struct top_view view = {
        .source = &top->source,
        .profile = top->profile,
        .rows = &top->rows,
        .sort_key = top->options.sort_key,
        .first_row = watch->first_row,
        .row_count = row_count,
        .width = width,
    };

    top_rows_sort(&top->rows, top->options.sort_key);
    return top_view_write(&view, out);
}

static void obey(struct top_watch *watch, int key)
{
    struct top *top = watch->context;

    if (key > 0 && key < 128 && strchr(TOP_SORT_KEYS, key) != NULL &&
        !(key == 't' && top->rows.lacks_totals))
        top->options.sort_key = (char)key;
}

int command_top(int argc, char **argv)
{
    struct top top = { 0 };
    struct top_watch watch = {
        .options = &top.options,
        .context = &top,
        .refresh = refresh_accounts,
        .write = write_view,
        .obey = obey,
        .head_lines = TOP_VIEW_HEAD_LINES,
    };
    int status = top_options_parse(&top.options, argc, argv);

    if (status != COMMAND_GO_ON)
        return status;
    if (argv[optind] != NULL && is_top_of_trace(argv[optind]))
        return top_regions(&top.options, argv[optind]);
    status = top_source_open(&top.source, argv[optind], top.options.has_all);
    if (status != COMMAND_DONE)
        return status;
    status = top_rows_begin(&top.rows, &top.options.filter, &top.options.search)
                 ? top_watch(&watch)
                 : complain_of_memory("top");
    profile_destroy(top.profile);
    top_rows_end(&top.rows);
    top_source_close(&top.source);
    return status;
}
