/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_resident.c - resident memory, and what it is used for
 *
 * Rows add up to what the kernel says. Live blocks are the bytes that the program
 * asked for, so that what it has not touched yet is no part of resident memory:
 * where there is more of it than the allocator has unused, the row of unused
 * memory is below zero.
 */
#include "tool/commands/report/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "format/ledger/ledger_timeline.h"
#include "tool/render/estimate_text.h"
#include "tool/render/json.h"
#include "tool/text/number.h"

/* What of the heap's resident memory is in no live block. */
static int64_t slack(const struct ledger_resident *resident)
{
    return (int64_t)(resident->heap - resident->live_bytes);
}

static void print_row(const char *name, int64_t bytes)
{
    char number[NUMBER_SIZE];
    char human[NUMBER_SIZE];

    printf("  %-22s %18s  (%s)\n", name, number_signed(number, bytes),
           number_bytes(human, bytes));
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
    bool has_slack = slack(resident) >= 0;

    print_row("live blocks", (int64_t)resident->live_bytes);
    print_row(has_slack ? "allocator slack" : "of them not resident",
              slack(resident));
    if ((resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) != 0)
        print_row("anonymous maps", (int64_t)resident->maps);
    print_row("mapped files", (int64_t)resident->files);
    print_row("stacks", (int64_t)resident->stacks);
    print_row("Tally's own", (int64_t)resident->tally);
    print_row("unexplained", (int64_t)resident->unexplained);
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
    char number[NUMBER_SIZE];
    char human[NUMBER_SIZE];

    if (resident->most.ns != 0 && most > latest) {
        printf("  the most that was read is %s (%s), ",
               number_unsigned(number, most),
               number_bytes(human, (int64_t)most));
        print_time(profile, resident->most.ns);
        putchar('\n');
    }
    if (resident->latest.highest > most && resident->latest.highest > latest)
        printf("  the most that it ever was is %s (%s), says the kernel\n",
               number_unsigned(number, resident->latest.highest),
               number_bytes(human, (int64_t)resident->latest.highest));
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
    json_unsigned(json, "ns", resident->ns);
    json_unsigned(json, "bytes", ledger_resident_sum(resident));
    json_unsigned(json, "live_blocks", resident->live_bytes);
    json_signed(json, "allocator_slack", slack(resident));
    json_known(json, "anonymous_maps",
               (resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) != 0,
               resident->maps);
    json_unsigned(json, "mapped_files", resident->files);
    json_unsigned(json, "stacks", resident->stacks);
    json_unsigned(json, "tally", resident->tally);
    json_unsigned(json, "unexplained", resident->unexplained);
}

void report_write_resident_json(struct json *json,
                                const struct profile *profile)
{
    const struct profile_resident *resident = &profile->resident;

    if (!resident->is_known) {
        json_null(json, "resident");
        return;
    }
    json_begin_object(json, "resident");
    write_members(json, &resident->latest);
    json_known(json, "highest_bytes", resident->latest.highest != 0,
               resident->latest.highest);
    if (resident->most.ns != 0) {
        json_begin_object(json, "most");
        write_members(json, &resident->most);
        json_end_object(json);
    }
    json_end_object(json);
}
