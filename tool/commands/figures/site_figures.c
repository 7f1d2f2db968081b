/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_figures.c - the table of figures, and what is made of it
 *
 * This file is long because all figures are of one table.
 */
#include "tool/commands/figures/site_figures.h"

enum { FEW_SAMPLES = 10 }; /* so many are known to about 60 % */

/* data that a figure needs */
enum need {
    NOTHING,
    TOTALS,
    PEAKS,
    TEMPORARY,
    LEDGER,
    RESIDENCY,
    GROWN,
    HEAP_PEAK,
    MAP_PEAK,
    JOINT_PEAK,
    SNAPSHOT, /* since which all is counted */
};

#define NO_MEASURE MEASURE_COUNT
#define AT(member) .at = offsetof(struct profile_amounts, member) + 1

static const struct {
    enum measure measure; /* NO_MEASURE: value_of() knows */
    enum need need;
    const char *row;    /* its key in JSON's rows; NULL: they do not have it */
    const char *heap;   /* its key in JSON's totals; NULL: none */
    const char *title;  /* in the totals for people */
    const char *column; /* in a table of sites */
    size_t at;          /* one more than where it is in the amounts; 0: it is no
                           number of theirs */
} rows[SITE_FIGURES] = {
    [SITE_NO_FIGURE] = { NO_MEASURE, NOTHING, .row = NULL },
    [SITE_LIVE_BYTES] = { MEASURE_LIVE_BYTES, NOTHING, "bytes_live",
                          "leaked_bytes", "live bytes",
                          .column = "LIVE BYTES" },
    [SITE_LIVE_BLOCKS] = { MEASURE_LIVE_BLOCKS, NOTHING, "blocks_live",
                           "leaked_blocks", "live blocks",
                           .column = "LIVE BLOCKS" },
    [SITE_TOTAL_BYTES] = { MEASURE_TOTAL_BYTES, TOTALS, "bytes_total",
                           "bytes_allocated", "bytes allocated",
                           .column = "TOTAL BYTES" },
    [SITE_TOTAL_BLOCKS] = { MEASURE_TOTAL_BLOCKS, TOTALS, "blocks_total",
                            "allocations", "allocations",
                            .column = "TOTAL BLOCKS" },
    [SITE_INHERITED_BYTES] = { NO_MEASURE, TOTALS, "bytes_inherited",
                               "bytes_inherited", "inherited bytes",
                               "INHERITED BYTES", AT(inherited_bytes) },
    [SITE_INHERITED_BLOCKS] = { NO_MEASURE, TOTALS, "blocks_inherited",
                                "blocks_inherited", "inherited blocks",
                                "INHERITED BLOCKS", AT(inherited_blocks) },
    [SITE_PEAK_BYTES] = { MEASURE_PEAK_BYTES, PEAKS, .row = "peak_bytes",
                          .column = "PEAK BYTES" },
    [SITE_PEAK_BLOCKS] = { MEASURE_PEAK_BLOCKS, PEAKS, .row = "peak_blocks",
                           .column = "PEAK BLOCKS" },
    [SITE_TEMPORARY] = { MEASURE_TEMPORARY, TEMPORARY, "temporary", "temporary",
                         "temporary", .column = "TEMPORARY" },
    [SITE_GROWN] = { MEASURE_GROWN, GROWN, "reallocs", .column = "GROWN" },
    [SITE_GROWN_BYTES] = { NO_MEASURE, GROWN, "realloc_bytes",
                           .column = "BY BYTES", AT(grown_bytes) },
    [SITE_PEAK_RESIDENT] = { NO_MEASURE, MAP_PEAK, .row = "peak_resident_bytes",
                             AT(most_resident) },
    [SITE_PEAK_SEEN] = { NO_MEASURE, LEDGER, .row = "peak_bytes_seen",
                         AT(peak_seen) },
    [SITE_RESIDENT] = { MEASURE_RESIDENT, RESIDENCY, .row = "resident_bytes",
                        .column = "RESIDENT" },
    [SITE_SLACK] = { NO_MEASURE, RESIDENCY, .row = "slack_bytes",
                     .column = "SLACK" },
    [SITE_ALONE] = { NO_MEASURE, RESIDENCY, .row = "freeable_bytes",
                     .column = "PINS ALONE" },
    [SITE_ALONE_BLOCKS] = { NO_MEASURE, RESIDENCY, .row = "freeable_blocks",
                            .column = "BY BLOCKS" },
    [SITE_UNTOUCHED] = { NO_MEASURE, RESIDENCY, .row = "untouched_bytes",
                         .column = "UNTOUCHED" },
    [SITE_FREED_BYTES] = { NO_MEASURE, SNAPSHOT, "bytes_freed", "bytes_freed",
                           .column = "FREED BYTES", AT(free_bytes) },
    [SITE_FREED_BLOCKS] = { NO_MEASURE, SNAPSHOT, .row = "blocks_freed",
                            .column = "FREED BLOCKS", AT(free_blocks) },
    [SITE_GROWTH_BYTES] = { NO_MEASURE, SNAPSHOT, "bytes_growth",
                            "bytes_growth", .column = "GROWTH BYTES" },
    [SITE_GROWTH_BLOCKS] = { NO_MEASURE, SNAPSHOT, "blocks_growth",
                             "blocks_growth", .column = "GROWTH BLOCKS" },
    [SITE_OLDER_BYTES] = { NO_MEASURE, SNAPSHOT, .row = "bytes_older_least",
                           .column = "OLDER BYTES, FROM", AT(older_bytes) },
    [SITE_OLDER_BYTES_MOST] = { NO_MEASURE, SNAPSHOT, .row = "bytes_older_most",
                                .column = "TO" },
    [SITE_OLDER_BLOCKS] = { NO_MEASURE, SNAPSHOT, .row = "blocks_older_least",
                            .column = "BLOCKS, FROM", AT(older_blocks) },
    [SITE_OLDER_BLOCKS_MOST] = { NO_MEASURE, SNAPSHOT,
                                 .row = "blocks_older_most", .column = "TO" },
    [SITE_FREES] = { NO_MEASURE, TOTALS, .heap = "frees", .title = "frees",
                     AT(free_blocks) },
    [SITE_HEAP_PEAK] = { NO_MEASURE, HEAP_PEAK, .heap = "peak_bytes",
                         .title = "peak bytes" },
    [SITE_PEAK_OF_MAPS] = { NO_MEASURE, MAP_PEAK, .heap = "peak_of_maps",
                            .title = "peak of mmap" },
    [SITE_PEAK_WITH_MAPS] = { NO_MEASURE, JOINT_PEAK, .heap = "peak_with_maps",
                              .title = "peak with mmap" },
    [SITE_PEAK_UNCERTAINTY] = { NO_MEASURE, HEAP_PEAK,
                                .heap = "peak_uncertainty" },
    [SITE_PEAK_COPIED] = { NO_MEASURE, PEAKS, .heap = "peak_copied" },
    [SITE_LEAKED_BYTES] = { MEASURE_LIVE_BYTES, NOTHING,
                            .column = "LEAKED BYTES" },
    [SITE_LEAKED_BLOCKS] = { MEASURE_LIVE_BLOCKS, NOTHING,
                             .column = "LEAKED BLOCKS" },
    [SITE_OF_BLOCKS] = { MEASURE_TOTAL_BLOCKS, TOTALS, .column = "OF BLOCKS" },
};

