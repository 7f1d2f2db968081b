/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_screen.c - the first screen: what ran, what it held, and what to do
 *
 * It fits 80 columns and 24 rows whatever ran.
 *
 * This file is long because its parts share those rows.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/report/report_parts.h"
#include "tool/model/findings/findings.h"
#include "tool/model/names/fold.h"
#include "tool/model/names/wrappers.h"
#include "tool/tables/memory.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

enum {
    COLUMNS = 80,
    NARROWEST = 40,
    ROWS = 24,
    ROWS_AROUND = 6, /* two headings with a line before, and the last two */
    HOLDERS = 4,
    PROCESSES = 4,
    DEEPEST = 5,
    DIGITS = 32,
};

static unsigned columns(void)
{
    unsigned width = terminal_width(stdout);

    return width < NARROWEST ? COLUMNS : width;
}

/* A line of any text, cut to the screen. */
static void print_line(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static void print_line(const char *format, ...)
{
    va_list arguments;
    char *text = NULL, *safe;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    text = memory_or_exit(text);
    safe = memory_or_exit(escape_copy(ESCAPE_TERMINAL, text));
    terminal_write_cut(stdout, safe, columns(), "...", false);
    putchar('\n');
    free(safe);
    free(text);
}

/* "28 ms", "1.5 s", "3 min 20 s", "2 h 5 min". */
static const char *duration(char out[DIGITS], uint64_t ns)
{
    uint64_t seconds = ns / 1000000000;

    if (seconds < 1)
        snprintf(out, DIGITS, "%.0f ms", (double)ns / 1e6);
    else if (seconds < 120)
        snprintf(out, DIGITS, "%.1f s", (double)ns / 1e9);
    else if (seconds < 7200)
        snprintf(out, DIGITS, "%" PRIu64 " min %" PRIu64 " s", seconds / 60,
                 seconds % 60);
    else
        snprintf(out, DIGITS, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600,
                 seconds / 60 % 60);
    return out;
}

/* "killed by SIGSEGV". */
static const char *how_it_ended(char out[DIGITS],
                                const struct profile_image *image)
{
    const char *signal = NULL;

    if (!image->has_ended)
        return "still running";
    if (image->end == LEDGER_END_KILLED && image->end_code < NSIG)
        signal = sigabbrev_np((int)image->end_code);
    if (image->end == LEDGER_END_EXITED)
        snprintf(out, DIGITS, "ended with status %" PRIu32, image->end_code);
    else if (signal != NULL)
        snprintf(out, DIGITS, "killed by SIG%s", signal);
    else if (image->end == LEDGER_END_KILLED)
        snprintf(out, DIGITS, "killed by signal %" PRIu32, image->end_code);
    else
        return (image->flags & LEDGER_FLAG_ATTACHED) != 0 ? "recording ended"
                                                          : "ended";
    return out;
}

static void print_what_ran(const struct report *report)
{
    const struct profile *profile = report->profile;
    const struct profile_image *image = profile->images;
    const struct ledger_sampling *sampling = &profile->sampling;
    char time[DIGITS], end[DIGITS];

    print_line("%s", image->command_line[0] != '\0' ? image->command_line
                                                    : image->program);
    print_line("process %" PRIu32 "%s, %s after %s%s", image->pid,
               profile->image_count > 1 ? " and others" : "",
               how_it_ended(end, image), duration(time, profile->duration_ns),
               profile->sample_interval > 1 ? "; all figures are estimates"
                                            : "");
    if (sampling->budget != 0 && sampling->capacity_ns != 0)
        print_line("  recording took %.2f %% of CPU time, of %g %% allowed",
                   (double)sampling->cost_ns * 100 /
                       (double)sampling->capacity_ns,
                   sampling->budget / 1e4);
}

/* At most, as far as it was looked at; below 0: it was not. */
static int64_t maps_in_memory(const struct profile *profile)
{
    const struct ledger_resident *latest = &profile->resident.latest;
    uint64_t most = profile->resident.most.maps;

    if (!profile->resident.is_known ||
        (latest->flags & LEDGER_RESIDENT_MAPS_KNOWN) == 0)
        return -1;
    return (int64_t)(most > latest->maps ? most : latest->maps);
}

/* Address space that is mostly no memory, as far as that is known. */
static bool is_reserved(const struct profile *profile, size_t number,
                        int64_t bytes)
{
    const struct profile_site *site = &profile->callers[number];
    int64_t in_memory = maps_in_memory(profile);

    if (profile->has_residency && site->amounts.live_bytes > 0) {
        in_memory = (int64_t)site->amounts.resident_bytes;
        bytes = site->amounts.live_bytes;
    }
    return site->kind == LEDGER_SITE_MAP && in_memory >= 0 &&
           in_memory < bytes / 2;
}

static void print_heap(const struct report *report)
{
    const struct profile *profile = report->profile;
    const struct profile_amounts *heap = &profile->heap;
    uint64_t peak_ns = findings_peak_time(profile);
    int64_t in_memory = maps_in_memory(profile);
    char time[DIGITS], at[DIGITS + 16] = "", rate[DIGITS + 16] = "";

    if (peak_ns != UINT64_MAX)
        snprintf(at, sizeof at, ", after about %s", duration(time, peak_ns));
    if (profile->peak_bytes != 0)
        print_line("  peak       %s%s",
                   NUMBER_BYTES((int64_t)profile->peak_bytes), at);
    if (profile->has_map_peaks)
        print_line("  with maps  %s at their peak, %s%s",
                   NUMBER_BYTES((int64_t)profile->peak_with_maps),
                   in_memory < 0 ? "as address space" : NUMBER_BYTES(in_memory),
                   in_memory < 0 ? "" : " of maps in memory");
    print_line("  live       %s in %s block%s %s",
               NUMBER_BYTES(heap->live_bytes), NUMBER_SIGNED(heap->live_blocks),
               number_plural((uint64_t)heap->live_blocks),
               profile_is_running(profile) ? "now" : "at the end");
    if (profile->duration_ns > 0)
        snprintf(rate, sizeof rate, ", %s a second",
                 NUMBER(profile_rate(profile, heap->alloc_blocks)));
    print_line("  allocated  %s in %s block%s%s",
               NUMBER_BYTES((int64_t)heap->alloc_bytes),
               NUMBER(heap->alloc_blocks), number_plural(heap->alloc_blocks),
               rate);
    if (profile->maps.alloc_blocks != 0)
        print_line("  maps       %s in %s anonymous map%s, beside the heap",
                   NUMBER_BYTES(profile->maps.live_bytes),
                   NUMBER_SIGNED(profile->maps.live_blocks),
                   number_plural((uint64_t)profile->maps.live_blocks));
}

/* In one line; what is not there is not said. A copy near a limit has what was
   read last: of when is said in place of what is unexplained. */
static void print_resident(const struct report *report)
{
    const struct profile *profile = report->profile;
    const struct ledger_resident *latest = &profile->resident.latest;
    uint64_t sum = ledger_resident_sum(latest);
    int64_t slack = (int64_t)(latest->heap - latest->live_bytes);
    char tail[DIGITS + 16], before[DIGITS + 16] = "", time[DIGITS];
    const struct ledger_events_view *events = &profile->events;
    bool is_older = events->offset != 0 &&
                    (double)events->used >= 0.8 * (double)events->limit &&
                    events->limit != 0;

    if (profile->resident.is_missing)
        print_line(
            "  resident   not known: the program ended too soon, or does "
            "not show it");
    if (!profile->resident.is_known)
        return;
    snprintf(tail, sizeof tail, "; %.0f %% unexplained",
             sum == 0 ? 0.0 : (double)latest->unexplained * 100 / (double)sum);
    if (is_older)
        snprintf(before, sizeof before, " after %s",
                 duration(time, latest->ns - profile->images[0].start_ns));
    print_line("  resident   %s%s: heap %s, %s %s%s",
               NUMBER_BYTES((int64_t)sum), before,
               NUMBER_BYTES((int64_t)latest->heap),
               slack < 0 ? "untouched" : "slack",
               NUMBER_BYTES(slack < 0 ? -slack : slack), is_older ? "" : tail);
}

/* What a black box has kept, and how far back that goes. */
static void print_events(const struct ledger_events_view *events)
{
    char time[DIGITS];

    if (events->offset == 0)
        return;
    print_line("  events     the last %s of %s, in %s; tally decode shows them",
               NUMBER(events->events),
               NUMBER(events->events + events->overwritten),
               duration(time, events->last_ns - events->first_ns));
    if (events->limit != 0)
        print_line("  memory     %.0f %% of a limit of %s in use when this was "
                   "copied",
                   (double)events->used * 100 / (double)events->limit,
                   NUMBER_BYTES((int64_t)events->limit));
}

/* With how many are left out. */
static void print_heading_of(const struct report *report, const char *heading,
                             size_t shown, size_t count, const char *option)
{
    char text[96];

    snprintf(text, sizeof text, shown < count ? "%s (%zu of %zu; %s)" : "%s",
             heading, shown, count, option);
    report_print_heading(report, text);
}

/* What is reserved has no share of what is held. */
static void print_holder(const struct report *report, size_t site,
                         int64_t bytes, int64_t held, bool is_reserved)
{
    bool is_map = report->profile->callers[site].kind == LEDGER_SITE_MAP;
    double share = held > 0 ? (double)bytes * 100 / (double)held : 0;
    char text[DIGITS] = "reserved";
    char *name = report_call_name(report, site, columns() - 30);

    if (!is_reserved)
        snprintf(text, sizeof text, "%4.1f %%", share);
    print_line("  %10s  %s  %s%s", NUMBER_BYTES(bytes), text,
               is_map ? "[map] " : "", name);
    free(name);
}

/* Behind all others, in their order. Returns how many there are. */
static size_t put_reserved_last(const struct profile *profile, size_t *sites,
                                size_t count, enum measure measure)
{
    size_t *reserved = memory_zeroed(count, sizeof *reserved);
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t bytes =
            measure_of(&profile->callers[sites[i]].amounts, measure);

        if (is_reserved(profile, sites[i], bytes))
            reserved[found++] = sites[i];
        else
            sites[i - found] = sites[i];
    }
    memcpy(sites + count - found, reserved, found * sizeof *sites);
    free(reserved);
    return found;
}

