/* SPDX-License-Identifier: Apache-2.0 */
/* budget_sum.c - figures of a profile, and verdicts of rules */
#include "tool/model/budget/budget.h"

#include <math.h>

#include "tool/model/names/blamed_calls.h"

void budget_subject_name(struct budget_subject *subject)
{
    if (subject->of.names != NULL)
        return;
    subject->of.names = site_names_create(subject->of.profile, &subject->search,
                                          DEMANGLE_WITHOUT_ARGUMENTS);
    subject->of.frames =
        blame_all(&subject->fold, subject->of.profile, subject->of.names);
}

bool budget_name_matches(const char *pattern, const struct site_name *name)
{
    const struct glob_list list = { { pattern }, 1, 0 };

    return glob_list_matches(&list, name);
}

static bool any_matches(const char *pattern, const struct frame_name *names,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct site_name name = frame_name_called(&names[i]);

        if (budget_name_matches(pattern, &name))
            return true;
    }
    return false;
}

/* Return, by frame, true if the pattern matches it or a caller; fill `places`,
   by place, in the same way. */
static bool *match_frames(const struct budget_subject *subject,
                          const char *pattern, bool *places)
{
    const struct stacks *stacks = &subject->of.profile->stacks;
    bool *frames = memory_zeroed(stacks->frame_count + 1, sizeof *frames);

    for (size_t i = 0; i < stacks->place_count; i++) {
        size_t count;
        const struct frame_name *names =
            frame_names_find(subject->of.frames, (uint32_t)i, &count);

        places[i] = any_matches(pattern, names, count);
    }
    for (size_t i = 1; i < stacks->frame_count; i++) {
        const struct profile_frame *frame = &stacks->frames[i];

        frames[i] = places[frame->place] ||
                    (stacks_is_frame(frame->parent) && frames[frame->parent]);
    }
    return frames;
}

static void add(struct budget_sum *sum, const struct profile_amounts *amounts,
                const struct budget_figure *figure, size_t number)
{
    int64_t value = figure->is_leaked ? amounts_leaked_bytes(amounts)
                                      : measure_of(amounts, figure->measure);

    sum->value += (double)value;
    amounts_add_settled(&sum->amounts, amounts);
    if (sum->matches++ == 0 || value > sum->top_value) {
        sum->top = number;
        sum->top_value = value;
    }
}

static bool is_heap(const struct profile *profile, size_t site)
{
    return profile->callers[site].kind == LEDGER_SITE_HEAP;
}

static void add_stacks(struct budget_subject *subject,
                       const struct budget_figure *figure, const char *pattern,
                       struct budget_sum *sum)
{
    const struct stacks *stacks = &subject->of.profile->stacks;
    bool *places = memory_zeroed(stacks->place_count + 1, sizeof *places);
    bool *frames =
        pattern == NULL ? NULL : match_frames(subject, pattern, places);

    for (size_t i = 0; i < stacks->stack_count; i++) {
        const struct profile_stack *stack = &stacks->stacks[i];
        size_t count;
        const struct frame_name *names;

        if (!is_heap(subject->of.profile, stack->site))
            continue;
        if (pattern != NULL && stack->place == STACK_NO_PLACE) {
            names = frame_names_of_stack(subject->of.frames, stack, &count);
            if (!any_matches(pattern, names, count))
                continue;
        } else if (pattern != NULL && !places[stack->place] &&
                   !(stacks_is_frame(stack->frame) && frames[stack->frame])) {
            continue;
        }
        add(sum, &stack->amounts, figure, i);
    }
    free(frames);
    free(places);
}

/* Return the program's figure, which may be no sum of sites. */
static double whole_of(const struct profile *profile, enum measure measure)
{
    if (measure == MEASURE_PEAK_BYTES)
        return (double)profile->peak_bytes;
    if (measure == MEASURE_RESIDENT)
        return (double)(ledger_resident_sum(&profile->resident.most) -
                        profile->resident.most.tally);
    return (double)measure_of(&profile->heap, measure);
}

/* Return the interval of a figure, `value`, whose blocks have these amounts;
   NULL: of the program's peak. */
static struct interval interval_of(const struct profile *profile,
                                   enum measure measure, double value,
                                   const struct profile_amounts *amounts)
{
    if (profile->sample_interval <= 1 || measure == MEASURE_RESIDENT)
        return (struct interval){ value, value };
    return amounts == NULL
               ? interval_of_peak(profile)
               : interval_of_sampled(profile, measure, fmax(value, 0),
                                     measure_error(amounts, measure));
}

static bool is_known(const struct profile *profile, enum measure measure,
                     const char *pattern)
{
    if (measure == MEASURE_RESIDENT)
        return profile->resident.is_known && profile->resident.most.ns != 0;
    if (measure == MEASURE_PEAK_BYTES && pattern == NULL)
        return profile->peak_most != 0 || profile->has_peaks;
    return measure_is_known(profile, measure);
}

void budget_sum_find(struct budget_subject *subject,
                     const struct budget_figure *figure, const char *pattern,
                     struct budget_sum *sum)
{
    const struct profile *profile = subject->of.profile;
    enum measure measure = figure->measure;

