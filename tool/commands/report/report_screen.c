/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_screen.c - the first screen: what ran, what it held, and what to do
 *
 * It fits 80 columns and 24 rows whatever ran.
 *
 * This file is long because its parts share those rows.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/report/report_parts.h"
#include "tool/model/findings/findings.h"
#include "tool/model/names/blamed_calls.h"
#include "tool/model/names/names.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

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

/* Print a line of any text, cut to the screen. */
static void print_cut(const char *text)
{
    char *safe = memory_or_exit(escape_copy(ESCAPE_TERMINAL, text));

    terminal_write_cut(stdout, safe, columns(), "...", false);
    putchar('\n');
    free(safe);
}

static void print_line(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static void print_line(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    print_cut(memory_or_exit(text));
    free(text);
}

/* Return true for address space known to be mostly not resident. */
static bool is_reserved(const struct profile *profile, size_t number,
                        int64_t bytes)
{
    const struct profile_site *site = &profile->callers[number];
    int64_t in_memory = facet_maps_in_memory(profile);

    if (profile->has_residency && site->amounts.live_bytes > 0) {
        in_memory = (int64_t)site->amounts.resident_bytes;
        bytes = site->amounts.live_bytes;
    }
    return site->kind == LEDGER_SITE_MAP && in_memory >= 0 &&
           in_memory < bytes / 2;
}

/* Print a heading that says how many lines are left out. */
static void print_heading_of(const struct report *report, const char *heading,
                             size_t shown, size_t count, const char *option)
{
    char text[96];

    snprintf(text, sizeof text, shown < count ? "%s (%zu of %zu; %s)" : "%s",
             heading, shown, count, option);
    report_print_heading(report, text);
}

/* Print one line; reserved address space has no share. */
static void print_holder(const struct report *report, size_t site,
                         int64_t bytes, int64_t held, bool is_reserved)
{
    bool is_map = report->profile->callers[site].kind == LEDGER_SITE_MAP;
    double share = held > 0 ? (double)bytes * 100 / (double)held : 0;
    char text[DIGITS] = "reserved";
    const struct facet_subject subject = report_subject(report);
    char *name =
        facet_call_name(&subject, site, columns() - (is_map ? 31 : 30));

    if (!is_reserved)
        snprintf(text, sizeof text, "%4.1f %%", share);
    print_line("  %10s  %s  %s%s", NUMBER_BYTES(bytes), text,
               is_map ? "[mmap] " : "", name);
    free(name);
}

/* Move reserved sites behind all others; return their count. */
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

/* Print the top sites at the peak of heap and mmap memory or, if unknown,
   now. */
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
    /* a line for wrappers costs one top site */
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
            report, profile->has_peaks ? "Top at the peak" : "Top live", limit,
            count, profile->has_peaks ? "--peak" : "--leaks");
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

static void print_process(const struct report *report,
                          const struct process_image *image)
{
    char time[DIGITS] = "running";
    char number[PROCESS_NUMBER_SIZE];
    int indent = 2 * (int)(image->depth < DEEPEST ? image->depth : DEEPEST);

    process_number(number, image);
    if (!image->is_readable) {
        print_line("%*s%s %s", 48 + indent, "", number,
                   report->profile->calls == NULL ? "unreadable recording"
                                                  : image->path);
        return;
    }
    if (!image->is_running && image->end_ns > image->start_ns)
        facet_duration(time, image->end_ns - image->start_ns);
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
             limit < tree->count ? "Largest of %zu processes"
             : report->profile->calls == NULL
                 ? "%zu processes (--process=NAME, --all)"
                 : "%zu processes, each in its own trace",
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

/* Quote for a shell; the caller frees it. */
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

/* Print the facets' lines; return their count. */
static size_t print_facets(const struct facet_subject *subject)
{
    char *text = NULL;
    size_t size = 0, lines = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    facets_screen(subject, out);
    if (fclose(out) != 0)
        exit_out_of_memory();
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL;
         line = end + 1, lines++) {
        *end = '\0';
        print_cut(line);
    }
    free(text);
    return lines;
}

/* Findings take the rows that are left, but for one of the top users. */
void report_write_screen(const struct report *report)
{
    const struct facet_subject subject = report_subject(report);
    struct findings findings;
    size_t room = (size_t)ROWS - ROWS_AROUND, shown;

    findings_find(&findings, report->profile);
    room -= findings.count > 0 && findings.unjudged_count > 0;
    room -= print_facets(&subject);
    room -= report_print_processes(report, PROCESSES);
    shown = findings.count < room ? findings.count : room - 1;
    room -= shown == 0 ? 1 : shown; /* or a line that says so */
    print_holders(report, room < HOLDERS ? room : HOLDERS);
    findings_print(&subject, &findings, shown);
    putchar('\n');
    print_more(report);
}
