/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_svg.h - how regions were used over time, as a picture for a browser
 */
#ifndef TALLY_TOOL_RENDER_REGION_SVG_H
#define TALLY_TOOL_RENDER_REGION_SVG_H

#include <stdio.h>

#include "tool/model/trace/regions.h"

/*
 * A plot for each region, one above the other on the same line of time, from 0
 * to the region's size. 0; write errors stay in the FILE.
 */
int region_svg_write(FILE *out, const struct regions *regions,
                     const char *title);

#endif /* TALLY_TOOL_RENDER_REGION_SVG_H */
