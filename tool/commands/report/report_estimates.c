/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_estimates.c - numbers of a report, with their intervals if it is sampled
 */
#include "tool/commands/report/report_estimates.h"

#include <inttypes.h>
#include <stdio.h>

#include "tool/text/number.h"

enum { FEW_SAMPLES = 10 }; /* so many are known to about 60 % */

char *report_measure_text(char out[ESTIMATE_TEXT_SIZE],
                          const struct profile *profile, bool is_estimate,
                          const struct profile_amounts *amounts,
                          enum measure measure)
{
    int64_t value = measure_of(amounts, measure);

    if (is_estimate && profile->sample_interval > 1)
        return estimate_text(out, value,
                             interval_of_measure(profile, amounts, measure));
    if (measure == MEASURE_LIVE_BYTES || measure == MEASURE_LIVE_BLOCKS)
        return number_signed(out, value);
    return number_unsigned(out, (uint64_t)value);
}

/* Freed blocks are those that were allocated, without those that live. */
struct interval report_interval_of_frees(const struct profile *profile,
                                         const struct profile_amounts *amounts)
{
    double variance =
        amounts->variance.total_blocks - amounts->variance.live_blocks;

    return interval_of_sampled(profile, MEASURE_TOTAL_BLOCKS,
                               (double)amounts->free_blocks,
                               variance < 0 ? 0 : variance);
}

static uint64_t samples_of(const struct lifetimes *lifetimes)
{
    return lifetimes == NULL ? 0
                             : lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples;
}

const char *report_few_samples(char out[FEW_SAMPLES_SIZE],
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

void report_print_sampling(const struct profile *profile)
{
    char number[NUMBER_SIZE];
    char samples[NUMBER_SIZE];

    if (profile->sample_interval == 0)
        return;
    printf("sampled: one byte in %s; %s blocks were seen",
           number_unsigned(number, profile->sample_interval),
           number_unsigned(samples, samples_of(&profile->lifetimes)));
    puts(profile->sample_interval == 1
             ? ", which are all but those of no bytes"
             : ". Numbers of the heap are estimates, with intervals of 95 %, "
               "which allow for blocks of one byte that no sample met");
}

void report_write_sampling_json(struct json *json,
                                const struct profile *profile)
{
    if (profile->sample_interval == 0) {
        json_null(json, "sampling");
        return;
    }
    json_begin_object(json, "sampling");
    json_unsigned(json, "interval", profile->sample_interval);
    json_unsigned(json, "samples", samples_of(&profile->lifetimes));
    json_fraction(json, "confidence", 0.95);
    json_end_object(json);
}

void report_write_interval(struct json *json, const char *key,
                           struct interval interval)
{
    json_begin_array(json, key);
    json_fraction(json, NULL, interval.low);
    json_fraction(json, NULL, interval.high);
    json_end_array(json);
}

static void write_measures(struct json *json, const struct profile *profile,
                           const struct profile_amounts *amounts,
                           const char *const keys[MEASURE_COUNT])
{
    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        if (keys[i] != NULL && measure_is_known(profile, (enum measure)i))
            report_write_interval(
                json, keys[i],
                interval_of_measure(profile, amounts, (enum measure)i));
    }
}

void report_write_total_intervals(struct json *json,
                                  const struct profile *profile)
{
    static const char *const keys[MEASURE_COUNT] = {
        [MEASURE_TOTAL_BLOCKS] = "allocations",
        [MEASURE_TOTAL_BYTES] = "bytes_allocated",
        [MEASURE_LIVE_BYTES] = "leaked_bytes",
        [MEASURE_LIVE_BLOCKS] = "leaked_blocks",
        [MEASURE_TEMPORARY] = "temporary",
    };

    if (profile->sample_interval == 0)
        return;
    json_begin_object(json, "intervals");
    write_measures(json, profile, &profile->heap, keys);
    report_write_interval(json, "frees",
                          report_interval_of_frees(profile, &profile->heap));
    if (profile->peak_most != 0)
        report_write_interval(json, "peak_bytes", interval_of_peak(profile));
    json_end_object(json);
}

void report_write_intervals(struct json *json, const struct profile *profile,
                            bool is_estimate,
                            const struct profile_amounts *amounts,
                            const struct lifetimes *lifetimes)
{
    static const char *const keys[MEASURE_COUNT] = {
        [MEASURE_LIVE_BYTES] = "bytes_live",
        [MEASURE_LIVE_BLOCKS] = "blocks_live",
        [MEASURE_TOTAL_BYTES] = "bytes_total",
        [MEASURE_TOTAL_BLOCKS] = "blocks_total",
        [MEASURE_TEMPORARY] = "temporary",
    };

    if (profile->sample_interval == 0)
        return;
    if (!is_estimate) {
        json_null(json, "samples");
        json_null(json, "intervals");
        return;
    }
    json_unsigned(json, "samples", samples_of(lifetimes));
    json_begin_object(json, "intervals");
    write_measures(json, profile, amounts, keys);
    json_end_object(json);
}
