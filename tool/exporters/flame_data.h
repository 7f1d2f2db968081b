/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_data.h - what flame.js draws, and that script itself
 */
#ifndef TALLY_TOOL_EXPORTERS_FLAME_DATA_H
#define TALLY_TOOL_EXPORTERS_FLAME_DATA_H

#include <stdint.h>
#include <stdio.h>

#include "tool/model/call_tree.h"

enum { FLAME_LEVEL_LIMIT = 400 }; /* what is deeper is not drawn */

/* "all", or the label of the node. */
const char *flame_name(const struct call_tree *tree, uint32_t node);

/*
 * A <script> element for a document of XML, with the totals of those measures
 * that are known, the others being zero. 0, or -1 without memory.
 */
int flame_data_write(FILE *out, const struct call_tree *tree,
                     const struct call_totals totals[MEASURE_COUNT],
                     enum measure measure);

#endif /* TALLY_TOOL_EXPORTERS_FLAME_DATA_H */
