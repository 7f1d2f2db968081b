/* SPDX-License-Identifier: Apache-2.0 */
/* check_rules.c - judge each rule of a program, and name the culprit */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/check/check_parts.h"
#include "tool/commands/options/command.h"
#include "tool/model/compare/compare.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

static struct check_source *next_baseline(struct check *check,
                                          const char *program, size_t *at)
{
    bool is_known = false;

    for (size_t i = 0; i < check->baseline_count; i++)
        is_known = is_known || strcmp(base_name(check->baselines[i].program),
                                      base_name(program)) == 0;
    while (*at < check->baseline_count) {
        struct check_source *found = &check->baselines[(*at)++];

        if (!is_known ||
            strcmp(base_name(found->program), base_name(program)) == 0)
            return found;
    }
    return NULL;
}

/* Return the noise that --learn wrote. */
static struct budget_noise noise_of_file(const struct check *check,
                                         const char *program,
                                         const struct budget_figure *figure,
                                         const char *pattern)
{
    const struct budget_entry *entry;
    size_t at = 0;

    while ((entry = budget_next(&check->budget, program, NULL, &at)) != NULL) {
        for (size_t i = 0; i < entry->noise_count; i++) {
            const char *known = entry->noise[i].pattern;

            if (entry->noise[i].figure == figure &&
                (known == NULL || pattern == NULL
                     ? known == pattern
                     : strcmp(known, pattern) == 0))
                return entry->noise[i];
        }
    }
    return (struct budget_noise){ 0 };
}

struct budget_noise check_noise(struct check *check, const char *program,
                                const struct budget_figure *figure,
                                const char *pattern)
{
    double *values = memory_zeroed(check->baseline_count + 1, sizeof *values);
    struct budget_noise noise;
    struct check_source *baseline;
    size_t at = 0, count = 0;

    while ((baseline = next_baseline(check, program, &at)) != NULL) {
        struct budget_sum sum;

        budget_sum_find(&baseline->subject, figure, pattern, &sum);
        if (sum.is_known)
            values[count++] = sum.value;
    }
    noise = budget_noise_of(values, count);
    free(values);
    return noise;
}

static bool has_match(const struct call_node *nodes, uint32_t node,
                      const char *pattern)
{
    for (; node != 0; node = nodes[node].parent) {
        const struct site_name name = frame_name_called(nodes[node].name);

        if (pattern == NULL || budget_name_matches(pattern, &name))
            return true;
    }
    return false;
}

/* Add the stack that grew most since the last baseline; return false if it is
   unknown. */
static bool add_grown(struct result *result, const struct budget_rule *rule,
                      struct budget_subject *before,
                      struct budget_subject *after)
{
    enum measure measure = rule->figure->measure;
    const struct compared_value value = {
        .bytes = rule->figure->is_bytes ? measure : MEASURE_COUNT,
        .blocks = rule->figure->is_bytes ? MEASURE_COUNT : measure,
        .is_of_blocks = !rule->figure->is_bytes,
    };
    struct stack_comparison stacks;
    bool is_found = false;

    if (!before->of.profile->has_stacks || !after->of.profile->has_stacks)
        return false;
    budget_subject_name(before);
    budget_subject_name(after);
    stack_comparison_open(
        &stacks, &value,
        (const struct named_profile[2]){ before->of, after->of });
    for (size_t i = 0; i < stacks.changed_count && !is_found; i++) {
        const struct call_node *nodes = stacks.tree.nodes;
        uint32_t node = stacks.changed[i];

        if (stack_comparison_growth(&stacks, node) <= 0 ||
            !has_match(nodes, node, rule->pattern))
            continue;
        is_found = true;
        node = stack_comparison_blamed(&stacks, node);
        for (; node != 0 && result->stack_count < RESULT_STACK_LIMIT;
             node = nodes[node].parent)
            result_add_frame(result, nodes[node].name);
    }
    stack_comparison_close(&stacks);
    return is_found;
}

static void add_culprit(struct check *check, struct check_source *source,
                        const struct budget_rule *rule,
                        const struct budget_sum *sum, struct result *result)
{
    struct budget_subject *subject = &source->subject;
    struct check_source *baseline = NULL, *next;
    size_t at = 0;

    while ((next = next_baseline(check, source->program, &at)) != NULL)
        baseline = next;
    if (rule->is_growth && baseline != NULL &&
        add_grown(result, rule, &baseline->subject, subject))
        return;
    if (sum->matches == 0)
        return;
    budget_subject_name(subject);
    if (subject->of.profile->has_stacks)
        result_add_stack(result, subject->of.frames,
                         &subject->of.profile->stacks.stacks[sum->top]);
    else
        result_add_call(result, &subject->of.names->sites[sum->top]);
}

