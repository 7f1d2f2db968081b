/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_line.h - how a region was used over time, as one line of text
 *
 *     ▁▁▂▃▅▇█▁
 *
 * A character is a part of the trace's time and as high as the most that was used
 * in it, of the region's size: '.' is nothing at all, ' ' not known yet.
 */
#ifndef TALLY_TOOL_RENDER_REGION_LINE_H
#define TALLY_TOOL_RENDER_REGION_LINE_H

#include "tool/model/trace/regions.h"

enum {
    REGION_LINE_MOST = 200, /* characters */
    REGION_LINE_SIZE = 3 * REGION_LINE_MOST + 1,
};

/* Returns `out`; `columns` is at most REGION_LINE_MOST. */
char *region_line(char out[REGION_LINE_SIZE], const struct region *region,
                  const struct regions *regions, unsigned columns);

#endif /* TALLY_TOOL_RENDER_REGION_LINE_H */