static bool is_known(const struct site_figures *of, enum need need)
{
    const struct profile *profile = of->profile;
    const struct call_summary *calls = profile->calls;
    bool has_totals =
        of->site != NULL ? !of->site->lacks_totals : !profile->lacks_totals;
    bool is_heap = of->site == NULL || of->site->kind == LEDGER_SITE_HEAP;
    const bool known[] = {
        [NOTHING] = true,
        [TOTALS] = has_totals,
        [PEAKS] = is_heap ? profile->has_peaks
                          : profile->has_map_peaks &&
                                of->site->kind == LEDGER_SITE_MAP,
        [TEMPORARY] =
            profile->has_temporary && (is_heap || profile->has_temporary_maps),
        [LEDGER] = profile->allocinfo_version == 0,
        [RESIDENCY] = true,
        [GROWN] = is_heap,
        /* A trace has one order: its peak is exact, also where it is 0. */
        [HEAP_PEAK] = profile->peak_most != 0 || profile->has_map_peaks ||
                      (calls != NULL && calls->sample_interval <= 1),
        [MAP_PEAK] = profile->has_map_peaks && !profile->peak_is_joint,
        [JOINT_PEAK] = profile->peak_with_maps != 0 ||
                       (calls != NULL && calls->sample_interval <= 1),
        [SNAPSHOT] = profile->since_ns != 0,
    };

    return known[need];
}

