/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo.c - tally allocinfo: print call sites in the kernel's allocinfo
 * format
 *
 * The executable's call sites appear as the kernel's built-in ones; those of a
 * shared object have its name in brackets. The order is the kernel's: by module
 * and address, with rows of zeros. Readers sum rows of one place, or --sum does
 * here.
 *
 * Rows of an allocinfo text are copied byte by byte, unless they are summed or
 * lose pairs; on a terminal, control characters become '_'.
 */
#include "tool/commands/load/load.h"
#include "tool/model/sources/sources.h"
#include "tool/render/render.h"

struct allocinfo_options {
    struct source_options of;
    const char *source;
    unsigned version; /* 0: the source's, or as its rows need */
    bool has_totals;
    bool has_peaks;
    bool has_rates;
};

/* Check that the source has the requested figures for each row. */
static int check_pairs(const struct allocinfo_options *options, bool has_totals,
                       bool has_peaks, bool has_rates)
{
    if (options->has_totals && !has_totals)
        return complain(options->source, "its rows have no totals",
                        "leave out --totals");
    if (options->has_peaks && !has_peaks)
        return complain(options->source, "its rows have no peaks",
                        "leave out --peaks");
    if (options->has_rates && !has_rates)
        return complain(options->source, "its rows have no rates",
                        "leave out --rates");
    return COMMAND_DONE;
}

static void print_row(unsigned version, const struct allocinfo_row *row)
{
    size_t length = allocinfo_write_row(NULL, 0, version, row);
    OWNED char *line = memory_zeroed(length, 1);

    allocinfo_write_row(line, length, version, row);
    line[length - 1] = '\0'; /* in place of the newline */
    escape_write(stdout, ESCAPE_ALLOCINFO, line, SIZE_MAX);
    putchar('\n');
}

static void print_header(unsigned version)
{
    fputs(version == 2 ? ALLOCINFO_HEADER_V2 : ALLOCINFO_HEADER_V1, stdout);
}

static bool is_of_executable(const struct profile *profile,
                             const struct profile_site *site)
{
    return site->module != PROFILE_NO_MODULE &&
           profile->modules[site->module].is_executable;
}

