/* SPDX-License-Identifier: Apache-2.0 */
/* region_line.c - how a region was used over time, as one line of text */
#include "tool/render/region_line.h"

#include <string.h>

static const char *block(uint64_t used, uint64_t size)
{
    static const char *const blocks[] = {
        "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
        "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
    };

    if (used == 0)
        return ".";
    return used >= size ? blocks[7] : blocks[used * 8 / size];
}

static unsigned column_of(const struct regions *regions, region_place place,
                          unsigned columns)
{
    double span = (double)(regions->last - regions->first);
    double part = (double)(place - regions->first);
    unsigned column = span > 0 ? (unsigned)(part / span * (double)columns) : 0;

    return column < columns ? column : columns - 1;
}

char *region_line(char out[REGION_LINE_SIZE], const struct region *region,
                  const struct regions *regions, unsigned columns)
{
    char *end = out;
    size_t next = 0;
    bool is_known = false;
    uint64_t used = 0;

    for (unsigned column = 0; column < columns; column++) {
        uint64_t most = used;
        bool has_point = false;

        /* What the last point said holds only until the first one in here. */
        while (next < region->point_count &&
               column_of(regions, region->points[next].place, columns) <=
                   column) {
            used = region->points[next++].used;
            most = !has_point || used > most ? used : most;
            has_point = is_known = true;
        }
        end = stpcpy(end, is_known ? block(most, region->size) : " ");
    }
    *end = '\0';
    return out;
}
