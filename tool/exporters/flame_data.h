/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_data.h - what flame.js draws, and that script itself
 */
#ifndef TALLY_TOOL_EXPORTERS_FLAME_DATA_H
#define TALLY_TOOL_EXPORTERS_FLAME_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/model/names/call_tree.h"

enum { FLAME_LEVEL_LIMIT = 400 }; /* what is deeper is not drawn */

/* "all", or the label of the node. */
const char *flame_name(const struct call_tree *tree, uint32_t node);

/* What nodes weigh, by one measure. */
struct flame_values {
    const char *name;
    const char *unit;
    const uint64_t *weights; /* of each node with all above it */
};

/* What is drawn. */
struct flame_data {
    const struct call_tree *tree;
    const struct flame_values *values;
    unsigned count;
    unsigned chosen; /* of them */
    /*
     * The values are widths, and bytes before and after: colours show what grew,
     * and calls their line. Else measures to choose from.
     */
    bool is_comparison;
};

/* A <script> element for a document of XML. 0, or -1 without memory. */
int flame_data_write(FILE *out, const struct flame_data *data);

#endif /* TALLY_TOOL_EXPORTERS_FLAME_DATA_H */
