/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison_svg.h - a flame graph of what grew, for any browser
 *
 * A call is as wide as the more of what it held before and after; what grew is
 * red and what shrank blue, the more so the larger its part.
 */
#ifndef TALLY_TOOL_EXPORTERS_COMPARISON_SVG_H
#define TALLY_TOOL_EXPORTERS_COMPARISON_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "tool/model/compare/stack_comparison.h"

/* What is compared is called, and whether one of both lacks something. */
struct comparison_title {
    const char *before;
    const char *after;
    bool is_lossy;
};

/* Write errors stay in the FILE. */
void comparison_svg_write(FILE *out, const struct stack_comparison *comparison,
                          const struct comparison_title *title);

#endif /* TALLY_TOOL_EXPORTERS_COMPARISON_SVG_H */