/* Compare rows: built-in ones first, those of executables before the others. */
static int compare_sites(const void *left, const void *right, void *argument)
{
    const struct profile *profile = argument;
    const struct profile_site *a = &profile->callers[*(const size_t *)left];
    const struct profile_site *b = &profile->callers[*(const size_t *)right];
    bool a_first = is_of_executable(profile, a);
    bool b_first = is_of_executable(profile, b);

    if (a_first != b_first)
        return a_first ? -1 : 1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static struct text_view view_of(const char *text)
{
    return (struct text_view){ text, text == NULL ? 0 : strlen(text) };
}

static void print_site(const struct allocinfo_options *options,
                       unsigned version, const struct profile *profile,
                       const struct profile_site *site,
                       const struct site_name *name)
{
    const struct profile_amounts *amounts = &site->amounts;
    bool is_text = profile->allocinfo_version != 0;
    OWNED char *label = site_label(site, name);
    struct allocinfo_row row = {
        .bytes = amounts->live_bytes,
        .calls = (uint64_t)amounts->live_blocks,
        .file = view_of(site_file(name)),
        .line = name->file == NULL ? 0 : name->line,
        .function = view_of(label),
        .module = view_of(site_module(profile, site, name)),
        .is_inaccurate = site_is_inaccurate(profile, site),
        /* Keep the totals of a text; print those of a ledger on demand. */
        .has_totals = !site->lacks_totals && (options->has_totals || is_text),
        .total_calls = amounts->alloc_blocks,
        .total_bytes = amounts->alloc_bytes,
        .unseen_frees = amounts->unseen_frees,
        .is_unloaded = site->is_unloaded,
        .has_peak = options->has_peaks,
        .peak_seen = amounts->peak_seen,
        .has_rates = options->has_rates,
    };

    if (row.has_rates) {
        row.calls_per_second = profile_rate(profile, row.total_calls);
        row.bytes_per_second = profile_rate(profile, row.total_bytes);
    }
    if (site->label != NULL && !site->is_sum)
        row.pairs = view_of(site->label->pairs);
    print_row(version, &row);
}

static void print_sites(const struct allocinfo_options *options,
                        struct profile *profile, const struct site_names *names)
{
    OWNED size_t *order = memory_zeroed(profile->caller_count, sizeof *order);
    unsigned version = options->version;

    if (version == 0)
        version =
            profile->allocinfo_version == 2 || profile->inaccurate_sites != 0
                ? 2
                : 1;
    for (size_t i = 0; i < profile->caller_count; i++)
        order[i] = i;
    qsort_r(order, profile->caller_count, sizeof *order, compare_sites,
            profile);
    print_header(version);
    for (size_t i = 0; i < profile->caller_count; i++) {
        const struct profile_site *site = &profile->callers[order[i]];

        if (site->kind == LEDGER_SITE_HEAP && !site->is_left_out &&
            site_numbers_match(&options->of.choice.filter, profile, site))
            print_site(options, version, profile, site,
                       &names->sites[order[i]]);
    }
}

static int print_profile(const struct allocinfo_options *options,
                         struct profile *profile)
{
    struct site_names *names;

    note_sampling(options->source, profile);
    note_losses(options->source, profile);
    if (check_pairs(options, !profile->lacks_totals,
                    profile->allocinfo_version == 0,
                    profile->duration_ns > 0) != COMMAND_DONE)
        return COMMAND_USAGE;
    names = sites_name(&options->of.choice, DEMANGLE_WITHOUT_ARGUMENTS, profile,
                       NULL, NULL);
    if (note_unknown_names(&options->of,
                           &(struct named_profile){ profile, names, NULL }, 1))
        return COMMAND_USAGE;
    print_sites(options, profile, names);
    return COMMAND_DONE;
}

static int print_source(const struct allocinfo_options *options,
                        struct source_load *load)
{
    int status;

    if (!load->is_trace && options->of.elf.path != NULL)
        return complain("--elf", "the source is no trace", "leave it out");
    status = source_load_sum(load);
    if (status == COMMAND_DONE && load->is_trace &&
        !trace_sum_has_calls(&load->sum))
        status = complain(options->source, "it is a trace of regions",
                          "look at it with tally report");
    if (status != COMMAND_DONE)
        return status;
    trace_tell_losses(options->source, &load->sum.counts);
    status = source_load_profile(load);
    return status == COMMAND_DONE ? print_profile(options, load->profile)
                                  : status;
}

/*
 * Copy a row byte by byte, unless text surrounds the row, its size has a unit
 * or the output is a terminal.
 */
static void copy_row(const struct allocinfo_options *options,
                     const struct allocinfo_lines *lines,
                     const struct allocinfo_row *row)
{
    const char *bytes = lines->bytes + lines->row;
    size_t size = lines->at - lines->row;

    if (!allocinfo_filter_matches(&options->of.choice.filter, row))
        return;
    if ((options->version == 1 && lines->version != 1) ||
        lines->remarks.reports != 0 || row->has_unit ||
        bytes[size - 1] != '\n' || bytes[size - 2] == '\r' ||
        terminal_width(stdout) != 0)
        print_row(options->version == 1 ? 1 : lines->version, row);
    else
        fwrite(bytes, 1, size, stdout);
}

/* Print the rows that match or, unless `matches` is NULL, check the text and
   count them. */
static int walk_text(const struct allocinfo_options *options,
                     struct allocinfo_lines *lines, size_t *matches)
{
    struct source_failure failure;
    struct allocinfo_row row;
    int status;

    if (matches == NULL)
        print_header(options->version == 0 ? lines->version : options->version);
    while ((status = allocinfo_lines_next(lines, &row)) > 0) {
        if (matches != NULL &&
            check_pairs(options, row.has_totals, false, false) != COMMAND_DONE)
            return COMMAND_USAGE;
        if (matches == NULL)
            copy_row(options, lines, &row);
        else
            *matches +=
                allocinfo_filter_matches(&options->of.choice.filter, &row);
    }
    if (status == 0)
        return COMMAND_DONE;
    refuse_line(lines, status, &failure);
    return complain_about_source(options->source, &failure);
}

/* Return COMMAND_GO_ON if no row matches. */
static int copy_text(const struct allocinfo_options *options,
                     const struct source *source)
{
    struct allocinfo_lines lines;
    struct profile none = { 0 };
    size_t matches = 0;
    int status;

    allocinfo_lines_open(&lines, (const char *)source->bytes, source->size);
    status = walk_text(options, &lines, &matches);
    if (status != COMMAND_DONE)
        return status;
    if (matches == 0)
        return COMMAND_GO_ON;
    none.text = lines.remarks;
    note_losses(options->source, &none);
    allocinfo_lines_open(&lines, (const char *)source->bytes, source->size);
    return walk_text(options, &lines, NULL);
}

static const char *const format_names[] = { "1.0", "2.0" };
static const struct word_list format_words = WORDS(format_names);

static int take_format(const char *name, const char *value, void *field)
{
    int word = words_find(&format_words, value);

    *(unsigned *)field = (unsigned)word + 1;
    return word >= 0 ? COMMAND_GO_ON
                     : complain_about_word(name, value, &format_words);
}

static const struct option_rule rules[] = {
    { "format", OPTION_TAKES(take_format, struct allocinfo_options, version),
      .words = &format_words },
    { "totals", OPTION_SETS(struct allocinfo_options, has_totals) },
    { "peaks", OPTION_SETS(struct allocinfo_options, has_peaks) },
    { "rates", OPTION_SETS(struct allocinfo_options, has_rates) },
    { 0 },
};

static const struct option_table table = {
    .command = "allocinfo",
    .help = help_allocinfo,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_NAMES | OPTIONS_SIZES | OPTIONS_SUM | OPTIONS_PROCESS |
              OPTIONS_SYMBOLS | OPTIONS_METADATA | OPTIONS_ELF,
    .rules = rules,
};

static bool wants_pairs(const struct allocinfo_options *options)
{
    return options->has_totals || options->has_peaks || options->has_rates;
}

static int parse(int argc, char **argv, struct allocinfo_options *options)
{
    int status = options_read(&table, argc, argv, options);

    if (status != COMMAND_GO_ON)
        return status;
    if (wants_pairs(options) && options->version == 1)
        return complain("--format",
                        "version 1.0 has no place for totals, peaks and rates",
                        "use --format=2.0");
    if (wants_pairs(options))
        options->version = 2;
    return options_take_one(&table, "source", argc, argv, &options->source);
}

int command_allocinfo(int argc, char **argv)
{
    struct allocinfo_options options = { 0 };
    struct source_load load;
    int status = parse(argc, argv, &options);

    if (status != COMMAND_GO_ON)
        return status;
    load = source_load_of(options.source, &options.of);
    status = source_load_open(&load);
    if (status == COMMAND_DONE)
        status = load.source.kind == SOURCE_ALLOCINFO &&
                         options.of.choice.sum.by == SITE_SUM_NONE
                     ? copy_text(&options, &load.source)
                     : COMMAND_GO_ON;
    if (status == COMMAND_GO_ON)
        status = print_source(&options, &load);
    source_load_close(&load);
    return status;
}
