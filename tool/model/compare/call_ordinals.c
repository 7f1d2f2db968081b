/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_ordinals.c - which calls of a matching are the same
 *
 * Calls are sorted by group, side and address, and numbered in that order.
 */
#include "tool/model/compare/call_ordinals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_calls(const void *left, const void *right)
{
    const struct known_call *a = *(struct known_call *const *)left;
    const struct known_call *b = *(struct known_call *const *)right;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static bool is_one_build(const struct call_matching *matching,
                         const struct known_call *a, const struct known_call *b)
{
    const struct profile_module *of_a, *of_b;

    if (a->module == PROFILE_NO_MODULE || b->module == PROFILE_NO_MODULE)
        return false;
    of_a = &matching->sides[a->side].profile->modules[a->module];
    of_b = &matching->sides[b->side].profile->modules[b->module];
    return of_a->build_id_size > 0 &&
           of_a->build_id_size == of_b->build_id_size &&
           memcmp(of_a->build_id, of_b->build_id, of_a->build_id_size) == 0;
}

/* Ordinals of the addresses of one side; how many there are. */
static uint32_t number_side(struct known_call **calls, size_t count,
                            uint32_t first)
{
    uint32_t ordinal = 0;

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && calls[i]->address != calls[i - 1]->address)
            ordinal++;
        calls[i]->id = first + ordinal;
    }
    return count == 0 ? 0 : ordinal + 1;
}

/* Both sides are sorted by address. */
static uint32_t number_by_address(struct known_call **before,
                                  size_t before_count,
                                  struct known_call **after, size_t after_count,
                                  uint32_t id)
{
    size_t i = 0, j = 0;

    while (i < before_count || j < after_count) {
        uint64_t address =
            i < before_count ? before[i]->address : after[j]->address;

        if (j < after_count && after[j]->address < address)
            address = after[j]->address;
        for (; i < before_count && before[i]->address == address; i++)
            before[i]->id = id;
        for (; j < after_count && after[j]->address == address; j++)
            after[j]->id = id;
        id++;
    }
    return id;
}

static void number_calls(struct call_matching *matching,
                         struct known_call **calls, size_t count)
{
    uint32_t id = matching->id_count;
    uint32_t numbers[2];
    size_t split = 0;

    while (split < count && calls[split]->side == 0)
        split++;
    if (split > 0 && split < count &&
        is_one_build(matching, calls[0], calls[split])) {
        matching->id_count =
            number_by_address(calls, split, calls + split, count - split, id);
        return;
    }
    numbers[0] = number_side(calls, split, id);
    numbers[1] = number_side(calls + split, count - split, id);
    matching->id_count += numbers[0] > numbers[1] ? numbers[0] : numbers[1];
    if (numbers[0] == numbers[1] || numbers[0] == 0 || numbers[1] == 0)
        return;
    for (size_t i = 0; i < count; i++)
        calls[i]->id = id;
}

int call_ordinals_give(struct call_matching *matching)
{
    size_t count = matching->call_count;
    struct known_call **order = calloc(count + 1, sizeof(*order));

    if (order == NULL)
        return -1;
    for (size_t i = 0; i < count; i++)
        order[i] = &matching->calls[i];
    qsort(order, count, sizeof(*order), compare_calls);
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start;
             end < count && order[end]->group == order[start]->group; end++)
            ;
        number_calls(matching, order + start, end - start);
    }
    free(order);
    return 0;
}