static const char *key_of(const struct site_figures *of, unsigned which)
{
    if ((rows[which].need == SNAPSHOT && of->profile->since_ns == 0) ||
        (rows[which].need == RESIDENCY && !of->profile->has_residency) ||
        (rows[which].need == GROWN && !of->profile->has_grown) ||
        (rows[which].need == MAP_PEAK && !is_known(of, MAP_PEAK)) ||
        (which == SITE_PEAK_RESIDENT &&
         (!of->profile->has_map_reading || of->site == NULL ||
          of->site->kind != LEDGER_SITE_MAP)))
        return NULL;
    return of->site != NULL ? rows[which].row : rows[which].heap;
}

struct site_figures site_figures_of_heap(const struct profile *profile)
{
    return (struct site_figures){ profile, NULL, &profile->heap, true };
}

static uint64_t least_of(uint64_t then, int64_t now)
{
    return now >= 0 && (uint64_t)now < then ? (uint64_t)now : then;
}

static uint64_t value_of(const struct site_figures *of, enum site_figure which)
{
    const struct profile_amounts *amounts = of->amounts;
    const struct profile *profile = of->profile;

    if (rows[which].measure == MEASURE_TEMPORARY && profile->calls != NULL &&
        amounts == &profile->heap)
        return profile->calls->temporary;
    if (rows[which].measure != NO_MEASURE)
        return (uint64_t)measure_of(amounts, rows[which].measure);
    if (rows[which].at != 0)
        return *(const uint64_t *)((const char *)amounts + rows[which].at - 1);
    switch (which) {
    case SITE_UNTOUCHED:
        return amounts->untouched_pages * (uint64_t)LEDGER_PAGE;
    case SITE_SLACK:
        return amounts->resident_bytes - amounts->resident_used;
    case SITE_ALONE:
        return amounts->alone_pages * (uint64_t)LEDGER_PAGE;
    case SITE_ALONE_BLOCKS:
        return amounts->alone_blocks;
    case SITE_OLDER_BYTES_MOST:
        return least_of(amounts->inherited_bytes, amounts->live_bytes);
    case SITE_OLDER_BLOCKS_MOST:
        return least_of(amounts->inherited_blocks, amounts->live_blocks);
    case SITE_GROWTH_BYTES:
        return (uint64_t)amounts->live_bytes - amounts->inherited_bytes;
    case SITE_GROWTH_BLOCKS:
        return (uint64_t)amounts->live_blocks - amounts->inherited_blocks;
    case SITE_HEAP_PEAK:
        return profile->peak_bytes;
    case SITE_PEAK_OF_MAPS:
        return profile->maps.peak_bytes;
    case SITE_PEAK_WITH_MAPS:
        return profile->peak_with_maps;
    case SITE_PEAK_UNCERTAINTY:
        return profile->peak_uncertainty;
    case SITE_PEAK_COPIED:
        return profile->peak_copied;
    default:
        return 0;
    }
}