/* Who held most at the peak of heap and maps, or where that is not known, holds
   most now. */
static void print_holders(const struct report *report, size_t limit)
{
    const struct profile *profile = report->profile;
    const struct report_rows *heap = &report->rows[LEDGER_SITE_HEAP];
    const struct report_rows *maps = &report->rows[LEDGER_SITE_MAP];
    enum measure measure =
        profile->has_peaks ? MEASURE_PEAK_BYTES : MEASURE_LIVE_BYTES;
    int64_t held = profile->has_peaks
                       ? (int64_t)profile->peak_copied
                       : profile->heap.live_bytes + profile->maps.live_bytes;
    size_t count = heap->site_count + maps->site_count, first_reserved;
    size_t *sites = memory_zeroed(count + 1, sizeof *sites);
    /* They take a line of those who held most. */
    char *wrappers = limit < 2 ? NULL : wrappers_text(&report->wrappers);

    limit -= wrappers != NULL;
    memcpy(sites, heap->sites, heap->site_count * sizeof *sites);
    memcpy(sites + heap->site_count, maps->sites,
           maps->site_count * sizeof *sites);
    site_order_sort(site_order_of(measure), profile, report->names, false,
                    sites, count);
    while (count > 0 && measure_of(&profile->callers[sites[count - 1]].amounts,
                                   measure) <= 0)
        count--;
    limit = limit < count ? limit : count;
    if (limit > 0)
        print_heading_of(
            report, profile->has_peaks ? "Held most at the peak" : "Holds most",
            limit, count, profile->has_peaks ? "--peak" : "--leaks");
    first_reserved = count - put_reserved_last(profile, sites, count, measure);
    for (size_t i = first_reserved; i < count; i++)
        held -= measure_of(&profile->callers[sites[i]].amounts, measure);
    for (size_t i = 0; i < limit; i++)
        print_holder(report, sites[i],
                     measure_of(&profile->callers[sites[i]].amounts, measure),
                     held, i >= first_reserved);
    if (wrappers != NULL)
        print_line("  %s", wrappers);
    free(wrappers);
    free(sites);
}

