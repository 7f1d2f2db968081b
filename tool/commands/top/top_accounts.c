/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_accounts.c - tally top of a running program, a ledger, or a kernel's file
 *
 * This file is long because rows, the head above them, stacks and processes all
 * come from one profile.
 */
#include <inttypes.h>

#include "tool/commands/load/load.h"
#include "tool/commands/top/top_parts.h"

enum column {
    LIVE,
    GROWTH,
    RESIDENT,
    BLOCKS,
    TOTAL,
    PEAK,
    TEMPORARY,
    RATE,
    CALLS,
    CHANGES,
    FUNCTION,
    PLACE,
    MODULE,
};

static const struct top_column columns[] = {
    [LIVE] = { "live", "LIVE BYTES", FIGURE_SIGNED, .alignment = TABLE_SPARE },
    [GROWTH] = { "growth", "GROWTH", FIGURE_GROWTH, TABLE_RIGHT,
                 .needs = TOP_MARK },
    [RESIDENT] = { "resident", "RESIDENT", 0, TABLE_SPARE,
                   .needs = TOP_RESIDENT },
    [BLOCKS] = { "blocks", "BLOCKS", FIGURE_SIGNED, .alignment = TABLE_SPARE },
    [TOTAL] = { "total", "TOTAL BYTES", 0, TABLE_SPARE, .needs = TOP_TOTALS },
    [PEAK] = { "peak", "PEAK BYTES", 0, TABLE_SPARE, TOP_PEAKS,
               .is_on_call = true },
    [TEMPORARY] = { "temporary", "TEMPORARY", 0, TABLE_SPARE, TOP_TEMPORARY,
                    .is_on_call = true },
    [RATE] = { "rate", "BYTES/S", FIGURE_SIGNED, TABLE_SPARE, .is_rate = true },
    [CALLS] = { NULL, "CALLS/S", FIGURE_SIGNED, TABLE_SPARE, TOP_TOTALS,
                .is_rate = true },
    [CHANGES] = { NULL, "BLOCKS/S", FIGURE_SIGNED, TABLE_SPARE, TOP_NO_TOTALS,
                  .is_rate = true },
    [FUNCTION] = { "function", "FUNCTION", .unit = FIGURE_TEXT },
    [PLACE] = { NULL, "PLACE", FIGURE_TEXT, .alignment = TABLE_LEFT_END },
    [MODULE] = { NULL, "MODULE", FIGURE_TEXT, .needs = TOP_NO_TOTALS },
};

/* Words of `columns`, in the order of help. */
static const char *const sorts[] = { "live",      "blocks",   "total",
                                     "rate",      "function", "peak",
                                     "temporary", "growth",   "resident" };

const struct word_list top_sort_words = WORDS(sorts);

/* State of the last refresh. */
struct accounts {
    struct top_load load;
    struct top_names processes; /* as listed */
    struct source_options of;   /* with the typed glob */
    struct symbols *symbols;
    struct profile *profile; /* as read; later charged to callers */
    struct site_names *names;
    struct frame_names *frames;
    struct text_pool wrappers; /* also labels of folded calls */
    int64_t counted[2]; /* heap totals, including rows that are filtered out */
    int64_t rates[2];
    double loaded_at;
};

static void forget_profile(struct accounts *accounts)
{
    text_pool_free(&accounts->wrappers);
    profile_destroy(accounts->profile);
    accounts->frames = NULL;
    accounts->names = NULL;
    accounts->profile = NULL;
}

static bool has_totals(const struct accounts *accounts)
{
    return !accounts->profile->lacks_totals;
}

/* Count allocations; without totals, count changes of live memory. */
static void count(const struct accounts *accounts,
                  const struct profile_amounts *amounts, int64_t counted[2])
{
    counted[0] = has_totals(accounts) ? (int64_t)amounts->alloc_bytes
                                      : amounts->live_bytes;
    counted[1] = has_totals(accounts) ? (int64_t)amounts->alloc_blocks
                                      : amounts->live_blocks;
}