/* Return the interval of growth since a snapshot. Of the blocks that were live
   then only their bytes are known: samples add at most the interval to each. */
static struct interval interval_since(const struct site_figures *of,
                                      enum measure measure)
{
    const struct profile_amounts *amounts = of->amounts;
    bool is_bytes = measure_is_bytes(measure);
    double bytes = (double)amounts->inherited_bytes;
    double blocks = (double)amounts->inherited_blocks;
    double a_byte = (double)of->profile->sample_interval;
    struct turnover turnover = {
        .before = is_bytes ? bytes : blocks,
        .after = (double)measure_of(amounts, measure),
        .allocated =
            (double)(is_bytes ? amounts->alloc_bytes : amounts->alloc_blocks),
        .freed =
            (double)(is_bytes ? amounts->free_bytes : amounts->free_blocks),
        .before_variance = is_bytes    ? bytes * a_byte
                           : bytes > 0 ? blocks * blocks / bytes * a_byte
                                       : 0,
        .after_variance = measure_error(amounts, measure).variance,
        .allocated_variance =
            measure_error(amounts,
                          is_bytes ? MEASURE_TOTAL_BYTES : MEASURE_TOTAL_BLOCKS)
                .variance,
        .freed_variance = is_bytes ? (double)amounts->free_bytes * a_byte
                                   : (double)amounts->error.free_blocks,
    };

    return interval_of_turnover(of->profile, measure, &turnover);
}

/* Peaks of sites are exact, or not known: no interval. */
static struct figure find_figure(const struct site_figures *of,
                                 enum site_figure which)
{
    const struct profile *profile = of->profile;
    enum measure measure = rows[which].measure;
    bool is_live =
        measure == MEASURE_LIVE_BYTES || measure == MEASURE_LIVE_BLOCKS;
    struct figure figure = {
        .key = key_of(of, which),
        .title = rows[which].column,
        .unit = is_live ? FIGURE_SIGNED
                : which == SITE_GROWTH_BYTES || which == SITE_GROWTH_BLOCKS
                    ? FIGURE_GROWTH
                    : FIGURE_NUMBER,
        .is_unknown = !is_known(of, rows[which].need),
        .is_estimate = of->is_estimate && profile->sample_interval != 0,
        .number = value_of(of, which),
    };

    if (!figure.is_estimate)
        return figure;
    if (which == SITE_FREES)
        figure.interval = interval_of_sampled(
            profile, MEASURE_TOTAL_BLOCKS, (double)of->amounts->free_blocks,
            (struct estimate_error){ (double)of->amounts->error.free_blocks,
                                     0 });
    else if (which == SITE_GROWTH_BYTES)
        figure.interval = interval_since(of, MEASURE_LIVE_BYTES);
    else if (which == SITE_GROWTH_BLOCKS)
        figure.interval = interval_since(of, MEASURE_LIVE_BLOCKS);
    else if (which == SITE_HEAP_PEAK && profile->peak_most != 0)
        figure.interval = interval_of_peak(profile);
    else if (measure != NO_MEASURE && measure != MEASURE_PEAK_BYTES &&
             measure != MEASURE_PEAK_BLOCKS &&
             measure_is_known(profile, measure))
        figure.interval = interval_of_measure(profile, of->amounts, measure);
    else
        figure.is_estimate = false;
    return figure;
}

struct figure site_figure_cell(const struct site_figures *of,
                               enum site_figure which)
{
    struct figure figure = find_figure(of, which);
    bool is_sampled = of->is_estimate && of->profile->sample_interval > 1;

    figure.is_unknown = false;
    figure.is_estimate = figure.is_estimate && is_sampled;
    /* Inherited figures have no interval. */
    if (is_sampled && rows[which].measure == NO_MEASURE && !figure.is_estimate)
        figure.unit = FIGURE_ABOUT;
    return figure;
}

