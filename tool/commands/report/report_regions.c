/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_regions.c - the slabs and heaps that a program shares out itself
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/ledger/regions_layout.h"
#include "tool/commands/report/report.h"
#include "tool/render/json.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

static const char *const kinds[] = {
    [LEDGER_REGION_NONE] = "unknown",
    [LEDGER_REGION_SLAB] = "slab",
    [LEDGER_REGION_HEAP] = "heap",
    [LEDGER_REGION_K_HEAP] = "k_heap",
};

static const struct table_column columns[] = {
    { "NAME", TABLE_LEFT },        { "KIND", TABLE_LEFT },
    { "ADDRESS", TABLE_LEFT_END }, { "BLOCK", TABLE_EXTRA },
    { "USED", TABLE_RIGHT },       { "UNUSED", TABLE_RIGHT },
    { "PEAK", TABLE_RIGHT },       { "LARGEST", TABLE_EXTRA },
    { "FRAGMENTED", TABLE_EXTRA }, { "REFUSED", TABLE_RIGHT },
    { "TIMED OUT", TABLE_EXTRA },  { "WAITING", TABLE_EXTRA },
    { "FAULTS", TABLE_EXTRA },
};

/* What of the unused bytes lies outside the largest piece. */
static uint64_t fragmented_per_mille(const struct profile_region *region)
{
    uint64_t unused = region->size - region->used;
    uint64_t outside = unused - region->largest;

    return unused == 0 ? 0
                       : (uint64_t)((double)outside * 1000 / (double)unused);
}

static void add_number(struct table *table, uint64_t value)
{
    char number[NUMBER_SIZE];

    table_add(table, number_unsigned(number, value));
}

static void add_region(struct table *table, const struct profile_region *region)
{
    char address[32], share[32];

    snprintf(address, sizeof address, "0x%" PRIx64, region->address);
    table_add(table, region->name[0] == '\0' ? "-" : region->name);
    table_add(table, kinds[region->kind]);
    table_add(table, region->is_gone ? "gone" : address);
    if (region->block_size == 0)
        table_add(table, "-");
    else
        add_number(table, region->block_size);
    add_number(table, region->used);
    add_number(table, region->size - region->used);
    add_number(table, region->peak);
    if (region->knows_largest) {
        uint64_t per_mille = fragmented_per_mille(region);

        snprintf(share, sizeof share, "%u.%u %%", (unsigned)(per_mille / 10),
                 (unsigned)(per_mille % 10));
        add_number(table, region->largest);
        table_add(table, share);
    } else {
        table_add(table, "-");
        table_add(table, "-");
    }
    add_number(table, region->refused);
    add_number(table, region->timed_out);
    add_number(table, region->waiting);
    add_number(table, region->faults);
}

int report_write_regions(const struct report *report)
{
    const struct profile *profile = report->profile;
    struct table *table;
    int error;

    if (profile->region_count == 0) {
        puts("no slabs or heaps are recorded");
        return 0;
    }
    table = table_create(columns, sizeof columns / sizeof columns[0]);
    if (table == NULL)
        return -1;
    for (size_t i = 0; i < profile->region_count; i++)
        add_region(table, &profile->regions[i]);
    error =
        table_print(table, stdout, terminal_width(stdout),
                    terminal_has_color(report->color, stdout) ? TABLE_COLORED
                                                              : TABLE_PLAIN);
    table_destroy(table);
    return error;
}

static void write_region(struct json *json, const struct profile_region *region)
{
    json_begin_object(json, NULL);
    json_string(json, "kind", kinds[region->kind]);
    json_string(json, "name", region->name[0] == '\0' ? NULL : region->name);
    json_unsigned(json, "pid", region->pid);
    json_unsigned(json, "address", region->address);
    json_bool(json, "gone", region->is_gone);
    json_known(json, "block_size", region->block_size != 0, region->block_size);
    json_unsigned(json, "used", region->used);
    json_unsigned(json, "unused", region->size - region->used);
    json_unsigned(json, "peak", region->peak);
    json_known(json, "largest_unused", region->knows_largest, region->largest);
    json_known(json, "fragmented_per_mille", region->knows_largest,
               fragmented_per_mille(region));
    json_unsigned(json, "refused", region->refused);
    json_unsigned(json, "timed_out", region->timed_out);
    json_unsigned(json, "waiting", region->waiting);
    json_unsigned(json, "longest_wait_ns", region->longest_wait_ns);
    json_unsigned(json, "faults", region->faults);
    json_end_object(json);
}

void report_write_regions_json(struct json *json, const struct profile *profile)
{
    json_begin_array(json, "regions");
    for (size_t i = 0; i < profile->region_count; i++)
        write_region(json, &profile->regions[i]);
    json_end_array(json);
}