/* Return "1,234 bytes (1.2 KiB)"; the caller frees it. */
static char *amount(const struct budget_rule *rule, double value)
{
    int64_t number = (int64_t)value;

    if (!rule->figure->is_bytes)
        return memory_print("%s block%s", NUMBER_SIGNED(number),
                            number_plural((uint64_t)number));
    return number < 1024 ? memory_print("%s bytes", NUMBER_SIGNED(number))
                         : memory_print("%s bytes (%s)", NUMBER_SIGNED(number),
                                        NUMBER_BYTES(number));
}

/* Return the distance from the limit; the caller frees it. */
static char *describe_over(const struct budget_rule *rule,
                           const struct budget_sum *sum, double limit)
{
    double over = sum->value - floor(limit);
    char *size = amount(rule, fabs(over)), *bound = amount(rule, floor(limit));
    char *text = over == 0 ? memory_text("equal to the limit")
                           : memory_print("%s %s than %s", size,
                                          over < 0 ? "less" : "more", bound);

    free(size);
    free(bound);
    return text;
}

static char *describe(const struct budget_rule *rule,
                      const struct budget_sum *sum,
                      const struct budget_verdict *verdict,
                      const struct budget_noise *base)
{
    char *value = amount(rule, sum->value);
    char *over = describe_over(rule, sum, verdict->limit);
    char from[128] = "";
    char *text;

    if (base != NULL)
        snprintf(from, sizeof from, ", %s before (%zu run%s)",
                 NUMBER_SIGNED((int64_t)base->mean), base->runs,
                 number_plural(base->runs));
    else if (rule->is_percent && sum->whole > 0)
        snprintf(from, sizeof from, ", %.1f %% of %s",
                 sum->value * 100 / sum->whole,
                 NUMBER_SIGNED((int64_t)sum->whole));
    text = memory_print("%s%s, %s%s", value, from, over,
                        verdict->state == BUDGET_UNSURE
                            ? ", within the error of sampling"
                            : "");
    free(value);
    free(over);
    return text;
}

static bool has_call(struct check_source *source, const char *pattern,
                     char near[NEAR_SIZE])
{
    struct budget_subject *of = &source->subject;

    budget_subject_name(of);
    return glob_is_known(pattern, &of->of, 1, near);
}

/* A rule whose pattern matches nothing is kept if the pattern names a function
   of the program: it allocated nothing this time. */
static void judge_unmatched(struct check *check, struct check_source *source,
                            const char *pattern,
                            const struct budget_noise *base,
                            struct result *result)
{
    bool is_known = base != NULL && base->mean > 0;
    struct check_source *baseline;
    char near[NEAR_SIZE];
    size_t at = 0;

    while (!is_known &&
           (baseline = next_baseline(check, source->program, &at)) != NULL)
        is_known = has_call(baseline, pattern, near);
    if (!is_known && !has_call(source, pattern, near) &&
        !symbols_have(source->subject.of.names->symbols, glob_matches, pattern))
        result->state = RESULT_UNKNOWN;
    result->message =
        result->state == RESULT_UNMATCHED
            ? memory_text("pattern matches nothing in this recording")
            : memory_print("pattern matches no function%s", near);
}

/* A single baseline shows no noise: allow for the error of sampling. Deviations
   of several have it. */
static void find_errors(struct check *check, struct check_source *source,
                        const struct budget_rule *rule,
                        struct budget_noise *base, struct budget_sum *sum)
{
    enum measure measure = rule->figure->measure;
    const struct compared_value value = {
        .bytes = rule->figure->is_bytes ? measure : MEASURE_COUNT,
        .blocks = rule->figure->is_bytes ? MEASURE_COUNT : measure,
    };
    const struct profile *profiles[] = { NULL, source->subject.of.profile };
    struct comparison_row row = { 0 };
    struct check_source *baseline;
    struct interval growth;
    struct budget_sum was = { 0 };
    size_t at = 0;

