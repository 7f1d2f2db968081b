/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_numbers.c - see compare.h
 *
 * Calls are sorted by group, side and position, and each group is walked on
 * both sides at once.
 */
#include "tool/model/compare/compare.h"

/* The number of a call that has no equal on the other side yet. */
enum { UNPAIRED = UINT32_MAX };

static int compare_groups(const struct call_group *a,
                          const struct call_group *b)
{
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return (a->module > b->module) - (a->module < b->module);
}

static int compare_calls(const void *left, const void *right)
{
    const struct numbered_call *a = *(struct numbered_call *const *)left;
    const struct numbered_call *b = *(struct numbered_call *const *)right;
    int order = compare_groups(&a->group, &b->group);

    if (order != 0)
        return order;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* Sort by function first: a function has few calls. */
static struct numbered_call **sort_calls(const struct call_numbers *numbers)
{
    size_t count = numbers->call_count, functions = numbers->texts.count;
    struct numbered_call **order = memory_zeroed(count + 1, sizeof(*order));
    OWNED size_t *ends = memory_zeroed(functions + 2, sizeof *ends);

    for (size_t i = 0; i < count; i++)
        ends[numbers->calls[i].group.function + 1]++;
    for (size_t i = 1; i <= functions; i++)
        ends[i] += ends[i - 1];
    for (size_t i = 0; i < count; i++)
        order[ends[numbers->calls[i].group.function]++] = &numbers->calls[i];
    for (size_t i = 0, start = 0; i < functions; start = ends[i++])
        ARRAY_SORT(order + start, ends[i] - start, compare_calls);
    return order;
}

static bool is_one_build(const struct call_numbers *numbers,
                         const struct numbered_call *a,
                         const struct numbered_call *b)
{
    const struct profile_module *of_a, *of_b;

    if (a->module == PROFILE_NO_MODULE || b->module == PROFILE_NO_MODULE)
        return false;
    of_a = &numbers->profiles[a->side]->modules[a->module];
    of_b = &numbers->profiles[b->side]->modules[b->module];
    return of_a->build_id_size > 0 &&
           of_a->build_id_size == of_b->build_id_size &&
           memcmp(of_a->build_id, of_b->build_id, of_a->build_id_size) == 0;
}

/* Give the calls at one position, which begin at `at`, a number; return where
   they end. */
static size_t number_position(struct numbered_call **calls, size_t count,
                              size_t at, uint32_t number)
{
    uint64_t position = calls[at]->position;

    for (; at < count && calls[at]->position == position; at++)
        calls[at]->number = number;
    return at;
}

/* Return true if all positions of both sides are as far apart. */
static bool have_shifted(struct numbered_call **calls, size_t split,
                         size_t count)
{
    size_t i = 0, j = split;

    while (i < split && j < count &&
           calls[j]->position - calls[i]->position ==
               calls[split]->position - calls[0]->position) {
        i = number_position(calls, split, i, UNPAIRED);
        j = number_position(calls, count, j, UNPAIRED);
    }
    return i == split && j == count;
}

/* Number unpaired positions of a side from `first` on; return their count. */
static uint32_t number_rest(struct numbered_call **calls, size_t count,
                            uint32_t first, bool is_one)
{
    uint32_t ordinal = 0;

    for (size_t i = 0; i < count;) {
        if (calls[i]->number != UNPAIRED)
            i++;
        else
            i = number_position(calls, count, i,
                                first + (is_one ? 0 : ordinal++));
    }
    return ordinal;
}

static void number_group(struct call_numbers *numbers,
                         struct numbered_call **calls, size_t count)
{
    bool is_build = is_one_build(numbers, calls[0], calls[count - 1]);
    size_t split = 0, i = 0, j, rest[2] = { 0, 0 };
    uint32_t used[2], first;
    bool has_pairs, is_one;

    while (split < count && calls[split]->side == 0)
        split++;
    has_pairs =
        is_build || (calls[0]->has_line && !have_shifted(calls, split, count));
    for (j = split; i < split || j < count;) {
        uint64_t before = i < split ? calls[i]->position : UINT64_MAX;
        uint64_t after = j < count ? calls[j]->position : UINT64_MAX;
        bool is_pair = has_pairs && i < split && j < count && before == after;
        bool is_before = is_pair || j == count || (i < split && before < after);
        uint32_t number = is_pair ? numbers->count++ : UNPAIRED;

        rest[is_before ? 0 : 1] += !is_pair;
        if (is_before)
            i = number_position(calls, split, i, number);
        if (is_pair || !is_before)
            j = number_position(calls, count, j, number);
    }
    is_one = !is_build && rest[0] > 0 && rest[1] > 0 && rest[0] != rest[1];
    first = numbers->count;
    used[0] = number_rest(calls, split, first, is_one);
    used[1] = number_rest(calls + split, count - split,
                          first + (is_build ? used[0] : 0), is_one);
    numbers->count += is_one              ? 1
                      : is_build          ? used[0] + used[1]
                      : used[0] > used[1] ? used[0]
                                          : used[1];
}

void call_numbers_find(struct call_numbers *numbers)
{
    size_t count = numbers->call_count;
    struct numbered_call **order = sort_calls(numbers);

    for (size_t start = 0, end; start < count; start = end) {
        for (end = start;
             end < count &&
             compare_groups(&order[end]->group, &order[start]->group) == 0;
             end++)
            ;
        number_group(numbers, order + start, end - start);
    }
    free(order);
}

void call_numbers_free(struct call_numbers *numbers)
{
    free(numbers->calls);
    numbers->calls = NULL;
    text_pool_free(&numbers->texts);
}
