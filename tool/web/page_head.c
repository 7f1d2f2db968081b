/* SPDX-License-Identifier: Apache-2.0 */
/* page_head.c - see page_tree.h */
#include "tool/web/page_tree.h"

#include <inttypes.h>
#include <math.h>

#include "tool/facets/facet.h"

enum { QUANTILE_STEPS = 64, QUANTILE_DOUBLINGS = 10 };

static void write_processes(struct json *json,
                            const struct page_subject *subject)
{
    json_begin(json, "processes", JSON_ARRAY);
    for (size_t i = 0; i < subject->process_count; i++) {
        const struct page_process *process = &subject->processes[i];

        json_begin(json, NULL, JSON_OBJECT);
        json_unsigned(json, "pid", process->pid);
        json_unsigned(json, "generation", process->generation);
        json_string(json, "program", process->program);
        json_unsigned(json, "depth", process->depth);
        json_unsigned(json, "peak", process->peak);
        json_signed(json, "live", process->live);
        json_bool(json, "is_shown", process->is_shown);
        json_end(json);
    }
    json_end(json);
}

static void tell(void *json, const char *line)
{
    json_string(json, NULL, line);
}

/* Write an address as text: numbers of a script are exact up to 2^53 only. */
static void write_address(struct json *json, uint64_t address)
{
    char text[32];

    snprintf(text, sizeof text, "0x%" PRIx64, address);
    json_string(json, "address", text);
}

static void write_region(struct json *json, const struct regions *regions,
                         const struct region *region)
{
    json_string(json, "kind", region_kind_name(region));
    write_address(json, region->address);
    json_string(json, "name", region->name);
    json_unsigned(json, "size", region->size);
    json_unsigned(json, "used", region->used);
    json_unsigned(json, "peak", region->peak);
    json_unsigned(json, "peak_place", region->peak_place);
    json_string(json, "trend", region_trend_name(region->trend));
    json_bool(json, "has_times", regions->has_times);
    json_unsigned(json, "last", regions->last);
    json_begin(json, "points", JSON_ARRAY);
    for (size_t i = 0; i < region->point_count; i++) {
        json_begin(json, NULL, JSON_ARRAY);
        json_unsigned(json, NULL, region->points[i].place);
        json_unsigned(json, NULL, region->points[i].used);
        json_end(json);
    }
    json_end(json);
}

/* Write the name of a measure that both sides know. */
static void write_measure(struct json *json, const char *unit,
                          enum measure measure)
{
    if (measure != MEASURE_COUNT)
        json_string(json, unit, measure_name(measure));
}

/* Write the values known on both sides, and the one to begin with. */
static void write_values(struct json *json,
                         const struct stack_comparison *comparison)
{
    const struct compared_value *value = compared_values;

    json_string(json, "value", comparison->value->name);
    json_begin(json, "values", JSON_ARRAY);
    for (size_t i = 0; i < compared_value_words.count; i++, value++) {
        if (compared_unknown(value, comparison->sides[0].profile) !=
                MEASURE_COUNT ||
            compared_unknown(value, comparison->sides[1].profile) !=
                MEASURE_COUNT)
            continue;
        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "name", value->name);
        json_string(json, "unit", value->is_of_blocks ? "blocks" : "bytes");
        write_measure(json, "bytes", value->bytes);
        write_measure(json, "blocks", value->blocks);
        json_end(json);
    }
    json_end(json);
}

/* Write the names of both sides; regions have no compared values. */
static void write_compared(struct json *json,
                           const struct page_subject *subject)
{
    json_begin(json, "compared", JSON_OBJECT);
    json_string(json, "before", subject->before);
    json_string(json, "after", subject->after);
    if (subject->comparison != NULL)
        write_values(json, subject->comparison);
    json_end(json);
}

/* Write regions; in a comparison each with its earlier state, which is all that
   a removed region has. */
