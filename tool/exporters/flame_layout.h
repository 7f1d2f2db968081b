/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_layout.h - where each node of a tree lies in a flame graph
 *
 * A frame is as wide as what it and all above it weigh; children lie side by
 * side on their parent, the heaviest first.
 */
#ifndef TALLY_TOOL_EXPORTERS_FLAME_LAYOUT_H
#define TALLY_TOOL_EXPORTERS_FLAME_LAYOUT_H

#include <stdint.h>

#include "tool/model/names/call_tree.h"

/*
 * What lies to the left of each node weighs so much; of those alone that weigh
 * something. NULL without memory; the caller frees it.
 */
uint64_t *flame_layout(const struct call_tree *tree,
                       const struct call_totals *totals);

#endif /* TALLY_TOOL_EXPORTERS_FLAME_LAYOUT_H */