static unsigned find_facts(const struct top *top, double seconds)
{
    const struct accounts *accounts = top->context;
    const struct profile *profile = accounts->profile;
    bool has_resident = (accounts->load.is_live && !accounts->load.has_all) ||
                        profile->has_residency;

    return (has_totals(accounts) ? TOP_TOTALS : TOP_NO_TOTALS) |
           (profile->has_peaks ? TOP_PEAKS : 0) |
           (profile->has_temporary ? TOP_TEMPORARY : 0) |
           (seconds > 0 ? TOP_RATES : 0) |
           (top->wants_mark ? TOP_MARK : top->facts & TOP_MARK) |
           (top->wants_resident && has_resident ? TOP_RESIDENT : 0);
}

/* Add a row with its names and key. */
static struct top_row *add_named(struct top *top, size_t number,
                                 struct top_past **past)
{
    struct accounts *accounts = top->context;
    const struct profile_site *site = &accounts->profile->callers[number];
    const struct site_name *name = &accounts->names->sites[number];
    const char *module = name->module == NULL ? NULL : base_name(name->module);
    const char *map = site->kind == LEDGER_SITE_MAP ? " [mmap]" : "";
    OWNED char *line =
        name->file == NULL ? NULL : site_line(name->file, name->line);
    OWNED char *function = memory_print(
        "%s%s",
        name->function != NULL ? site_name_short(name) : ADDRESS(site->place),
        map);
    OWNED char *key =
        memory_print("%s %s %s %s", line != NULL ? line : "",
                     name->function != NULL ? name->function : "", function,
                     name->module == NULL ? "" : name->module);
    struct top_row *row = top_rows_add(&top->rows, key, past);

    row->number = number;
    row->cells[FUNCTION].text = text_pool_keep(&top->rows.texts, function);
    row->cells[PLACE].text =
        text_pool_keep(&top->rows.texts, line != NULL     ? line
                                         : module != NULL ? module
                                                          : "?");
    row->cells[MODULE].text = text_pool_keep(&top->rows.texts, module);
    return row;
}

static void add_row(struct top *top, size_t number, double seconds)
{
    struct accounts *accounts = top->context;
    const struct profile_amounts *amounts =
        &accounts->profile->callers[number].amounts;
    struct top_past *past;
    struct top_row *row = add_named(top, number, &past);
    union top_cell *cells = row->cells;
    int64_t counted[2];

    count(accounts, amounts, counted);
    cells[LIVE].number = amounts->live_bytes;
    cells[BLOCKS].number = amounts->live_blocks;
    cells[TOTAL].number = (int64_t)amounts->alloc_bytes;
    cells[PEAK].number = measure_of(amounts, MEASURE_PEAK_BYTES);
    cells[TEMPORARY].number = measure_of(amounts, MEASURE_TEMPORARY);
    if (seconds > 0) {
        cells[RATE].number = top_rate(counted[0], &past->counted[0], seconds);
        cells[CALLS].number = top_rate(counted[1], &past->counted[1], seconds);
        cells[CHANGES] = cells[CALLS];
    }
    memcpy(past->counted, counted, sizeof counted);
    if (accounts->profile->has_residency)
        past->resident = measure_of(amounts, MEASURE_RESIDENT);
    cells[RESIDENT].number = past->resident;
    past->now = amounts->live_bytes;
    if (top->wants_mark)
        past->marked = past->now;
    cells[GROWTH].number =
        (int64_t)((uint64_t)past->now - (uint64_t)past->marked);
}

static void add_rows(struct top *top, double seconds)
{
    struct accounts *accounts = top->context;

    accounts->names =
        sites_name(&accounts->of.choice, DEMANGLE_WITHOUT_ARGUMENTS,
                   accounts->profile, &accounts->frames, &accounts->wrappers);
    for (size_t i = 0; i < accounts->profile->caller_count; i++) {
        if (!accounts->profile->callers[i].is_left_out &&
            site_numbers_match(&accounts->of.choice.filter, accounts->profile,
                               &accounts->profile->callers[i]))
            add_row(top, i, seconds);
    }
}

/* Check at the first refresh that the column exists; later fall back to another
   order. */
