/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporters.c - the list of formats, and of the values that they can show
 */
#include <string.h>

#include "tool/exporters/exporter.h"

const struct exporter *const exporter_list[] = { &exporter_folded,
                                                 &exporter_svg, &exporter_tef,
                                                 NULL };

static const char *const value_names[] = {
    [EXPORT_LIVE_BYTES] = "live-bytes",
    [EXPORT_LIVE_BLOCKS] = "live-blocks",
    [EXPORT_TOTAL_BYTES] = "total-bytes",
    [EXPORT_TOTAL_BLOCKS] = "total-blocks",
};

const char *export_value_name(enum export_value value)
{
    return value_names[value];
}

enum export_value export_value_find(const char *name)
{
    unsigned value = 0;

    while (value < EXPORT_VALUE_COUNT && strcmp(value_names[value], name) != 0)
        value++;
    return (enum export_value)value;
}

bool export_value_needs_totals(enum export_value value)
{
    return value == EXPORT_TOTAL_BYTES || value == EXPORT_TOTAL_BLOCKS;
}
