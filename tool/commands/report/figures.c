/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - the table of figures, and what is made of it
 */
#include "tool/commands/report/figures.h"

#include <inttypes.h>
#include <stdio.h>

#include "tool/text/number.h"

enum { FEW_SAMPLES = 10 }; /* so many are known to about 60 % */

/* What a source must tell for a figure to be known. */
enum need {
    NEED_NOTHING,
    NEED_TOTALS,
    NEED_PEAKS,
    NEED_TEMPORARY,
    NEED_LEDGER,
    NEED_RATES,
    NEED_HEAP_PEAK,
};

static const struct {
    const char *row_key;  /* in JSON; NULL: rows do not have it */
    const char *heap_key; /* likewise the whole heap */
    const char *title;    /* of the whole heap */
    enum measure measure; /* MEASURE_COUNT: it is none */
    enum need need;
} figures[FIGURE_COUNT] = {
    [FIGURE_LIVE_BYTES] = { "bytes_live", "leaked_bytes", "live bytes",
                            MEASURE_LIVE_BYTES, NEED_NOTHING },
    [FIGURE_LIVE_BLOCKS] = { "blocks_live", "leaked_blocks", "live blocks",
                             MEASURE_LIVE_BLOCKS, NEED_NOTHING },
    [FIGURE_TOTAL_BYTES] = { "bytes_total", "bytes_allocated",
                             "bytes allocated", MEASURE_TOTAL_BYTES,
                             NEED_TOTALS },
    [FIGURE_TOTAL_BLOCKS] = { "blocks_total", "allocations", "allocations",
                              MEASURE_TOTAL_BLOCKS, NEED_TOTALS },
    [FIGURE_INHERITED_BYTES] = { "bytes_inherited", "bytes_inherited",
                                 "inherited bytes", MEASURE_COUNT,
                                 NEED_TOTALS },
    [FIGURE_INHERITED_BLOCKS] = { "blocks_inherited", "blocks_inherited",
                                  "inherited blocks", MEASURE_COUNT,
                                  NEED_TOTALS },
    [FIGURE_PEAK_BYTES] = { "peak_bytes", NULL, NULL, MEASURE_PEAK_BYTES,
                            NEED_PEAKS },
    [FIGURE_PEAK_BLOCKS] = { "peak_blocks", NULL, NULL, MEASURE_PEAK_BLOCKS,
                             NEED_PEAKS },
    [FIGURE_TEMPORARY] = { "temporary", "temporary", "temporary",
                           MEASURE_TEMPORARY, NEED_TEMPORARY },
    [FIGURE_PEAK_SEEN] = { "peak_bytes_seen", NULL, NULL, MEASURE_COUNT,
                           NEED_LEDGER },
    [FIGURE_CALL_RATE] = { "calls_per_second", NULL, NULL, MEASURE_COUNT,
                           NEED_RATES },
    [FIGURE_BYTE_RATE] = { "bytes_per_second", NULL, NULL, MEASURE_COUNT,
                           NEED_RATES },
    [FIGURE_FREES] = { NULL, "frees", "frees", MEASURE_COUNT, NEED_TOTALS },
    [FIGURE_HEAP_PEAK] = { NULL, "peak_bytes", "peak bytes", MEASURE_COUNT,
                           NEED_HEAP_PEAK },
    [FIGURE_PEAK_UNCERTAINTY] = { NULL, "peak_uncertainty", NULL, MEASURE_COUNT,
                                  NEED_HEAP_PEAK },
    [FIGURE_PEAK_COPIED] = { NULL, "peak_copied", NULL, MEASURE_COUNT,
                             NEED_PEAKS },
};

struct figures figures_of_heap(const struct profile *profile)
{
    return (struct figures){ profile, NULL, &profile->heap, true };
}

static bool is_known(const struct figures *of, enum figure figure)
{
    const struct profile *profile = of->profile;
    const struct call_summary *calls = profile->calls;
    bool has_totals =
        of->site != NULL ? !of->site->lacks_totals : !profile->lacks_totals;
    bool is_heap = of->site == NULL || of->site->kind == LEDGER_SITE_HEAP;
    const bool known[] = {
        [NEED_NOTHING] = true,
        [NEED_TOTALS] = has_totals,
        [NEED_PEAKS] = profile->has_peaks && is_heap,
        [NEED_TEMPORARY] = profile->has_temporary && is_heap,
        [NEED_LEDGER] = profile->allocinfo_version == 0,
        [NEED_RATES] = has_totals && profile->duration_ns != 0,
        /* A trace has one order: its peak is exact, also where it is 0. */
        [NEED_HEAP_PEAK] = profile->peak_most != 0 ||
                           (calls != NULL && calls->sample_interval <= 1),
    };

    return known[figures[figure].need];
}

