/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_stacks.c - what changed, stack by stack
 */
#include <stdio.h>

#include "tool/commands/diff/diff.h"
#include "tool/render/call_tree_text.h"
#include "tool/render/json.h"
#include "tool/text/number.h"

enum {
    STACKS_SHOWN = 5,
    CHAIN_LIMIT = 12, /* calls of each */
    NUMBER_WIDTH = 15,
};

static int write_stack(const struct stack_comparison *stacks, uint32_t node)
{
    const struct call_node *nodes = stacks->tree.nodes;
    unsigned width = terminal_text_width(stdout) - NUMBER_WIDTH;
    int64_t growth = stack_comparison_growth(stacks, node);
    char number[NUMBER_SIZE + 1] = "+";
    unsigned shown = 0;

    number_signed(growth > 0 ? number + 1 : number, growth);
    printf("%13s  ", number);
    for (; node != 0; node = nodes[node].parent) {
        if (shown == CHAIN_LIMIT) {
            printf("%*s... %u more\n", NUMBER_WIDTH, "",
                   (unsigned)nodes[node].level);
            break;
        }
        if (shown++ > 0)
            printf("%*s", NUMBER_WIDTH, "");
        if (call_tree_text_write_name(stdout, nodes[node].name, width) < 0)
            return -1;
    }
    return 0;
}

int diff_write_stacks(const struct diff *diff)
{
    const struct stack_comparison *stacks = diff->stacks;
    size_t limit =
        diff->row_limit < STACKS_SHOWN ? diff->row_limit : STACKS_SHOWN;

    if (stacks->changed_count == 0 || limit == 0)
        return 0;
    puts("\nGrowth in bytes by stack, innermost call first");
    for (size_t i = 0; i < stacks->changed_count && i < limit; i++) {
        if (i > 0)
            putchar('\n');
        if (write_stack(stacks, stacks->changed[i]) < 0)
            return -1;
    }
    if (stacks->changed_count > limit)
        printf("\n  %zu more stacks changed\n", stacks->changed_count - limit);
    return 0;
}

static void write_frame(struct json *json, const struct frame_name *name)
{
    json_begin_object(json, NULL);
    json_string(json, "function", name->name.function);
    json_string(json, "file", name->name.file);
    json_known(json, "line", name->name.file != NULL, name->name.line);
    json_string(json, "module", name->name.module);
    json_end_object(json);
}

int diff_write_stacks_json(struct json *json, const struct diff *diff)
{
    const struct stack_comparison *stacks = diff->stacks;
    const struct call_node *nodes = stacks->tree.nodes;

    json_begin_array(json, "stacks");
    for (size_t i = 0; i < stacks->changed_count && i < diff->row_limit; i++) {
        uint32_t node = stacks->changed[i];
        const int64_t *own = call_tree_own(&stacks->tree, node);

        json_begin_object(json, NULL);
        json_signed(json, "bytes_before", own[COMPARED_BEFORE]);
        json_signed(json, "bytes_after", own[COMPARED_AFTER]);
        json_signed(json, "bytes_growth",
                    stack_comparison_growth(stacks, node));
        json_signed(json, "blocks_before", own[COMPARED_BLOCKS_BEFORE]);
        json_signed(json, "blocks_after", own[COMPARED_BLOCKS_AFTER]);
        json_begin_array(json, "stack");
        for (; node != 0; node = nodes[node].parent)
            write_frame(json, nodes[node].name);
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
    return 0;
}
