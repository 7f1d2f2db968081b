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
#include <stdio.h>

#include "format/ledger/ledger_reader.h"
#include "format/ledger/segments_layout.h"
#include "tool/commands/report/report_parts.h"
#include "tool/render/figure.h"
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

static void print_row(const char *title, uint64_t bytes)
{
    printf("  %-22s %18s  (%s)\n", title, NUMBER_SIGNED((int64_t)bytes),
           NUMBER_BYTES((int64_t)bytes));
}

/* As members or, if `json` is NULL, as lines. */
static void put_rows(struct json *json, const struct ledger_resident *resident)
{
    /* What of the heap's resident memory is in no live block. */
    int64_t slack = (int64_t)(resident->heap - resident->live_bytes);
    bool knows_maps = (resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) != 0;
    const struct figure rows[] = {
        { "live_blocks", "live blocks", FIGURE_SIGNED,
          .number = resident->live_bytes },
        { "allocator_slack",
          slack >= 0 ? "allocator slack" : "of them not resident",
          FIGURE_SIGNED, .number = (uint64_t)slack },
        { "anonymous_maps", "anonymous maps", FIGURE_SIGNED,
          .is_unknown = !knows_maps, .number = resident->maps },
        { "mapped_files", "mapped files", FIGURE_SIGNED,
          .number = resident->files },
        { "stacks", "stacks", FIGURE_SIGNED, .number = resident->stacks },
        { "tally", "Tally's own", FIGURE_SIGNED, .number = resident->tally },
        { "unexplained", "unexplained", FIGURE_SIGNED,
          .number = resident->unexplained },
    };

    if (json != NULL)
        figures_put(NULL, json, rows, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; json == NULL && i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].is_unknown)
            print_row(rows[i].title, rows[i].number);
    }
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
    put_rows(NULL, &profile->resident.latest);
    print_row("all", ledger_resident_sum(&profile->resident.latest));
    print_doubts(report, &profile->resident.latest);
    print_most(profile);
}

static void write_members(struct json *json,
                          const struct ledger_resident *resident)
{
    json_unsigned(json, "ns", resident->ns);
    json_unsigned(json, "bytes", ledger_resident_sum(resident));
    put_rows(json, resident);
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
    json_number_or_null(json, "highest_bytes", resident->latest.highest != 0,
                        resident->latest.highest);
    if (resident->most.ns != 0) {
        json_begin(json, "most", JSON_OBJECT);
        write_members(json, &resident->most);
        json_end(json);
    }
    json_end(json);
}

/* What of the unused bytes lies outside the largest piece. */
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
