/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_lines.c - rows of one call are of one line
 */
#include "tool/commands/diff/diff_lines.h"

#include <stdint.h>
#include <stdlib.h>

/* A call that only moved to another line is at the line where it is now. */
static void move_lines(const struct stack_comparison *stacks,
                       struct diff_side sides[2], uint32_t *numbers[2],
                       size_t *rows)
{
    for (size_t i = 0; i < call_matching_limit(&stacks->matching); i++)
        rows[i] = SIZE_MAX;
    for (size_t i = sides[1].wanted_count; i-- > 0;) {
        uint32_t number = numbers[1][sides[1].wanted_sites[i]];

        if (number != UINT32_MAX)
            rows[number] = i;
    }
    for (size_t i = 0; i < sides[0].wanted_count; i++) {
        uint32_t number = numbers[0][sides[0].wanted_sites[i]];
        const struct allocinfo_row *now;

        if (number == UINT32_MAX || rows[number] == SIZE_MAX)
            continue;
        now = &sides[1].wanted[rows[number]];
        sides[0].wanted[i].file = now->file;
        sides[0].wanted[i].line = now->line;
        sides[0].wanted[i].function = now->function;
        sides[0].wanted[i].module = now->module;
    }
}

/* Sites of both sides that are calls from different numbers of places are one
   row there, too. */
static void join_lines(const struct stack_comparison *stacks,
                       struct diff_side *after, const uint32_t *numbers,
                       size_t *rows)
{
    for (size_t i = 0; i < call_matching_limit(&stacks->matching); i++)
        rows[i] = SIZE_MAX;
    for (size_t i = 0; i < after->wanted_count; i++) {
        uint32_t number = numbers[after->wanted_sites[i]];

        if (number == UINT32_MAX)
            continue;
        if (rows[number] == SIZE_MAX) {
            rows[number] = i;
            continue;
        }
        after->wanted[i].file = after->wanted[rows[number]].file;
        after->wanted[i].line = after->wanted[rows[number]].line;
    }
}

int diff_match_lines(const struct stack_comparison *stacks,
                     struct diff_side sides[2])
{
    size_t *rows = calloc(call_matching_limit(&stacks->matching) + UINT64_C(1),
                          sizeof *rows);
    uint32_t *numbers[2] = {
        calloc(sides[0].profile->site_count + 1, sizeof(uint32_t)),
        calloc(sides[1].profile->site_count + 1, sizeof(uint32_t)),
    };
    int error = -1;

    if (rows != NULL && numbers[0] != NULL && numbers[1] != NULL) {
        stack_comparison_number_sites(stacks, 0, numbers[0]);
        stack_comparison_number_sites(stacks, 1, numbers[1]);
        join_lines(stacks, &sides[1], numbers[1], rows);
        move_lines(stacks, sides, numbers, rows);
        error = 0;
    }
    free(rows);
    free(numbers[0]);
    free(numbers[1]);
    return error;
}