    base->interval = (struct interval){ base->mean, base->mean };
    if (base->runs > 1) {
        sum->interval = (struct interval){ sum->value, sum->value };
        return;
    }
    while (!was.is_known &&
           (baseline = next_baseline(check, source->program, &at)) != NULL)
        budget_sum_find(&baseline->subject, rule->figure, rule->pattern, &was);
    if (!was.is_known)
        return;
    base->interval = was.interval;
    profiles[0] = baseline->subject.of.profile;
    if ((measure != MEASURE_LIVE_BYTES && measure != MEASURE_LIVE_BLOCKS) ||
        profiles[0]->sample_interval <= 1 ||
        !profile_is_later(profiles[1], profiles[0]))
        return;
    comparison_row_add(&row, 0, &value, &was.amounts, profiles[0], true);
    comparison_row_add(&row, 1, &value, &sum->amounts, profiles[1], true);
    growth =
        comparison_turnover(&row, profiles, rule->figure->is_bytes, measure);
    base->is_of_process = true;
    sum->interval =
        (struct interval){ base->mean + growth.low, base->mean + growth.high };
}

/* Return the reason why the recording cannot bear the verdict, or NULL. A
   figure that may be too low breaks a bound for certain, but keeps none. */
static const char *find_gap(const struct coverage *coverage,
                            const struct budget_rule *rule,
                            const struct budget_verdict *verdict)
{
    unsigned lacks = coverage->lacks & rule->figure->needs;

    if (verdict->state == BUDGET_UNKNOWN)
        return NULL;
    if (verdict->state != BUDGET_BROKEN)
        lacks &= ~COVERAGE(FREES);
    else if (verdict->over >= 0)
        lacks &= rule->figure->is_leaked ? ~COVERAGE(MEMORY) : ~COVERAGE_LOW;
    return lacks == 0 ? NULL : coverage->why[__builtin_ctz(lacks)];
}

static void add_rule(struct check *check, struct check_source *source,
                     const struct budget_rule *rule)
{
    static const enum result_state states[] = {
        [BUDGET_KEPT] = RESULT_KEPT,
        [BUDGET_BROKEN] = RESULT_BROKEN,
        [BUDGET_UNMATCHED] = RESULT_UNMATCHED,
        [BUDGET_UNKNOWN] = RESULT_UNKNOWN,
        [BUDGET_UNSURE] = RESULT_UNJUDGED,
    };
    struct budget_noise base = { 0 };
    const struct budget_noise *known;
    struct budget_verdict verdict;
    struct coverage coverage;
    struct budget_sum sum;
    const char *gap;
    struct result result;

    budget_sum_find(&source->subject, rule->figure, rule->pattern, &sum);
    if (rule->file == NULL && !sum.is_known)
        return; /* by default only known figures are judged */
    result = (struct result){
        .rule = memory_text(rule->text),
        .program = memory_text(base_name(source->program)),
        .source = memory_text(source->load.name),
        .is_bytes = rule->figure->is_bytes,
        .rule_file = rule->file == NULL ? NULL : memory_text(rule->file),
        .rule_line = rule->line,
    };
    if (rule->is_growth)
        base = check_noise(check, source->program, rule->figure, rule->pattern);
    if (rule->is_growth && base.runs == 0)
        base =
            noise_of_file(check, source->program, rule->figure, rule->pattern);
    known = base.runs == 0 ? NULL : &base;
    if (rule->is_growth && known != NULL && sum.is_known)
        find_errors(check, source, rule, &base, &sum);
    verdict = budget_judge(rule, &sum, known);
    coverage_find(&coverage, source->load.profile);
    gap = find_gap(&coverage, rule, &verdict);
    result.state = gap != NULL ? RESULT_UNJUDGED : states[verdict.state];
    result.value = sum.value;
    result.limit = verdict.limit;
    result.over = verdict.over;
    if (gap != NULL)
        result.message = memory_text(gap);
    else if (verdict.state == BUDGET_UNKNOWN)
        result.message = memory_text(
            !sum.is_known     ? "the recording lacks this figure"
            : rule->is_growth ? "needs --baseline, or noise from --learn"
                              : "");
    else if (verdict.state == BUDGET_UNMATCHED)
        judge_unmatched(check, source, rule->pattern, known, &result);
    else
        result.message = describe(rule, &sum, &verdict, known);
    if (result.state == RESULT_BROKEN)
        add_culprit(check, source, rule, &sum, &result);
    result_add(&check->list, &result);
}

void check_rules(struct check *check, struct check_source *source)
{
    const struct budget_entry *entry;
    size_t at = 0;

    while ((entry = budget_next(&check->budget, source->program, source->called,
                                &at)) != NULL) {
        for (size_t i = 0; i < entry->rule_count; i++)
            add_rule(check, source, &entry->rules[i]);
    }
}