static uint64_t value_of(const struct figures *of, enum figure figure)
{
    const struct profile_amounts *amounts = of->amounts;
    const struct profile *profile = of->profile;
    const struct call_summary *calls = profile->calls;

    switch (figure) {
    case FIGURE_INHERITED_BYTES:
        return amounts->inherited_bytes;
    case FIGURE_INHERITED_BLOCKS:
        return amounts->inherited_blocks;
    case FIGURE_PEAK_SEEN:
        return amounts->peak_seen;
    case FIGURE_CALL_RATE:
        return profile_rate(profile, amounts->alloc_blocks);
    case FIGURE_BYTE_RATE:
        return profile_rate(profile, amounts->alloc_bytes);
    case FIGURE_FREES:
        return amounts->free_blocks;
    case FIGURE_HEAP_PEAK:
        return profile->peak_bytes;
    case FIGURE_PEAK_UNCERTAINTY:
        return profile->peak_uncertainty;
    case FIGURE_PEAK_COPIED:
        return profile->peak_copied;
    case FIGURE_TEMPORARY:
        if (amounts == &profile->heap && calls != NULL)
            return calls->temporary;
        break;
    default:
        break;
    }
    return (uint64_t)measure_of(amounts, figures[figure].measure);
}

static bool is_signed(enum figure figure)
{
    return figure == FIGURE_LIVE_BYTES || figure == FIGURE_LIVE_BLOCKS;
}

/* Freed blocks are those that were allocated, without those that live. */
static struct interval interval_of_frees(const struct figures *of)
{
    const struct profile_amounts *amounts = of->amounts;
    double variance =
        amounts->variance.total_blocks - amounts->variance.live_blocks;

    return interval_of_sampled(of->profile, MEASURE_TOTAL_BLOCKS,
                               (double)amounts->free_blocks,
                               variance < 0 ? 0 : variance);
}

/* False: it is as exact as it is. */
static bool find_interval(const struct figures *of, enum figure figure,
                          struct interval *interval)
{
    enum measure measure = figures[figure].measure;

    if (figure == FIGURE_FREES)
        *interval = interval_of_frees(of);
    else if (figure == FIGURE_HEAP_PEAK && of->profile->peak_most != 0)
        *interval = interval_of_peak(of->profile);
    else if (measure != MEASURE_COUNT && measure != MEASURE_PEAK_BYTES &&
             measure != MEASURE_PEAK_BLOCKS &&
             measure_is_known(of->profile, measure))
        *interval = interval_of_measure(of->profile, of->amounts, measure);
    else
        return false;
    return true;
}

char *figure_text(char out[ESTIMATE_TEXT_SIZE], const struct figures *of,
                  enum figure figure)
{
    enum measure measure = figures[figure].measure;
    bool is_estimate = of->is_estimate && of->profile->sample_interval > 1;
    uint64_t value = value_of(of, figure);

    if (is_estimate && measure != MEASURE_COUNT)
        return estimate_text(
            out, (int64_t)value,
            interval_of_measure(of->profile, of->amounts, measure));
    if (is_signed(figure))
        return number_signed(out, (int64_t)value);
    /* Of what a child has from its parent only the number is known. */
    snprintf(out, ESTIMATE_TEXT_SIZE, "%s%s",
             is_estimate && value != 0 ? "about " : "", NUMBER(value));
    return out;
}

/* A number, bytes as people say them, and how uncertain it is. */
static void print_heap_figure(const struct figures *of, enum figure figure)
{
    int64_t value = (int64_t)value_of(of, figure);
    struct interval interval = { (double)value, (double)value };
    enum measure measure = figures[figure].measure;
    char margin[ESTIMATE_MARGIN_SIZE];

    if (of->profile->sample_interval > 1)
        find_interval(of, figure, &interval);
    printf("  %-16s %18s", figures[figure].title, NUMBER_SIGNED(value));
    if (figure == FIGURE_HEAP_PEAK || figure == FIGURE_INHERITED_BYTES ||
        (measure != MEASURE_COUNT && measure_is_bytes(measure)))
        printf("  (%s)", NUMBER_BYTES(value));
    estimate_margin(margin, value, interval);
    printf("%s%s\n", *margin == '\0' ? "" : "  ", margin);
}

/* Of what the peak is not certain. */
static void print_peak_doubts(const struct profile *profile)
{
    if (profile->peak_uncertainty != 0)
        printf("  %-16s it may have been up to %s bytes more or less\n", "",
               NUMBER(profile->peak_uncertainty));
    if (profile->has_peaks && profile->peak_copied != profile->peak_bytes)
        printf("  %-16s who held them is known of %s bytes (%.2f %%)\n", "",
               NUMBER(profile->peak_copied),
               (double)profile->peak_copied * 100 /
                   (double)profile->peak_bytes);
}

