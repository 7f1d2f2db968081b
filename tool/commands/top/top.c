/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top.c - `tally top`: watch the accounts of a running program, or a file
 *
 * This file is long because what is asked for, read and shown at each refresh
 * are one state.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/options/options.h"
#include "tool/commands/top/top_parts.h"
#include "tool/commands/trace/loading.h"
#include "tool/model/names/site_names.h"
#include "tool/model/names/trust.h"
#include "tool/model/sources/load_ledger.h"
#include "tool/render/figure.h"
#include "tool/session/images/live_ledger.h"
#include "tool/tables/memory.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

/* What is watched: a live process, or a file. */
struct top_source {
    const char *name; /* as the user gave it; NULL: found by itself */
    bool is_live;     /* a process, not a file */
    bool has_ended;   /* nothing will change any more */
    bool was_read;    /* there were accounts before */
    struct live_ledger ledger;
};

enum { HEAD_LINES = 5 }; /* above the rows, the titles among them */

struct top {
    struct top_options options;
    struct top_source source;
    struct top_rows rows;
    struct profile *profile; /* of the last refresh */
    double loaded_at;
};

/* In the order of TOP_SORT_KEYS. */
static const struct {
    const char *name;
    const char *title; /* in the head */
} sorts[] = {
    { "live", "live bytes" },   { "blocks", "blocks" },
    { "total", "total bytes" }, { "rate", "rate" },
    { "function", "function" },
};

enum { SORT_COUNT = sizeof sorts / sizeof sorts[0] };

static int take_count(const char *name, const char *value, void *field)
{
    long *count = field;
    char *end;

    errno = 0;
    *count = strtol(value, &end, 10);
    return errno == 0 && end != value && *end == '\0' && *count > 0 &&
                   *count <= 1000000000
               ? COMMAND_GO_ON
               : complain_about_value(name, value, "a whole number from 1 on");
}

static int take_delay(const char *name, const char *value, void *field)
{
    uint64_t ns;

    if (!parse_duration(value, &ns) || ns < 100000000 || ns > 86400000000000)
        return complain_about_value(
            name, value,
            "a time from 100ms on, such as " PARSE_DURATION_EXAMPLES);
    *(double *)field = (double)ns / 1e9;
    return COMMAND_GO_ON;
}

static const struct word_list sort_words = WORDS(sorts);

/* A word, or its key alone. */
static int take_sort(const char *name, const char *value, void *field)
{
    for (size_t i = 0; i < SORT_COUNT; i++) {
        if (strcmp(sorts[i].name, value) == 0 ||
            (value[0] == TOP_SORT_KEYS[i] && value[1] == '\0')) {
            *(char *)field = TOP_SORT_KEYS[i];
            return COMMAND_GO_ON;
        }
    }
    return complain_about_word(name, value, &sort_words);
}

static const struct option_rule rules[] = {
    { "delay", 'd', OPTION_TAKES(take_delay, struct top_options, interval) },
    { "count", 'n', OPTION_TAKES(take_count, struct top_options, refreshes) },
    { "sort", 's', OPTION_TAKES(take_sort, struct top_options, sort_key),
      .words = &sort_words },
    { "rows", 'r', OPTION_TAKES(take_count, struct top_options, row_count) },
    { "all", 'a', OPTION_SETS(struct top_options, has_all) },
    { 0 },
};

static const struct option_table option_table = {
    .command = "top",
    .help = help_top,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_NAMES | OPTIONS_SIZES | OPTIONS_SUM | OPTIONS_KIND |
              OPTIONS_SYMBOLS | OPTIONS_METADATA,
    .rules = rules,
};

static int parse(struct top_options *options, int argc, char **argv)
{
    int status;

    *options =
        (struct top_options){ .interval = 1, .row_count = 20, .sort_key = 'l' };
    status = options_read(&option_table, argc, argv, options);
    options->filter = options->of.filter;
    if (options->of.sum.by != SITE_SUM_NONE)
        options->filter.mask &= ALLOCINFO_FILTER_NUMBERS;
    if (status == COMMAND_GO_ON && argc - optind > 1)
        return tell_line("top: more than one PID or FILE; name one");
    return status;
}