static int check(struct top *top)
{
    const struct accounts *accounts = top->context;
    char option[32];

    if (accounts->of.choice.sum.by != SITE_SUM_NONE &&
        accounts->profile->allocinfo_version == 0)
        return complain("--sum", "top sums rows of allocinfo files only",
                        "sum those of a ledger with tally report");
    if (top_has_column(top, top->sort))
        return COMMAND_DONE;
    if (top->rows.refresh == 0) {
        snprintf(option, sizeof option, "-s %s", columns[top->sort].word);
        return complain(option,
                        top->sort == TOTAL ? "the source has no totals"
                                           : "the source has no such values",
                        "use live, blocks, rate or function");
    }
    top->sort = LIVE;
    return COMMAND_DONE;
}

/* Start a refresh: after a change of the filter, forget earlier rows and set
   the mark anew. Return the seconds since the last refresh, or 0. */
static double begin_refresh(struct top *top)
{
    struct accounts *accounts = top->context;
    double before = accounts->loaded_at;

    accounts->loaded_at = top_now();
    accounts->of = top->options->of;
    accounts->of.choice.search.kept = &accounts->symbols;
    if (top->filter != NULL)
        accounts->of.choice.focus = (struct glob_list){ { top->filter }, 1, 0 };
    if (before != 0 && !top->is_other)
        return accounts->loaded_at - before;
    top->wants_mark = top->wants_mark || (top->facts & TOP_MARK) != 0;
    top->is_other = false;
    top_rows_forget(&top->rows);
    return 0;
}

static int refresh(struct top *top)
{
    struct accounts *accounts = top->context;
    struct named_profile named;
    struct profile *profile;
    double seconds;
    int64_t counted[2];

    accounts->load.has_residency = top->wants_resident;
    profile = top_load_read(&accounts->load);
    top->has_ended = accounts->load.has_ended;
    /* Keep the rows of a file that can no longer be read. */
    top->has_failed = profile == NULL && accounts->profile != NULL;
    if (profile == NULL)
        return top->has_failed && top->has_ended ? COMMAND_DONE : COMMAND_USAGE;
    seconds = begin_refresh(top);
    forget_profile(accounts);
    accounts->profile = profile;
    top->facts = find_facts(top, seconds);
    if (check(top) != COMMAND_DONE)
        return COMMAND_USAGE;
    count(accounts, &profile->heap, counted);
    for (int i = 0; i < 2; i++)
        accounts->rates[i] = top_rate(counted[i], &accounts->counted[i],
                                      seconds > 0 ? seconds : 1);
    top_rows_begin(&top->rows);
    add_rows(top, seconds);
    top->wants_mark = false;
    named =
        (struct named_profile){ profile, accounts->names, accounts->frames };
    /* A running program may call it later. */
    return top->rows.refresh == 1 && top->has_ended &&
                   note_unknown_names(&accounts->of, &named, 1)
               ? COMMAND_USAGE
               : COMMAND_DONE;
}

static const char *state_of(const struct accounts *accounts)
{
    if (accounts->load.has_ended)
        return accounts->load.is_live ? "has ended" : "recorded";
    if (accounts->profile->image_count > 0 &&
        accounts->profile->images[0].control != LEDGER_CONTROL_ON)
        return "running, vm.mem_profiling = 0";
    return "running";
}

static void write_program(const struct accounts *accounts, FILE *out)
{
    const struct profile *profile = accounts->profile;
    const struct profile_image *image =
        profile->image_count > 0 ? profile->images : NULL;

    if (accounts->load.calls != NULL) {
        escape_write(out, ESCAPE_TERMINAL, accounts->load.name, SIZE_MAX);
        fprintf(out, ": %s call%s%s\n", NUMBER(profile->calls->events),
                number_plural(profile->calls->events),
                accounts->load.has_ended ? ", at its end" : "");
        return;
    }
    fprintf(out, "pid %u, %s%s%s: ", image == NULL ? 0 : image->pid,
            state_of(accounts),
            profile->sample_interval > 1 ? ", sampled (estimates)" : "",
            accounts->load.is_most ? ", largest of its recording (p)" : "");
    if (image != NULL)
        escape_write(out, ESCAPE_TERMINAL, image->command_line, SIZE_MAX);
    putc('\n', out);
}

static void write_live(const struct profile_amounts *amounts, FILE *out)
{
    fprintf(out, "%s in %s block%s", NUMBER_BYTES(amounts->live_bytes),
            NUMBER_SIGNED(amounts->live_blocks),
            number_plural((uint64_t)amounts->live_blocks));
}

