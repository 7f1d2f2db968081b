/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_layout.h - where each frame lies in a flame graph
 *
 * Frame 0 is the root, "all". A frame is as wide as what it and all above it
 * weigh; children lie side by side on their parent, the heaviest first.
 */
#ifndef TALLY_TOOL_EXPORTERS_FLAME_LAYOUT_H
#define TALLY_TOOL_EXPORTERS_FLAME_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "tool/exporters/stack_list.h"

struct flame_frame {
    const char *name; /* of the list */
    size_t parent;    /* its index; the root is its own */
    unsigned level;   /* 0 for the root */
    uint64_t weight;
    uint64_t start; /* what lies to its left weighs */
};

struct flame_layout {
    struct flame_frame *frames; /* parents before children */
    size_t count;
    unsigned levels;
};

/* The list must stay. 0, or -1 without memory; close it in either case. */
int flame_layout_open(struct flame_layout *layout,
                      const struct stack_list *list);
void flame_layout_close(struct flame_layout *layout);

#endif /* TALLY_TOOL_EXPORTERS_FLAME_LAYOUT_H */