static void print_findings(const struct report *report,
                           const struct finding *found, size_t shown,
                           size_t count)
{
    print_heading_of(report, "Findings", shown, count, "--full");
    if (count == 0)
        puts("  none: nothing leaks, grows, churns or lies unused beyond what "
             "is usual");
    for (size_t i = 0; i < shown; i++) {
        char *text = report_finding_text(report, &found[i], columns() - 11);

        print_line(" %-9s %s", finding_names[found[i].kind], text);
        free(text);
    }
}

void report_write_findings(const struct report *report)
{
    struct finding found[FINDING_COUNT];
    size_t count = findings_find(report->profile, found);

    if (count > 0)
        print_findings(report, found, count, count);
}

/* How many lines they take at the top. */
static size_t lines_of_figures(const struct profile *profile)
{
    return 4u + (profile->peak_bytes != 0) + profile->has_map_peaks +
           (profile->maps.alloc_blocks != 0) + profile->resident.is_known +
           profile->resident.is_missing + (profile->events.offset != 0) +
           (profile->events.offset != 0 && profile->events.limit != 0);
}

static void print_process(const struct report *report,
                          const struct process_image *image)
{
    char time[DIGITS] = "running";
    char number[PROCESS_NUMBER_SIZE];
    int indent = 2 * (int)(image->depth < DEEPEST ? image->depth : DEEPEST);

    process_number(number, image);
    if (!image->is_readable) {
        print_line("%*s%s %s", 48 + indent, "", number,
                   report->profile->calls == NULL ? "its ledger cannot be read"
                                                  : image->path);
        return;
    }
    if (!image->is_running && image->end_ns > image->start_ns)
        duration(time, image->end_ns - image->start_ns);
    print_line("%s %10s peak, %10s live, %10s  %*s%s %s",
               image == report->chosen ? ">" : " ",
               NUMBER_BYTES((int64_t)image->peak), NUMBER_BYTES(image->live),
               time, indent, "", number, base_name(image->program));
}