/* Blocks that were freed before their thread allocated again. */
static void print_temporary(const struct profile *profile)
{
    const struct profile_amounts *heap = &profile->heap;
    const struct lifetimes *lifetimes = &profile->lifetimes;
    char text[ESTIMATE_TEXT_SIZE];
    struct share share;

    printf("  %-16s %18s  ", figures[FIGURE_TEMPORARY].title,
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

void figures_print(const struct profile *profile)
{
    static const enum figure shown[] = {
        FIGURE_TOTAL_BLOCKS,    FIGURE_FREES,
        FIGURE_TOTAL_BYTES,     FIGURE_LIVE_BLOCKS,
        FIGURE_LIVE_BYTES,      FIGURE_HEAP_PEAK,
        FIGURE_TEMPORARY,       FIGURE_INHERITED_BLOCKS,
        FIGURE_INHERITED_BYTES,
    };
    const struct figures of = figures_of_heap(profile);

    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        bool is_inherited = shown[i] == FIGURE_INHERITED_BLOCKS ||
                            shown[i] == FIGURE_INHERITED_BYTES;

        if (is_inherited ? profile->heap.inherited_blocks == 0
                         : !is_known(&of, shown[i]))
            continue;
        if (shown[i] == FIGURE_TEMPORARY)
            print_temporary(profile);
        else if (shown[i] != FIGURE_HEAP_PEAK || profile->peak_most != 0)
            print_heap_figure(&of, shown[i]);
        if (shown[i] == FIGURE_HEAP_PEAK && profile->peak_most != 0)
            print_peak_doubts(profile);
    }
}

static void write_figure(struct json *json, const char *key,
                         const struct figures *of, enum figure figure)
{
    if (!is_known(of, figure))
        json_null(json, key);
    else if (is_signed(figure))
        json_signed(json, key, (int64_t)value_of(of, figure));
    else
        json_unsigned(json, key, value_of(of, figure));
}

void figures_write_row(struct json *json, const struct figures *of)
{
    for (unsigned i = 0; i < FIGURE_COUNT; i++) {
        if (figures[i].row_key != NULL)
            write_figure(json, figures[i].row_key, of, (enum figure)i);
    }
}

static void write_intervals(struct json *json, const struct figures *of)
{
    struct interval interval;

    json_begin(json, "intervals", JSON_OBJECT);
    for (unsigned i = 0; i < FIGURE_COUNT; i++) {
        const char *key =
            of->site != NULL ? figures[i].row_key : figures[i].heap_key;

        if (key != NULL && find_interval(of, (enum figure)i, &interval))
            estimate_json(json, key, interval);
    }
    json_end(json);
}

void figures_write_heap(struct json *json, const struct profile *profile)
{
    static const enum figure order[] = {
        FIGURE_TOTAL_BLOCKS,     FIGURE_FREES,
        FIGURE_TOTAL_BYTES,      FIGURE_HEAP_PEAK,
        FIGURE_PEAK_UNCERTAINTY, FIGURE_PEAK_COPIED,
        FIGURE_LIVE_BYTES,       FIGURE_LIVE_BLOCKS,
        FIGURE_TEMPORARY,        FIGURE_INHERITED_BYTES,
        FIGURE_INHERITED_BLOCKS,
    };
    const struct figures of = figures_of_heap(profile);

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        write_figure(json, figures[order[i]].heap_key, &of, order[i]);
    if (profile->sample_interval != 0)
        write_intervals(json, &of);
}

static uint64_t samples_of(const struct lifetimes *lifetimes)
{
    return lifetimes == NULL ? 0
                             : lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples;
}

void figures_write_intervals(struct json *json, const struct figures *of,
                             const struct lifetimes *lifetimes)
{
    if (of->profile->sample_interval == 0)
        return;
    json_known(json, "samples", of->is_estimate, samples_of(lifetimes));
    if (of->is_estimate)
        write_intervals(json, of);
    else
        json_null(json, "intervals");
}

const char *figure_few_samples(char out[FEW_SAMPLES_SIZE],
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

void figures_write_name(struct json *json, const struct site_name *name)
{
    json_string(json, "function", name->function);
    json_string(json, "file", name->file);
    json_known(json, "line", name->file != NULL, name->line);
    json_string(json, "module", name->module);
}

void figures_print_sampling(const struct profile *profile)
{
    if (profile->sample_interval == 0)
        return;
    printf("sampled: one byte in %s; %s blocks were seen",
           NUMBER(profile->sample_interval),
           NUMBER(samples_of(&profile->lifetimes)));
    puts(profile->sample_interval == 1
             ? ", which are all but those of no bytes"
             : ". Numbers of the heap are estimates, with intervals of 95 %, "
               "which allow for blocks of one byte that no sample met");
}

void figures_write_sampling(struct json *json, const struct profile *profile)
{
    if (profile->sample_interval == 0) {
        json_null(json, "sampling");
        return;
    }
    json_begin(json, "sampling", JSON_OBJECT);
    json_unsigned(json, "interval", profile->sample_interval);
    json_unsigned(json, "samples", samples_of(&profile->lifetimes));
    json_fraction(json, "confidence", 0.95);
    json_end(json);
}
