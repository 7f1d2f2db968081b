/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resident.c - resident memory of the process by use
 *
 * Rows add up to the kernel's figure. Live blocks are requested bytes, which
 * the program may not have touched: where they exceed the resident heap, the
 * row of allocator overhead is below zero.
 */
#include "tool/facets/facet.h"

#define MIB 1048576.0

static void print_row(const char *title, uint64_t bytes)
{
    printf("  %-22s %18s  (%s)\n", title, NUMBER_SIGNED((int64_t)bytes),
           NUMBER_BYTES((int64_t)bytes));
}

/* Write members or, if `json` is NULL, print lines. */
static void put_rows(struct json *json, const struct ledger_resident *resident)
{
    /* resident heap bytes outside live blocks */
    int64_t slack = (int64_t)(resident->heap - resident->live_bytes);
    bool knows_maps = (resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) != 0;
    const struct figure rows[] = {
        { "live_blocks", "live blocks", FIGURE_SIGNED,
          .number = resident->live_bytes },
        { "allocator_slack",
          slack >= 0 ? "allocator overhead" : "of them not resident",
          FIGURE_SIGNED, .number = (uint64_t)slack },
        { "anonymous_maps", "mmap memory", FIGURE_SIGNED,
          .is_unknown = !knows_maps, .number = resident->maps },
        { "mapped_files", "file mappings", FIGURE_SIGNED,
          .number = resident->files },
        { "stacks", "thread stacks", FIGURE_SIGNED,
          .number = resident->stacks },
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
        printf("%.1f s after the start", (double)(ns - image->start_ns) / 1e9);
    else
        printf("at an unknown time");
}

static void print_doubts(const struct facet_subject *subject,
                         const struct ledger_resident *resident)
{
    const struct profile *profile = subject->profile;
    const uint64_t *counts = profile->counts;
    int64_t live = (int64_t)resident->live_bytes;
    char margin[ESTIMATE_MARGIN_SIZE];

    if (profile->sample_interval > 1)
        printf("  live blocks and allocator overhead are estimates, %s\n",
               estimate_margin(margin, live,
                               interval_of_bytes(profile, (double)live)));
    if ((resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) == 0)
        puts("  allocator overhead includes mmap memory, which could not be "
             "read");
    else if (counts[LEDGER_COUNT_raw_map_calls] != 0 ||
             counts[LEDGER_COUNT_lost_maps] != 0)
        puts("  allocator overhead includes mmap memory that was not recorded");
}

static void print_most(const struct profile *profile)
{
    const struct profile_resident *resident = &profile->resident;
    uint64_t latest = ledger_resident_sum(&resident->latest);
    uint64_t most = ledger_resident_sum(&resident->most);

    if (resident->most.ns != 0 && most > latest) {
        printf("  highest reading %s (%s), ", NUMBER(most),
               NUMBER_BYTES((int64_t)most));
        print_time(profile, resident->most.ns);
        putchar('\n');
    }
    if (resident->latest.highest > most && resident->latest.highest > latest)
        printf("  peak RSS %s (%s)\n", NUMBER(resident->latest.highest),
               NUMBER_BYTES((int64_t)resident->latest.highest));
}

static const char *why_missing(const struct profile *profile)
{
    return profile_is_running(profile)
               ? "no reading yet, or the program denies access"
               : "the program ended too soon, or denies access";
}

static void print_resident(const struct facet_subject *subject)
{
    const struct profile *profile = subject->profile;

    if (profile->resident.is_missing) {
        facet_print_heading(subject, "Resident memory");
        printf("  not read: %s\n", why_missing(profile));
    }
    if (!profile->resident.is_known)
        return;
    facet_print_heading(subject, "Resident memory");
    printf("  read ");
    print_time(profile, profile->resident.latest.ns);
    putchar('\n');
    put_rows(NULL, &profile->resident.latest);
    print_row("all", ledger_resident_sum(&profile->resident.latest));
    print_doubts(subject, &profile->resident.latest);
    print_most(profile);
}

static void write_members(struct json *json,
                          const struct ledger_resident *resident)
{
    json_unsigned(json, "ns", resident->ns);
    json_unsigned(json, "bytes", ledger_resident_sum(resident));
    put_rows(json, resident);
}

static void write_resident(const struct facet_subject *subject,
                           struct json *json)
{
    const struct profile *profile = subject->profile;
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

/* Write the parts of the highest reading in one unit, and the kernel's peak. A
   copy made near a memory limit gives the time of the reading instead. */
static void screen_resident(const struct facet_subject *subject, FILE *out)
{
    const struct profile *profile = subject->profile;
    const struct ledger_resident *latest = &profile->resident.latest,
                                 *most = &profile->resident.most;
    const struct ledger_events_view *events = &profile->events;
    char head[2 * DURATION_SIZE], maps[DURATION_SIZE] = "", time[DURATION_SIZE];
    double slack;
    uint64_t sum;

    if (profile->resident.is_missing)
        fprintf(out, "  resident   unknown: %s\n", why_missing(profile));
    if (!profile->resident.is_known)
        return;
    if (most->ns == 0 ||
        ledger_resident_sum(most) < ledger_resident_sum(latest))
        most = latest;
    sum = ledger_resident_sum(most);
    slack = ((double)most->heap - (double)most->live_bytes) / MIB;
    snprintf(head, sizeof head, "peak %s", NUMBER_BYTES((int64_t)sum));
    if (events->limit != 0 && events->offset != 0 &&
        (double)events->used >= 0.8 * (double)events->limit)
        snprintf(head, sizeof head, "%s after %s", NUMBER_BYTES((int64_t)sum),
                 facet_duration(time, most->ns - profile->images[0].start_ns));
    else if (latest->highest > sum + sum / 100)
        snprintf(head, sizeof head, "peak %s; read at %s",
                 NUMBER_BYTES((int64_t)latest->highest),
                 NUMBER_BYTES((int64_t)sum));
    if ((most->flags & LEDGER_RESIDENT_MAPS_KNOWN) != 0)
        snprintf(maps, sizeof maps, "mmap %.1f, ", (double)most->maps / MIB);
    fprintf(out,
            "  resident   %s: heap %.1f live %c %.1f %s,\n"
            "             %sfiles %.1f, stacks %.1f, Tally %.1f, "
            "unexplained %.1f MiB\n",
            head, (double)most->live_bytes / MIB, slack < 0 ? '-' : '+',
            slack < 0 ? -slack : slack, slack < 0 ? "untouched" : "overhead",
            maps, (double)most->files / MIB, (double)most->stacks / MIB,
            (double)most->tally / MIB, (double)most->unexplained / MIB);
}

const struct facet resident_facet = {
    .screen = screen_resident,
    .print = print_resident,
    .write = write_resident,
};