/* A number, bytes as people say them, and how uncertain it is. */
static void print_heap_figure(const struct site_figures *of,
                              enum site_figure which)
{
    struct figure figure = find_figure(of, which);
    int64_t value = (int64_t)figure.number;
    enum measure measure = rows[which].measure;
    char margin[ESTIMATE_MARGIN_SIZE];

    if (of->profile->sample_interval <= 1 || !figure.is_estimate)
        figure.interval = (struct interval){ (double)value, (double)value };
    printf("  %-16s %18s", rows[which].title, NUMBER_SIGNED(value));
    if (which == SITE_HEAP_PEAK || which == SITE_PEAK_OF_MAPS ||
        which == SITE_PEAK_WITH_MAPS || which == SITE_INHERITED_BYTES ||
        (measure != NO_MEASURE && measure_is_bytes(measure)))
        printf("  (%s)", NUMBER_BYTES(value));
    estimate_margin(margin, value, figure.interval);
    printf("%s%s\n", *margin == '\0' ? "" : "  ", margin);
}

static void print_peaks(const struct site_figures *of)
{
    const struct profile *profile = of->profile;

    print_heap_figure(of, SITE_HEAP_PEAK);
    if (profile->has_map_peaks && !profile->peak_is_joint)
        print_heap_figure(of, SITE_PEAK_OF_MAPS);
    if (profile->has_map_peaks)
        print_heap_figure(of, SITE_PEAK_WITH_MAPS);
}

/* Blocks that were freed before their thread allocated again. */
static void print_temporary(const struct profile *profile)
{
    const struct profile_amounts *heap = &profile->heap;
    const struct lifetimes *lifetimes = &profile->lifetimes;
    char text[ESTIMATE_TEXT_SIZE];
    struct share share;

    printf("  %-16s %18s  ", rows[SITE_TEMPORARY].title,
           NUMBER(heap->temporary_blocks));
    if (profile->sample_interval <= 1) {
        printf("(%.1f %% of allocations)\n",
               heap->alloc_blocks == 0 ? 0
                                       : (double)heap->temporary_blocks * 100 /
                                             (double)heap->alloc_blocks);
        return;
    }
    share = share_of_blocks(profile, &lifetimes->sums[LEDGER_LIFE_FREED],
                            &lifetimes->sums[LEDGER_LIFE_ALLOCATED]);
    printf("%s of allocations\n", estimate_share(text, &share));
}

void site_figures_print(const struct profile *profile)
{
    static const enum site_figure shown[] = {
        SITE_TOTAL_BLOCKS,    SITE_FREES,
        SITE_TOTAL_BYTES,     SITE_LIVE_BLOCKS,
        SITE_LIVE_BYTES,      SITE_HEAP_PEAK,
        SITE_TEMPORARY,       SITE_INHERITED_BLOCKS,
        SITE_INHERITED_BYTES,
    };
    const struct site_figures of = site_figures_of_heap(profile);

    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        bool is_inherited = shown[i] == SITE_INHERITED_BLOCKS ||
                            shown[i] == SITE_INHERITED_BYTES;

        if (is_inherited ? profile->heap.inherited_blocks == 0
                         : !is_known(&of, rows[shown[i]].need))
            continue;
        if (shown[i] == SITE_TEMPORARY)
            print_temporary(profile);
        else if (shown[i] != SITE_HEAP_PEAK)
            print_heap_figure(&of, shown[i]);
        else if (profile->peak_most != 0 || profile->has_map_peaks)
            print_peaks(&of);
    }
}

static uint64_t samples_of(const struct lifetimes *lifetimes)
{
    return lifetimes == NULL ? 0
                             : lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples;
}