/* `name` NULL: the newest recording of this user. */
static int open_top(struct top_source *source, const char *name)
{
    struct session_failure failure;
    pid_t pid;

    *source = (struct top_source){ .name = name, .ledger = { .fd = -1 } };
    if (name != NULL && !is_pid(name))
        return COMMAND_DONE; /* a file, read at each refresh */
    pid = name != NULL ? 0 : live_ledger_find_newest();
    if (pid < 0)
        return tell_line("top: no program of yours is being recorded; start "
                         "one with tally record, or name a PID or a FILE");
    source->is_live = true;
    if (name != NULL)
        return open_process(name, &source->ledger);
    return live_ledger_open(pid, &source->ledger, &failure) == 0
               ? COMMAND_DONE
               : tell_line("%s", failure.text);
}

static int load_live(struct top_source *source, struct profile *profile)
{
    struct session_failure session_failure;
    struct source_failure failure;
    struct ledger_snapshot snapshot;
    char name[32];
    int status = COMMAND_DONE;

    /* Asked first: what is read after the end is the whole account. */
    source->has_ended = !live_ledger_is_alive(&source->ledger);
    if (live_ledger_read(&source->ledger, &snapshot, &session_failure) < 0) {
        if (source->was_read && source->has_ended)
            return COMMAND_NO; /* its memory has been given back */
        return tell_line("%s", session_failure.text);
    }
    snprintf(name, sizeof name, "%ld", (long)source->ledger.pid);
    if (load_ledger(snapshot.bytes, snapshot.size, profile, &failure) < 0)
        status = complain_about_source(name, &failure);
    ledger_snapshot_free(&snapshot);
    source->was_read = true;
    return status;
}

static int load_file(struct top_source *source, struct profile *profile)
{
    int status = open_profile(source->name, profile);

    /* Read while it is written: the rows of before are nearer to the truth. */
    if (status == COMMAND_DONE && profile->text.is_cut && source->was_read)
        status = complain(source->name, "the last line is cut short",
                          "it is read again");
    source->was_read = source->was_read || status == COMMAND_DONE;
    /* A kernel goes on; standard input cannot be read twice. */
    if (status == COMMAND_DONE && profile->allocinfo_version != 0)
        source->has_ended = strcmp(source->name, "-") == 0;
    else
        source->has_ended =
            status != COMMAND_DONE || !profile_is_running(profile);
    return status;
}

/*
 * The accounts now, finished. NULL after a complaint, or silently when the
 * program has ended since they were read last: `has_ended` tells.
 */
static struct profile *load(struct top_source *source,
                            const struct top_options *options)
{
    struct profile *profile = profile_create();
    int status;

    profile->kinds = options->of.kinds;
    status = source->is_live ? load_live(source, profile)
                             : load_file(source, profile);

    if (status == COMMAND_DONE && options->has_all)
        status = source->is_live ? open_below(&source->ledger, profile)
                                 : open_others(source->name, profile);
    if (status != COMMAND_DONE) {
        profile_destroy(profile);
        return NULL;
    }
    profile_finish(profile);
    return profile;
}

static int sum_rows(const struct top_options *options, struct profile *profile)
{
    if (options->of.sum.by == SITE_SUM_NONE)
        return COMMAND_DONE;
    if (profile->allocinfo_version == 0)
        return complain("--sum", "top sums rows of allocinfo files alone",
                        "sum those of a ledger with tally report");
    site_names_destroy(filter_options_name(
        &options->of, DEMANGLE_WITHOUT_ARGUMENTS, profile, NULL, NULL));
    return COMMAND_DONE;
}

/* Load the accounts anew. Returns COMMAND_DONE, or a status after a complaint,
   with the accounts of before kept. */