    *sum =
        (struct budget_sum){ .is_known = is_known(profile, measure, pattern) };
    if (!sum->is_known)
        return;
    if (pattern != NULL)
        budget_subject_name(subject);
    if (profile->has_stacks)
        add_stacks(subject, figure, pattern, sum);
    for (size_t i = 0; !profile->has_stacks && i < profile->caller_count; i++) {
        if (is_heap(profile, i) &&
            (pattern == NULL ||
             budget_name_matches(pattern, &subject->of.names->sites[i])))
            add(sum, &profile->callers[i].amounts, figure, i);
    }
    if (pattern == NULL && !figure->is_leaked)
        sum->value = whole_of(profile, measure);
    sum->interval =
        interval_of(profile, measure, sum->value,
                    measure == MEASURE_PEAK_BYTES ? NULL : &sum->amounts);
    if (measure == MEASURE_TEMPORARY) {
        sum->whole = (double)sum->amounts.alloc_blocks;
        sum->whole_interval = interval_of(profile, MEASURE_TOTAL_BLOCKS,
                                          sum->whole, &sum->amounts);
    } else {
        sum->whole = whole_of(profile, measure);
        sum->whole_interval =
            interval_of(profile, measure, sum->whole,
                        measure == MEASURE_PEAK_BYTES ? NULL : &profile->heap);
    }
}

struct budget_noise budget_noise_of(const double *values, size_t count)
{
    struct budget_noise noise = { .runs = count };
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        noise.mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - noise.mean) * (values[i] - noise.mean);
    if (count > 1)
        noise.deviation = sqrt(squares / (double)(count - 1));
    return noise;
}

double budget_noise_tolerance(const struct budget_noise *noise, bool is_bytes)
{
    /* Student's t for 99.9 %, by degrees of freedom from 1 on. */
    static const double students[] = { 318.31, 22.33, 10.21, 7.18, 5.89, 5.21,
                                       4.79,   4.50,  4.30,  4.14, 4.02, 3.93,
                                       3.85,   3.79,  3.73,  3.69, 3.65, 3.61,
                                       3.58,   3.55,  3.53,  3.50, 3.48, 3.47,
                                       3.45,   3.43,  3.42,  3.41, 3.40 };
    const size_t known = sizeof students / sizeof students[0];
    double least = fmax(noise->mean / 100, is_bytes ? 32768 : 64);
    size_t freedom = noise->runs < 2 ? 1 : noise->runs - 1;

    return fmax(least, students[freedom > known ? known - 1 : freedom - 1] *
                           noise->deviation *
                           sqrt(1 + 1 / (double)noise->runs));
}

/* Return the interval of the value above the limit, which has an error of its
   own if it is a share of an estimate. */
static struct interval find_over(const struct budget_rule *rule,
                                 const struct budget_sum *sum,
                                 const struct budget_noise *base, double limit)
{
    double share = rule->is_percent ? rule->bound / 100 : 0;
    double of = rule->is_growth ? base->mean : sum->whole;
    struct interval at = rule->is_growth ? base->interval : sum->whole_interval;

    if (rule->is_growth && !base->is_of_process)
        share++;
    return interval_of_growth(
        limit,
        (struct interval){ limit - share * (of - at.low),
                           limit + share * (at.high - of) },
        sum->value, sum->interval);
}

struct budget_verdict budget_judge(const struct budget_rule *rule,
                                   const struct budget_sum *sum,
                                   const struct budget_noise *base)
{
    struct budget_verdict verdict = { BUDGET_UNKNOWN, NAN, NAN };
    double tolerance = 0;
    struct interval over;
    bool is_broken, is_sure;

    if (!sum->is_known || (rule->is_growth && base == NULL))
        return verdict;
    verdict.limit = rule->bound;
    if (rule->is_growth) {
        tolerance = budget_noise_tolerance(base, rule->figure->is_bytes);
        verdict.limit =
            base->mean +
            (rule->is_percent ? base->mean * rule->bound / 100 : rule->bound);
    } else if (rule->is_percent) {
        verdict.limit = sum->whole * rule->bound / 100;
    }
    if (rule->relation == BUDGET_EQUAL) {
        over = find_over(rule, sum, base, verdict.limit);
        is_broken = fabs(sum->value - verdict.limit) > tolerance;
        is_sure = is_broken ? over.low > tolerance || over.high < -tolerance
                            : over.low >= -tolerance && over.high <= tolerance;
    } else {
        verdict.limit += tolerance;
        over = find_over(rule, sum, base, verdict.limit);
        is_broken = rule->relation == BUDGET_BELOW ? sum->value >= verdict.limit
                                                   : sum->value > verdict.limit;
        is_sure = is_broken ? over.low >= 0 : over.high <= 0;
    }
    verdict.over = sum->value - verdict.limit;
    verdict.state = !is_sure    ? BUDGET_UNSURE
                    : is_broken ? BUDGET_BROKEN
                    : rule->pattern != NULL && sum->matches == 0
                        ? BUDGET_UNMATCHED
                        : BUDGET_KEPT;
    return verdict;
}