size_t report_print_processes(const struct report *report, size_t limit)
{
    const struct process_tree *tree = report->processes;
    char heading[96];
    size_t shown = 0;

    if (tree->count < 2)
        return 0;
    snprintf(heading, sizeof heading,
             limit < tree->count ? "The greatest of %zu process images"
             : report->profile->calls == NULL
                 ? "%zu process images (--process=NAME, --all)"
                 : "%zu process images, in traces of their own",
             tree->count);
    report_print_heading(report, heading);
    for (const struct process_image *image = tree->root; image != NULL;
         image = process_tree_next(image)) {
        if (image->place < limit || image == report->chosen) {
            print_process(report, image);
            shown++;
        }
    }
    return 2 + shown;
}

/* As a shell takes it back; for the caller to free. */
static char *quoted(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_./:=@%+,-";
    const char *before = text[0] == '-' ? "./" : "";

    return text[strspn(text, plain)] == '\0' || strchr(text, '\'') != NULL
               ? memory_print("%s%s", before, text)
               : memory_print("'%s%s'", before, text);
}

static void print_more(const struct report *report)
{
    char *source = quoted(report->source);
    char *process = report->process == NULL ? NULL : quoted(report->process);

    if (process == NULL)
        print_line("more: tally report --full %s", source);
    else
        print_line("more: tally report --full --process=%s %s", process,
                   source);
    free(source);
    free(process);
}

/* Findings have what room there is, but for a line of who held most. */
void report_write_screen(const struct report *report)
{
    struct finding found[FINDING_COUNT];
    size_t count = findings_find(report->profile, found), shown;
    size_t room =
        (size_t)ROWS - ROWS_AROUND - lines_of_figures(report->profile);

    print_what_ran(report);
    print_heap(report);
    print_resident(report);
    print_events(&report->profile->events);
    room -= report_print_processes(report, PROCESSES);
    shown = count < room ? count : room - 1;
    room -= shown == 0 ? 1 : shown; /* or a line that says so */
    print_holders(report, room < HOLDERS ? room : HOLDERS);
    print_findings(report, found, shown, count);
    putchar('\n');
    print_more(report);
}