static void write_trace_regions(struct json *json,
                                const struct page_subject *subject)
{
    const struct region_comparison *comparison = subject->region_comparison;
    size_t count =
        comparison == NULL ? subject->regions->count : comparison->count;

    if (comparison != NULL)
        write_compared(json, subject);
    json_bool(json, "is_lossy", subject->is_lossy);
    json_begin(json, "accuracy", JSON_ARRAY);
    if (subject->is_lossy)
        tell(json, "part of a trace is missing; see tally report");
    json_end(json);
    json_begin(json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < count; i++) {
        const struct region_pair pair =
            comparison != NULL
                ? comparison->pairs[i]
                : (struct region_pair){ .after = &subject->regions->items[i] };

        json_begin(json, NULL, JSON_OBJECT);
        if (pair.after != NULL)
            write_region(json, subject->regions, pair.after);
        if (pair.before != NULL) {
            json_begin(json, "before", JSON_OBJECT);
            write_region(json, subject->regions_before, pair.before);
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

/* Write the program's own slabs and heaps at the end. */
static void write_own_regions(struct json *json, const struct profile *profile)
{
    json_begin(json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < profile->region_count; i++) {
        const struct ledger_region_view *seen = &profile->regions[i].seen;

        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "kind",
                    seen->kind == LEDGER_REGION_SLAB ? "mem_slab" : "heap");
        write_address(json, seen->address);
        json_string(json, "name", profile->regions[i].name);
        json_unsigned(json, "size", seen->size);
        json_unsigned(json, "used", seen->used);
        json_unsigned(json, "peak", seen->peak);
        json_number_or_null(json, "largest", seen->knows_largest,
                            seen->largest);
        json_unsigned(json, "refused", seen->refused);
        json_unsigned(json, "waiting", seen->waiting);
        json_unsigned(json, "longest_wait_ns", seen->longest_wait_ns);
        json_end(json);
    }
    json_end(json);
}

/* Write quantiles of gamma distributions, for intervals of estimates. */
static void write_quantiles(struct json *json)
{
    json_begin(json, "quantiles", JSON_ARRAY);
    for (unsigned i = 0; i <= QUANTILE_STEPS * QUANTILE_DOUBLINGS; i++) {
        double shape = exp2((double)i / QUANTILE_STEPS);

        json_begin(json, NULL, JSON_ARRAY);
        json_fraction(json, NULL, distribution_gamma(shape, DISTRIBUTION_LOW));
        json_fraction(json, NULL, distribution_gamma(shape, DISTRIBUTION_HIGH));
        json_end(json);
    }
    json_end(json);
}

static void write_comparison(struct json *json,
                             const struct page_subject *subject)
{
    const struct named_profile *sides = subject->comparison->sides;

    write_compared(json, subject);
    json_bool(json, "is_lossy",
              trust_is_lossy(sides[0].profile) ||
                  trust_is_lossy(sides[1].profile));
    json_begin(json, "sample_intervals", JSON_ARRAY);
    for (unsigned i = 0; i < 2; i++)
        json_unsigned(json, NULL, sides[i].profile->sample_interval);
    json_end(json);
    if (subject->comparison->is_sampled)
        write_quantiles(json);
    json_begin(json, "accuracy", JSON_ARRAY);
    for (unsigned i = 0; i < 2; i++)
        trust_tell(sides[i].profile, sides[i].names, sides[i].frames, tell,
                   json);
    json_end(json);
}

static void write_instants(struct json *json, const struct history *history)
{
    size_t count = page_instants(history);

    if (history->is_chosen)
        json_unsigned(json, "at", history->instants[count - 1].ns);
    json_begin(json, "instants", JSON_ARRAY);
    for (size_t i = 0; i < count; i++)
        json_unsigned(json, NULL, history->instants[i].ns);
    json_end(json);
    json_begin(json, "resident_at", JSON_ARRAY);
    for (size_t i = 0; i < count; i++)
        json_unsigned(json, NULL, history->instants[i].resident);
    json_end(json);
}

static void write_profile(struct json *json, const struct page_subject *subject)
{
    const struct profile *profile = subject->profile;
    const struct facet_subject facts = {
        .profile = profile,
        .names = subject->names,
        .frames = subject->has_stacks ? subject->frames : NULL,
    };

    write_processes(json, subject);
    json_bool(json, "has_times",
              profile->calls == NULL || profile->calls->has_times);
    json_bool(json, "running", profile_is_running(profile));
    json_bool(json, "is_lossy", trust_is_lossy(profile));
    json_number_or_null(json, "duration_ns", profile->duration_ns != 0,
                        profile->duration_ns);
    json_number_or_null(json, "peak_bytes", profile->peak_bytes != 0,
                        profile->peak_bytes);
    json_number_or_null(json, "peak_with_maps",
                        profile->has_map_peaks && profile->peak_with_maps != 0,
                        profile->peak_with_maps);
    json_unsigned(json, "sample_interval", profile->sample_interval);
    if (profile->sample_interval > 1)
        write_quantiles(json);
    write_own_regions(json, profile);
    write_instants(json, &profile->history);
    facets_write(&facts, json);
}

void page_head_write(struct json *json, const struct page_subject *subject)
{
    if (subject->profile != NULL)
        write_profile(json, subject);
    if (subject->comparison != NULL)
        write_comparison(json, subject);
    if (subject->regions != NULL)
        write_trace_regions(json, subject);
}