static int refresh_accounts(struct top_watch *watch)
{
    struct top *top = watch->context;
    struct profile *profile = load(&top->source, &top->options);
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
    if (status == COMMAND_DONE)
        top_rows_update(&top->rows, profile, seconds);
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

/* To the nearest; what does not fit becomes the outermost that does. */
static int64_t whole(double rate)
{
    if (fabs(rate) < 0x1p63)
        return (int64_t)llround(rate);
    return rate < 0 ? INT64_MIN : INT64_MAX;
}

static const char *state_of(const struct top *top)
{
    if (top->source.has_ended)
        return top->source.is_live ? "has ended" : "recorded";
    if (top->profile->image_count > 0 &&
        top->profile->images[0].control != LEDGER_CONTROL_ON)
        return "running, vm.mem_profiling = 0";
    return "running";
}

static void write_text_name(const struct top *top, FILE *out)
{
    escape_write(out, ESCAPE_TERMINAL, top->source.name, SIZE_MAX);
    fprintf(out,
            top->profile->text.reports != 0
                ? ": largest rows of a kernel's log, as version %u.0\n"
                : ": allocinfo text, version %u.0\n",
            top->profile->allocinfo_version);
}

static void write_program(const struct top *top, FILE *out)
{
    const struct profile *profile = top->profile;
    const struct profile_image *image =
        profile->image_count > 0 ? profile->images : NULL;

    fprintf(
        out, "pid %u, %s%s: ", image == NULL ? 0 : image->pid, state_of(top),
        profile->sample_interval > 1 ? ", sampled (all are estimates)" : "");
    if (image != NULL)
        escape_write(out, ESCAPE_TERMINAL, image->command_line, SIZE_MAX);
    putc('\n', out);
}

static void write_live_totals(const struct top *top, FILE *out)
{
    const struct profile *profile = top->profile;
    const struct profile_amounts *heap = &profile->heap;

    fprintf(out, "live %s in %s block%s", NUMBER_BYTES(heap->live_bytes),
            NUMBER_SIGNED(heap->live_blocks),
            number_plural((uint64_t)heap->live_blocks));
    if (top->rows.has_rates)
        fprintf(out, "; change %s/s, %s blocks/s",
                NUMBER_BYTES(whole(top->rows.rate)),
                NUMBER_SIGNED(whole(top->rows.block_rate)));
    fprintf(out, "\n%zu of %zu rows %s marked inaccurate",
            profile->inaccurate_sites, profile->site_count,
            profile->inaccurate_sites == 1 ? "is" : "are");
    if (profile->slab_bytes != 0)
        fprintf(out, "; %s of slab pages counted twice",
                NUMBER_BYTES(profile->slab_bytes));
    putc('\n', out);
}

static void write_totals(const struct top *top, FILE *out)
{
    const struct profile_amounts *heap = &top->profile->heap;
    const struct profile_amounts *maps = &top->profile->maps;
    fprintf(out, "live %s in %s block%s; allocated %s by %s call%s",
            NUMBER_BYTES(heap->live_bytes), NUMBER_SIGNED(heap->live_blocks),
            number_plural((uint64_t)heap->live_blocks),
            NUMBER_BYTES((int64_t)heap->alloc_bytes),
            NUMBER(heap->alloc_blocks), number_plural(heap->alloc_blocks));
    if (top->rows.has_rates)
        fprintf(out, ", %s/s", NUMBER_BYTES(whole(top->rows.rate)));
    fprintf(out, "\nmmap %s in %s piece%s; %s events lost or unseen\n",
            NUMBER_BYTES(maps->live_bytes), NUMBER_SIGNED(maps->live_blocks),
            number_plural((uint64_t)maps->live_blocks),
            NUMBER(trust_lost(top->profile)));
}

/* Where the rows stand among all. */
static void write_position(const struct top *top, size_t first, size_t end,
                           FILE *out)
{
    const char *key = strchr(TOP_SORT_KEYS, top->options.sort_key);

    fprintf(out, "%s %zu-%zu of %zu by %s\n",
            top->profile->allocinfo_version != 0 ? "rows" : "sites",
            top->rows.count == 0 ? 0 : first + 1, end, top->rows.count,
            sorts[key == NULL ? 0 : key - TOP_SORT_KEYS].title);
}

static void add_row(struct table **table, struct top_rows *rows,
                    struct top_row *row)
{
    const char *module =
        row->name.module == NULL ? NULL : base_name(row->name.module);
    char *line = row->name.file == NULL
                     ? NULL
                     : site_line(row->name.file, row->name.line);
    char address[NUMBER_SIZE];
    char *function;

    snprintf(address, sizeof address, "0x%" PRIx64, row->place);
    function = memory_print(
        "%s%s", row->name.function != NULL ? row->name.function : address,
        row->site.kind == LEDGER_SITE_MAP ? " [map]" : "");

    /* Of a source that knows no totals: how much of what lives has changed. */
    const struct figure all[] = {
        { NULL, "LIVE BYTES", FIGURE_SIGNED,
          .number = (uint64_t)row->site.amounts.live_bytes },
        { NULL, "BLOCKS", FIGURE_SIGNED,
          .number = (uint64_t)row->site.amounts.live_blocks },
        { NULL, rows->lacks_totals ? NULL : "TOTAL BYTES",
          .number = row->site.amounts.alloc_bytes },
        { NULL, "BYTES/S", FIGURE_SIGNED, .is_unknown = !rows->has_rates,
          .number = (uint64_t)whole(row->rate) },
        { NULL, rows->lacks_totals ? "BLOCKS/S" : "CALLS/S", FIGURE_SIGNED,
          .is_unknown = !rows->has_rates,
          .number = (uint64_t)whole(row->block_rate) },
        { NULL, "FUNCTION", FIGURE_TEXT, .text = function },
        { NULL, "PLACE", FIGURE_TEXT, TABLE_LEFT_END,
          .text = line != NULL     ? line
                  : module != NULL ? module
                                   : "?" },
        { NULL, rows->lacks_totals ? "MODULE" : NULL, FIGURE_TEXT,
          .text = module },
    };

    figures_put(table, NULL, all, sizeof all / sizeof all[0]);
    free(function);
    free(line);
}

static void write_view(struct top_watch *watch, size_t row_count,
                       unsigned width, FILE *out)
{
    struct top *top = watch->context;
    struct table *table = NULL;
    size_t end = watch->first_row + row_count;

    top_rows_sort(&top->rows, top->options.sort_key);
    if (end > top->rows.count)
        end = top->rows.count;
    if (top->profile->allocinfo_version != 0) {
        write_text_name(top, out);
        write_live_totals(top, out);
    } else {
        write_program(top, out);
        write_totals(top, out);
    }
    write_position(top, watch->first_row, end, out);
    add_row(&table, &top->rows, &(struct top_row){ 0 });
    table_clear(table);
    for (size_t i = watch->first_row; i < end; i++) {
        top_row_find_names(&top->rows, &top->rows.rows[i]);
        add_row(&table, &top->rows, &top->rows.rows[i]);
    }
    table_print(table, out, width, TABLE_PLAIN);
    table_destroy(table);
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
        .head_lines = HEAD_LINES,
    };
    int status = parse(&top.options, argc, argv);

    if (status != COMMAND_GO_ON)
        return status;
    if (argv[optind] != NULL && is_top_of_trace(argv[optind]))
        return top_regions(&top.options, argv[optind]);
    status = open_top(&top.source, argv[optind]);
    if (status != COMMAND_DONE)
        return status;
    top_rows_begin(&top.rows, &top.options.filter, &top.options.of.search);
    status = top_watch(&watch);
    profile_destroy(top.profile);
    top_rows_end(&top.rows);
    live_ledger_close(&top.source.ledger);
    return status;
}