static void write_amounts(const struct profile_amounts *amounts, FILE *out)
{
    write_live(amounts, out);
    fprintf(out, "; allocated %s by %s call%s",
            NUMBER_BYTES((int64_t)amounts->alloc_bytes),
            NUMBER(amounts->alloc_blocks),
            number_plural(amounts->alloc_blocks));
}

static void write_text_totals(const struct top *top, FILE *out)
{
    const struct accounts *accounts = top->context;
    const struct profile *profile = accounts->profile;

    escape_write(out, ESCAPE_TERMINAL, accounts->load.name, SIZE_MAX);
    fprintf(out,
            profile->allocinfo_version == 0 ? ": stacks of many processes\n"
            : profile->text.reports != 0
                ? ": largest rows of a kernel's log, as version %u.0\n"
                : ": allocinfo text, version %u.0%s\n",
            profile->allocinfo_version,
            profile->text.rounded != 0 ? ", rounded sizes" : "");
    fputs("live ", out);
    write_live(&profile->heap, out);
    if ((top->facts & TOP_RATES) != 0)
        fprintf(out, "; change %s/s, %s blocks/s",
                NUMBER_BYTES(accounts->rates[0]),
                NUMBER_SIGNED(accounts->rates[1]));
    fprintf(out, "\n%zu of %zu rows %s marked inaccurate",
            profile->inaccurate_sites, profile->caller_count,
            profile->inaccurate_sites == 1 ? "is" : "are");
    if (profile->slab_bytes != 0)
        fprintf(out, "; %s of slab pages counted twice",
                NUMBER_BYTES(profile->slab_bytes));
}

static void write_totals(const struct top *top, FILE *out)
{
    const struct accounts *accounts = top->context;
    const struct profile *profile = accounts->profile;
    const struct profile_amounts *maps = &profile->maps;
    char losses[TRACE_LOSSES_SIZE];

    write_program(accounts, out);
    fputs("live ", out);
    write_amounts(&profile->heap, out);
    if ((top->facts & TOP_RATES) != 0)
        fprintf(out, ", %s/s", NUMBER_BYTES(accounts->rates[0]));
    putc('\n', out);
    if (profile->calls == NULL)
        fprintf(out, "mmap memory %s in %s mapping%s; ",
                NUMBER_BYTES(maps->live_bytes),
                NUMBER_SIGNED(maps->live_blocks),
                number_plural((uint64_t)maps->live_blocks));
    fprintf(out, "%s events lost or not recorded", NUMBER(trust_lost(profile)));
    if (profile->calls != NULL &&
        trace_losses(losses, &profile->calls->counts)[0] != '\0')
        fprintf(out, "; %s", losses);
}

static void write_head(const struct top *top, size_t first, size_t end,
                       FILE *out)
{
    const struct accounts *accounts = top->context;
    const char *word = columns[top->sort].word;
    bool is_text = accounts->profile->allocinfo_version != 0;

    (is_text ? write_text_totals : write_totals)(top, out);
    fprintf(out, "\n%s %zu-%zu of %zu by %s", is_text ? "rows" : "call sites",
            top->rows.count == 0 ? 0 : first + 1, end, top->rows.count, word);
    if (top->sort == LIVE || top->sort == TOTAL)
        fputs(" bytes", out);
    if (top->filter != NULL) {
        fputs(", matching ", out);
        escape_write(out, ESCAPE_TERMINAL, top->filter, SIZE_MAX);
    }
    if (top->wants_resident && (top->facts & TOP_RESIDENT) == 0)
        fputs("; resident memory needs one running process", out);
    else if (top->wants_resident && accounts->load.no_residency.text[0] != '\0')
        fprintf(out, "; %s", accounts->load.no_residency.text);
    putc('\n', out);
}

static void write_calls(const struct accounts *accounts,
                        const struct profile_stack *stack, FILE *out)
{
    const struct frame_name *call;
    struct stack_walk walk;

    stack_walk_begin_whole(&walk, accounts->frames, stack);
    while ((call = stack_walk_next(&walk)) != NULL) {
        fputs("    ", out);
        escape_write(out, ESCAPE_TERMINAL, call->label, SIZE_MAX);
        if (call->name.file != NULL) {
            fputs(" (", out);
            escape_write(out, ESCAPE_TERMINAL, call->name.file, SIZE_MAX);
            fprintf(out, ":%" PRIu64 ")", call->name.line);
        }
        putc('\n', out);
    }
    if (walk.is_cut)
        fprintf(out, "    %s\n", frame_truncated.label);
}

