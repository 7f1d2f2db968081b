/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_list.h - the sites of a profile as stacks with a weight each
 *
 * A stack is a list of frames, the root first:
 *
 *     MODULE  FILE  FUNCTION:LINE
 *
 * MODULE is [NAME] for a shared object or a kernel's module, the executable's
 * name for its own sites and "built-in" in an allocinfo text. FILE is one frame
 * however many folders it names, and is left out where it is not known, as is
 * the line.
 *
 * Stacks are sorted by their frames, so that equal beginnings lie together, and
 * no two are the same. Only those that weigh something are in the list.
 */
#ifndef TALLY_TOOL_EXPORTERS_STACK_LIST_H
#define TALLY_TOOL_EXPORTERS_STACK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "tool/exporters/exporter.h"

enum { STACK_DEPTH_LIMIT = 3 };

struct stack {
    char *frames[STACK_DEPTH_LIMIT];
    unsigned depth;
    int64_t weight; /* above 0 */
};

struct stack_list {
    struct stack *stacks;
    size_t count;
    size_t negative; /* stacks left out because they weigh less than 0 */
};

/* Of the HEAP sites. 0, or -1 without memory; close it in either case. */
int stack_list_open(struct stack_list *list, const struct export_job *job);
void stack_list_close(struct stack_list *list);

#endif /* TALLY_TOOL_EXPORTERS_STACK_LIST_H */
