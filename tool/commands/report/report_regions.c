/* SPDX-License-Identifier: Apache-2.0 */
/* report_regions.c - the slabs and heaps that a program hands out itself */
#include "tool/commands/report/report_parts.h"

/* Return the share of unused bytes outside the largest free chunk. */
static uint64_t fragmented_per_mille(const struct ledger_region_view *seen)
{
    uint64_t unused = seen->size - seen->used;
    uint64_t outside = unused - seen->largest;

    return unused == 0 ? 0
                       : (uint64_t)((double)outside * 1000 / (double)unused);
}

static void put_region(struct table **table, struct json *json,
                       const struct profile_region *region)
{
    static const char *const kinds[] = {
        [LEDGER_REGION_NONE] = "unknown",
        [LEDGER_REGION_SLAB] = "slab",
        [LEDGER_REGION_HEAP] = "heap",
        [LEDGER_REGION_K_HEAP] = "k_heap",
    };
    const struct ledger_region_view *seen = &region->seen;
    const char *name = region->name[0] == '\0' ? NULL : region->name;
    const struct figure address = { NULL, "ADDRESS", FIGURE_ADDRESS,
                                    TABLE_LEFT_END, .number = seen->address };
    const struct figure gone = { NULL, "ADDRESS", FIGURE_TEXT, TABLE_LEFT_END,
                                 .text = "gone" };
    const struct figure all[] = {
        { NULL, "NAME", FIGURE_TEXT, .text = name },
        { "kind", "KIND", FIGURE_TEXT, .text = kinds[seen->kind] },
        { "name", NULL, FIGURE_TEXT, .text = name },
        { "pid", NULL, .number = region->pid },
        { "address", NULL, .number = seen->address },
        seen->is_gone ? gone : address,
        { "gone", NULL, FIGURE_FLAG, .number = seen->is_gone != 0 },
        { "block_size", "BLOCK", FIGURE_NUMBER, TABLE_EXTRA,
          .is_unknown = seen->block_size == 0, .number = seen->block_size },
        { "used", "USED", .number = seen->used },
        { "unused", "UNUSED", .number = seen->size - seen->used },
        { "peak", "PEAK", .number = seen->peak },
        { "largest_unused", "LARGEST", FIGURE_NUMBER, TABLE_EXTRA,
          .is_unknown = !seen->knows_largest, .number = seen->largest },
        { "fragmented_per_mille", "FRAGMENTED", FIGURE_PER_MILLE, TABLE_EXTRA,
          .is_unknown = !seen->knows_largest,
          .number = fragmented_per_mille(seen) },
        { "refused", "REFUSED", .number = seen->refused },
        { "timed_out", "TIMED OUT", FIGURE_NUMBER, TABLE_EXTRA,
          .number = seen->timed_out },
        { "waiting", "WAITING", FIGURE_NUMBER, TABLE_EXTRA,
          .number = seen->waiting },
        { "longest_wait_ns", NULL, .number = seen->longest_wait_ns },
        { "faults", "FAULTS", FIGURE_NUMBER, TABLE_EXTRA,
          .number = seen->faults },
    };

    figures_put(table, json, all, sizeof all / sizeof all[0]);
}

void report_write_regions(const struct report *report)
{
    const struct profile *profile = report->profile;
    struct table *table = NULL;

    if (profile->region_count == 0) {
        puts("no slabs or heaps are recorded");
        return;
    }
    for (size_t i = 0; i < profile->region_count; i++)
        put_region(&table, NULL, &profile->regions[i]);
    table_show(table, report->color);
}

void report_write_regions_json(struct json *json, const struct profile *profile)
{
    json_begin(json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < profile->region_count; i++) {
        json_begin(json, NULL, JSON_OBJECT);
        put_region(NULL, json, &profile->regions[i]);
        json_end(json);
    }
    json_end(json);
}