/* Compare stacks: by live bytes, then by total bytes, the largest first. */
static int compare_stacks(const void *left, const void *right)
{
    const struct profile_stack *const *a = left, *const *b = right;
    const struct profile_amounts *is = &(*a)->amounts, *other = &(*b)->amounts;

    if (is->live_bytes != other->live_bytes)
        return is->live_bytes < other->live_bytes ? 1 : -1;
    return (is->alloc_bytes < other->alloc_bytes) -
           (is->alloc_bytes > other->alloc_bytes);
}

static void write_row(const struct top *top, size_t number, FILE *out)
{
    const struct accounts *accounts = top->context;
    const struct stacks *stacks = &accounts->profile->stacks;
    const struct profile_stack **found =
        memory_zeroed(stacks->stack_count + 1, sizeof(void *));
    size_t count = 0;

    for (size_t i = 0; accounts->frames != NULL && i < stacks->stack_count;
         i++) {
        if (stacks->stacks[i].site == number)
            found[count++] = &stacks->stacks[i];
    }
    qsort(found, count, sizeof(void *), compare_stacks);
    fprintf(out, "%zu stack%s\n", count, number_plural(count));
    for (size_t i = 0; i < count; i++) {
        putc('\n', out);
        write_amounts(&found[i]->amounts, out);
        putc('\n', out);
        write_calls(accounts, found[i], out);
    }
    free(found);
}

/* Write a line with a process's live bytes; none if it has ended meanwhile. */
static void write_process(const struct accounts *accounts, const char *name,
                          FILE *out)
{
    struct profile *profile = profile_create();

    escape_write(out, ESCAPE_TERMINAL, base_name(name), SIZE_MAX);
    if (open_profile(name, profile) == COMMAND_DONE) {
        profile_finish(profile);
        fprintf(out, "  live %s, allocated %s  ",
                NUMBER_BYTES(profile->heap.live_bytes),
                NUMBER_BYTES((int64_t)profile->heap.alloc_bytes));
        if (profile->image_count > 0)
            escape_write(out, ESCAPE_TERMINAL, profile->images[0].command_line,
                         SIZE_MAX);
    }
    fputs(strcmp(name, accounts->load.name) == 0 ? "  (watched)\n" : "\n", out);
    profile_destroy(profile);
}

static size_t write_processes(struct top *top, FILE *out)
{
    struct accounts *accounts = top->context;
    size_t watched = 0;

    top_names_close(&accounts->processes);
    top_load_find(&accounts->load, &accounts->processes);
    for (size_t i = 0; i < accounts->processes.count; i++) {
        const char *name = accounts->processes.names[i];

        write_process(accounts, name, out);
        if (strcmp(name, accounts->load.name) == 0)
            watched = i;
    }
    return watched;
}

static void take_process(struct top *top, size_t number)
{
    struct accounts *accounts = top->context;

    if (number < accounts->processes.count)
        top_load_take(&accounts->load, accounts->processes.names[number]);
}

int top_accounts(const struct top_options *options, const char *name,
                 struct top_calls *calls)
{
    const struct top_source source = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .head_lines = 5,
        .refresh = refresh,
        .write_head = write_head,
        .write_row = write_row,
        .write_processes = calls == NULL ? write_processes : NULL,
        .take_process = take_process,
    };
    struct accounts accounts = {
        .load = { .of = &options->of,
                  .has_all = options->has_all,
                  .calls = calls },
    };
    struct top_options given = *options;
    struct top top = { .stop = calls == NULL ? -1 : calls->stop };
    int status = top_load_open(&accounts.load, name);

    if (given.sort == NULL)
        given.sort = columns[LIVE].word;
    if (status == COMMAND_DONE)
        status = top_watch(&top, &given, &source, &accounts);
    forget_profile(&accounts);
    symbols_destroy(accounts.symbols);
    top_names_close(&accounts.processes);
    top_load_close(&accounts.load);
    return status;
}
