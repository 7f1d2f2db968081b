/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_ledger.c - what a ledger tells besides its sites: how large blocks
 * were, resident memory, and the slabs and heaps that a program shares out
 *
 * A class of sizes is what one more binary digit holds: 0 bytes, 1, 2 to 3, 4
 * to 7 and so on. Classes without a block are left out.
 *
 * Rows of resident memory add up to what the kernel says. Live blocks are the
 * bytes that the program asked for, so that what it has not touched yet is no
 * part of resident memory: where there is more of it than the allocator has
 * unused, the row of unused memory is below zero.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/ledger/ledger_timeline.h"
#include "format/ledger/regions_layout.h"
#include "tool/commands/report/report_parts.h"
#include "tool/render/estimate_text.h"
#include "tool/render/table.h"
#include "tool/text/number.h"

enum { BAR_WIDTH = 30 };

/* The smallest and the largest size of a class. */
static uint64_t least(unsigned class)
{
    return class == 0 ? 0 : UINT64_C(1) << (class - 1);
}

static uint64_t most(unsigned class)
{
    if (class == LEDGER_SIZE_CLASSES - 1)
        return UINT64_MAX;
    return class == 0 ? 0 : (UINT64_C(1) << class) - 1;
}

/* "2,048 to 4,095". */
static void print_bounds(unsigned class)
{
    const char *from = NUMBER(least(class));

    if (least(class) == most(class))
        printf("  %33s", from);
    else if (most(class) == UINT64_MAX)
        printf("  %24s and more", from);
    else
        printf("  %15s to %14s", from, NUMBER(most(class)));
}

static void print_bar(uint64_t count, uint64_t longest)
{
    double share = (double)count / (double)longest;
    unsigned length = (unsigned)(share * BAR_WIDTH + 0.5);

    fputs(length > 0 ? "  " : "", stdout);
    for (unsigned i = 0; i < length; i++)
        putchar('#');
    putchar('\n');
}

void report_write_sizes(const struct report *report)
{
    const uint64_t *sizes = report->profile->sizes;
    uint64_t all = 0, highest = 1;

    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        all += sizes[i];
        highest = sizes[i] > highest ? sizes[i] : highest;
    }
    report_print_heading(report, "Allocations by size in bytes");
    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        if (sizes[i] == 0)
            continue;
        print_bounds(i);
        printf(" %18s  %5.1f %%", NUMBER(sizes[i]),
               (double)sizes[i] * 100 / (double)all);
        print_bar(sizes[i], highest);
    }
}

void report_write_sizes_json(struct json *json, const struct profile *profile)
{
    if (!profile->has_sizes) {
        json_null(json, "sizes");
        return;
    }
    json_begin(json, "sizes", JSON_ARRAY);
    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        if (profile->sizes[i] == 0)
            continue;
        json_begin(json, NULL, JSON_LINE_OBJECT);
        json_unsigned(json, "least_bytes", least(i));
        json_unsigned(json, "most_bytes", most(i));
        json_unsigned(json, "allocations", profile->sizes[i]);
        json_end(json);
    }
    json_end(json);
}

/* The rows of resident memory, for people and for scripts. */
enum { RESIDENT_ROWS = 7, MAPS_ROW = 2 };

struct resident_row {
    const char *title, *key;
    int64_t bytes;
};

static void find_rows(struct resident_row rows[RESIDENT_ROWS],
                      const struct ledger_resident *resident)
{
    /* What of the heap's resident memory is in no live block. */
    int64_t slack = (int64_t)(resident->heap - resident->live_bytes);
    const struct resident_row all[RESIDENT_ROWS] = {
        { "live blocks", "live_blocks", (int64_t)resident->live_bytes },
        { slack >= 0 ? "allocator slack" : "of them not resident",
          "allocator_slack", slack },
        [MAPS_ROW] = { "anonymous maps", "anonymous_maps",
                       (int64_t)resident->maps },
        { "mapped files", "mapped_files", (int64_t)resident->files },
        { "stacks", "stacks", (int64_t)resident->stacks },
        { "Tally's own", "tally", (int64_t)resident->tally },
        { "unexplained", "unexplained", (int64_t)resident->unexplained },
    };

    memcpy(rows, all, sizeof all);
}

static bool is_row_known(unsigned row, const struct ledger_resident *resident)
{
    return row != MAPS_ROW ||
           (resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) != 0;
}

static void print_row(const char *name, int64_t bytes)
{
    printf("  %-22s %18s  (%s)\n", name, NUMBER_SIGNED(bytes),
           NUMBER_BYTES(bytes));
}

/* "0.3 s before the end". */
static void print_time(const struct profile *profile, uint64_t ns)
{
    const struct profile_image *image = profile->images;

    if (image->has_ended && image->end_ns >= ns)
        printf("%.1f s before the end", (double)(image->end_ns - ns) / 1e9);
    else if (ns >= image->start_ns)
        printf("%.1f s after the begin", (double)(ns - image->start_ns) / 1e9);
    else
        printf("at an unknown time");
}

static void print_rows(const struct ledger_resident *resident)
{
    struct resident_row rows[RESIDENT_ROWS];

    find_rows(rows, resident);
    for (unsigned i = 0; i < RESIDENT_ROWS; i++) {
        if (is_row_known(i, resident))
            print_row(rows[i].title, rows[i].bytes);
    }
    print_row("all", (int64_t)ledger_resident_sum(resident));
}

