/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_plot.h - how regions were used over time
 */
#pragma once

#include <stdio.h>

#include "tool/model/trace/trace_figures.h"

enum {
    REGION_LINE_MOST = 200, /* characters */
    REGION_LINE_SIZE = 3 * REGION_LINE_MOST + 1,
};

enum { REGION_PLACE_SIZE = 40 };

/* "1.234 s" or, in a trace without times, "event 5". Returns `out`. */
char *region_place_text(char out[REGION_PLACE_SIZE],
                        const struct regions *regions, region_place place);

/*
 * One region as a line of text: ▁▁▂▃▅▇█▁. A character is a part of the trace's
 * time and as high as the most that was used in it, of the region's size: '.'
 * is nothing at all, ' ' not known yet. Returns `out`; `columns` is at most
 * REGION_LINE_MOST.
 */
char *region_line(char out[REGION_LINE_SIZE], const struct region *region,
                  const struct regions *regions, unsigned columns);

/*
 * A plot for each region, one above the other on the same line of time, from 0
 * to the region's size. Write errors stay in the FILE.
 */
void region_svg_write(FILE *out, const struct regions *regions,
                      const char *title);