/* Fill the figures that JSON has of a row or the heap; leave others empty. */
static void find_all(struct figure all[SITE_FIGURES],
                     const struct site_figures *of)
{
    for (unsigned i = 0; i < SITE_FIGURES; i++)
        all[i] = key_of(of, i) == NULL ? (struct figure){ 0 }
                                       : find_figure(of, (enum site_figure)i);
}

void site_figures_write(struct json *json, const struct site_figures *of,
                        const struct lifetimes *lifetimes)
{
    struct figure all[SITE_FIGURES];

    find_all(all, of);
    figures_put(NULL, json, all, SITE_FIGURES);
    if (of->profile->sample_interval == 0)
        return;
    json_number_or_null(json, "samples", of->is_estimate,
                        samples_of(lifetimes));
    if (of->is_estimate)
        figures_write_intervals(json, all, SITE_FIGURES);
    else
        json_null(json, "intervals");
}

void site_figures_write_heap(struct json *json, const struct profile *profile)
{
    static const enum site_figure order[] = {
        SITE_TOTAL_BLOCKS,     SITE_FREES,        SITE_TOTAL_BYTES,
        SITE_HEAP_PEAK,        SITE_PEAK_OF_MAPS, SITE_PEAK_WITH_MAPS,
        SITE_PEAK_UNCERTAINTY, SITE_PEAK_COPIED,  SITE_LIVE_BYTES,
        SITE_LIVE_BLOCKS,      SITE_TEMPORARY,    SITE_INHERITED_BYTES,
        SITE_INHERITED_BLOCKS, SITE_FREED_BYTES,  SITE_GROWTH_BYTES,
        SITE_GROWTH_BLOCKS,
    };
    const struct site_figures of = site_figures_of_heap(profile);
    struct figure all[SITE_FIGURES];

    find_all(all, &of);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        figures_put(NULL, json, &all[order[i]], 1);
    if (profile->sample_interval != 0)
        figures_write_intervals(json, all, SITE_FIGURES);
}

const char *site_figures_few(char out[FEW_SAMPLES_SIZE],
                             const struct profile *profile,
                             const struct lifetimes *lifetimes)
{
    unsigned samples = (unsigned)samples_of(lifetimes);

    out[0] = '\0';
    if (profile->sample_interval > 1 && samples_of(lifetimes) < FEW_SAMPLES &&
        lifetimes != NULL)
        snprintf(out, FEW_SAMPLES_SIZE, " (%u sample%s)", samples,
                 number_plural(samples));
    return out;
}

void site_figures_print_sampling(const struct profile *profile)
{
    char line[TRUST_LINE_SIZE];

    if (profile->sample_interval == 0)
        return;
    if (profile->sampling.budget != 0)
        printf("%s", trust_sampling(line, profile->sample_interval,
                                    &profile->sampling));
    else
        printf("sampled: one byte in %s", NUMBER(profile->sample_interval));
    printf("; %s samples", NUMBER(samples_of(&profile->lifetimes)));
    puts(profile->sample_interval == 1
             ? ", every block with bytes"
             : "; heap figures are estimates with 95 % intervals, which "
               "allow for unsampled blocks of one byte");
}

void site_figures_write_sampling(struct json *json,
                                 const struct profile *profile)
{
    const struct ledger_sampling *sampling = &profile->sampling;

    if (profile->sample_interval == 0) {
        json_null(json, "sampling");
        return;
    }
    json_begin(json, "sampling", JSON_OBJECT);
    json_unsigned(json, "interval", profile->sample_interval);
    json_unsigned(json, "samples", samples_of(&profile->lifetimes));
    json_fraction(json, "confidence", 0.95);
    if (sampling->budget != 0) {
        json_begin(json, "budget", JSON_OBJECT);
        json_fraction(json, "share", sampling->budget / 1e6);
        json_unsigned(json, "interval_least", sampling->least);
        json_unsigned(json, "cost_ns", sampling->cost_ns);
        json_unsigned(json, "capacity_ns", sampling->capacity_ns);
        json_end(json);
    }
    json_end(json);
}