static void print_margin(const struct profile *profile, uint64_t live_bytes)
{
    char margin[ESTIMATE_MARGIN_SIZE];

    if (profile->sample_interval <= 1)
        return;
    estimate_margin(margin, (int64_t)live_bytes,
                    interval_of_bytes(profile, (double)live_bytes));
    printf("  live blocks are an estimate, %s, and what is left of the heap as "
           "well\n",
           margin);
}

/* What makes the slack more than it seems. */
static void print_doubts(const struct report *report,
                         const struct ledger_resident *resident)
{
    const uint64_t *counts = report->profile->counts;

    print_margin(report->profile, resident->live_bytes);

    if ((resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) == 0)
        puts("  slack has in it what the program mapped itself: that could "
             "not be read");
    else if (counts[LEDGER_COUNT_raw_map_calls] != 0 ||
             counts[LEDGER_COUNT_lost_maps] != 0)
        puts("  slack has in it what the program mapped without being seen");
}

static void print_most(const struct profile *profile)
{
    const struct profile_resident *resident = &profile->resident;
    uint64_t latest = ledger_resident_sum(&resident->latest);
    uint64_t most = ledger_resident_sum(&resident->most);

    if (resident->most.ns != 0 && most > latest) {
        printf("  the most that was read is %s (%s), ", NUMBER(most),
               NUMBER_BYTES((int64_t)most));
        print_time(profile, resident->most.ns);
        putchar('\n');
    }
    if (resident->latest.highest > most && resident->latest.highest > latest)
        printf("  the most that it ever was is %s (%s), says the kernel\n",
               NUMBER(resident->latest.highest),
               NUMBER_BYTES((int64_t)resident->latest.highest));
}

void report_write_resident(const struct report *report)
{
    const struct profile *profile = report->profile;

    if (profile->resident.is_missing) {
        report_print_heading(report, "Resident memory");
        puts("  was not read: the program ended too soon, or does not show "
             "it");
    }
    if (!profile->resident.is_known)
        return;
    report_print_heading(report, "Resident memory");
    printf("  as it was ");
    print_time(profile, profile->resident.latest.ns);
    putchar('\n');
    print_rows(&profile->resident.latest);
    print_doubts(report, &profile->resident.latest);
    print_most(profile);
}

static void write_members(struct json *json,
                          const struct ledger_resident *resident)
{
    struct resident_row rows[RESIDENT_ROWS];

    json_unsigned(json, "ns", resident->ns);
    json_unsigned(json, "bytes", ledger_resident_sum(resident));
    find_rows(rows, resident);
    for (unsigned i = 0; i < RESIDENT_ROWS; i++) {
        if (is_row_known(i, resident))
            json_signed(json, rows[i].key, rows[i].bytes);
        else
            json_null(json, rows[i].key);
    }
}

void report_write_resident_json(struct json *json,
                                const struct profile *profile)
{
    const struct profile_resident *resident = &profile->resident;

    if (!resident->is_known) {
        json_null(json, "resident");
        return;
    }
    json_begin(json, "resident", JSON_OBJECT);
    write_members(json, &resident->latest);
    json_known(json, "highest_bytes", resident->latest.highest != 0,
               resident->latest.highest);
    if (resident->most.ns != 0) {
        json_begin(json, "most", JSON_OBJECT);
        write_members(json, &resident->most);
        json_end(json);
    }
    json_end(json);
}

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

static void add_region(struct table *table, const struct profile_region *region)
{
    uint64_t per_mille =
        region->knows_largest ? fragmented_per_mille(region) : 0;

    table_add(table, region->name[0] == '\0' ? "-" : region->name);
    table_add(table, kinds[region->kind]);
    if (region->is_gone)
        table_add(table, "gone");
    else
        table_add_format(table, "0x%" PRIx64, region->address);
    table_add(table,
              region->block_size == 0 ? "-" : NUMBER(region->block_size));
    table_add(table, NUMBER(region->used));
    table_add(table, NUMBER(region->size - region->used));
    table_add(table, NUMBER(region->peak));
    table_add(table, region->knows_largest ? NUMBER(region->largest) : "-");
    if (region->knows_largest)
        table_add_format(table, "%u.%u %%", (unsigned)(per_mille / 10),
                         (unsigned)(per_mille % 10));
    else
        table_add(table, "-");
    table_add(table, NUMBER(region->refused));
    table_add(table, NUMBER(region->timed_out));
    table_add(table, NUMBER(region->waiting));
    table_add(table, NUMBER(region->faults));
}

int report_write_regions(const struct report *report)
{
    const struct profile *profile = report->profile;
    struct table *table;

    if (profile->region_count == 0) {
        puts("no slabs or heaps are recorded");
        return 0;
    }
    table = table_create(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < profile->region_count; i++)
        add_region(table, &profile->regions[i]);
    return table_show(table, report->color);
}

static void write_region(struct json *json, const struct profile_region *region)
{
    json_begin(json, NULL, JSON_OBJECT);
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
    json_end(json);
}

void report_write_regions_json(struct json *json, const struct profile *profile)
{
    json_begin(json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < profile->region_count; i++)
        write_region(json, &profile->regions[i]);
    json_end(json);
}
