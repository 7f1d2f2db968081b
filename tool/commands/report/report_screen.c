/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_screen.c - the first screen: what ran, what it held, and what to do
 *
 * It fits 24 rows whatever ran, and the terminal's columns.
 */
#include <inttypes.h>

#include "tool/commands/report/report_parts.h"
#include "tool/model/findings/findings.h"

enum {
    ROWS = 24,
    ROWS_AROUND = 6, /* two headings with a line before, and the last two */
    ROWS_LEAST = 2,  /* of the top and findings, even if more than ROWS */
    HOLDERS = 4,
    PROCESSES = 4,
    DEEPEST = 5,
    DIGITS = 32,
};

/* Print a heading that says how many lines are left out. */
static void print_heading_of(const struct report *report, const char *heading,
                             size_t shown, size_t count, const char *option)
{
    char text[96];

    snprintf(text, sizeof text, shown < count ? "%s (%zu of %zu; %s)" : "%s",
             heading, shown, count, option);
    report_print_heading(report, text);
}

/* A row of the top: bytes of a site, or of none. */
struct holder {
    size_t site;   /* SIZE_MAX: bytes that are not attributed */
    int64_t bytes; /* of maps the resident ones, as far as they were read */
    size_t place;  /* among those with as many bytes */
};

static int compare_holders(const void *left, const void *right)
{
    const struct holder *a = left, *b = right;

    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static int64_t bytes_held(const struct profile *profile,
                          const struct profile_site *site)
{
    const struct profile_amounts *amounts = &site->amounts;
    bool is_map = site->kind == LEDGER_SITE_MAP;
    int64_t resident = (int64_t)amounts->resident_bytes;

    if (profile->has_peaks)
        return is_map && profile->has_map_reading
                   ? (int64_t)amounts->most_resident
                   : (int64_t)amounts->peak_bytes;
    return is_map && profile->has_residency && resident < amounts->live_bytes
               ? resident
               : amounts->live_bytes;
}

/* Return the bytes that all holders share. */
static int64_t all_held(const struct profile *profile)
{
    uint64_t maps = profile->has_map_reading
                        ? profile->peak_of_process - profile->peak_bytes
                        : profile->maps.peak_bytes;

    if (!profile->has_peaks)
        return profile->heap.live_bytes + profile->maps.live_bytes;
    return (int64_t)(profile->peak_is_joint ? profile->peak_with_maps
                                            : profile->peak_bytes + maps);
}

static void print_holder(const struct report *report,
                         const struct holder *holder, int64_t held)
{
    bool is_known = holder->site != SIZE_MAX;
    bool is_map = is_known && report->profile->callers[holder->site].kind ==
                                  LEDGER_SITE_MAP;
    const struct facet_subject subject = report_subject(report);
    OWNED char *name =
        is_known ? facet_call_name(&subject, holder->site,
                                   terminal_room(stdout) - (is_map ? 29 : 22))
                 : memory_text("not attributed");

    facet_print_line(
        memory_print("  %10s  %4.1f %%  %s%s", NUMBER_BYTES(holder->bytes),
                     held > 0 ? (double)holder->bytes * 100 / (double)held : 0,
                     is_map ? "[mmap] " : "", name));
}

static const char *heading_of_holders(const struct profile *profile)
{
    if (!profile->has_peaks)
        return "Top live";
    if (profile->peak_is_joint)
        return "Top at the peak of heap and mmap memory together";
    return profile->maps.peak_bytes != 0
               ? "Top at the peaks of heap and mmap memory"
               : "Top at the peak";
}

/* Print the top sites at the peak of their kind or, if unknown, now. */
static void print_holders(const struct report *report, size_t limit)
{
    const struct profile *profile = report->profile;
    const struct report_rows *heap = &report->rows[LEDGER_SITE_HEAP];
    const struct report_rows *maps = &report->rows[LEDGER_SITE_MAP];
    size_t all = heap->site_count + maps->site_count, count = 0;
    OWNED size_t *sites = memory_zeroed(all + 1, sizeof *sites);
    OWNED struct holder *holders = memory_zeroed(all + 1, sizeof *holders);
    uint64_t peak =
        profile->peak_is_joint ? profile->peak_with_maps : profile->peak_bytes;
    /* a line for wrappers costs one top site */
    OWNED char *wrappers = limit < 2 ? NULL : wrappers_text(&report->wrappers);

    limit -= wrappers != NULL;
    memcpy(sites, heap->sites, heap->site_count * sizeof *sites);
    memcpy(sites + heap->site_count, maps->sites,
           maps->site_count * sizeof *sites);
    site_order_sort(site_order_of(profile->has_peaks ? MEASURE_PEAK_BYTES
                                                     : MEASURE_LIVE_BYTES),
                    profile, report->names, false, sites, all);
    for (size_t i = 0; i < all; i++) {
        int64_t bytes = bytes_held(profile, &profile->callers[sites[i]]);

        if (bytes > 0)
            holders[count++] = (struct holder){ sites[i], bytes, i };
    }
    if (profile->has_peaks && peak > profile->peak_copied)
        holders[count++] =
            (struct holder){ SIZE_MAX, (int64_t)(peak - profile->peak_copied),
                             all };
    ARRAY_SORT(holders, count, compare_holders);
    limit = limit < count ? limit : count;
    if (limit > 0)
        print_heading_of(report, heading_of_holders(profile), limit, count,
                         profile->has_peaks ? "--peak" : "--leaks");
    for (size_t i = 0; i < limit; i++)
        print_holder(report, &holders[i], all_held(profile));
    if (wrappers != NULL)
        facet_print_line(memory_print("  %s", wrappers));
}

static void print_process(const struct report *report,
                          const struct process_image *image)
{
    char time[DIGITS] = "running", *command;
    char number[PROCESS_NUMBER_SIZE];
    int indent = 2 * (int)(image->depth < DEEPEST ? image->depth : DEEPEST);

    process_number(number, image);
    if (!image->is_readable) {
        facet_print_line(memory_print("%*s%s %s", 48 + indent, "", number,
                                      report->profile->calls == NULL
                                          ? "unreadable recording"
                                          : image->path));
        return;
    }
    if (!image->is_running && image->end_ns > image->start_ns)
        facet_duration(time, image->end_ns - image->start_ns);
    command = facet_command(
        image->command_line[0] != '\0' ? image->command_line : image->program,
        (size_t)(terminal_room(stdout) < 74 + indent
                     ? 20
                     : terminal_room(stdout) - 54 - indent));
    facet_print_line(memory_print(
        "%s %10s peak, %10s live, %10s  %*s%s %s",
        image == report->chosen ? ">" : " ", NUMBER_BYTES((int64_t)image->peak),
        NUMBER_BYTES(image->live), time, indent, "", number, command));
    free(command);
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

static void print_more(const struct report *report)
{
    OWNED char *source =
        shell_word(report->source,
                   strcmp(report->source, "-") != 0 && !is_pid(report->source));
    OWNED char *process =
        report->process == NULL ? NULL : shell_word(report->process, false);

    if (process == NULL)
        facet_print_line(memory_print("more: tally report --full %s", source));
    else
        facet_print_line(memory_print(
            "more: tally report --full --process=%s %s", process, source));
}

/* Print the facets' lines; return their count. */
static size_t print_facets(const struct facet_subject *subject)
{
    OWNED char *text = NULL;
    size_t size = 0, lines = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    facets_screen(subject, out);
    if (fclose(out) != 0)
        exit_out_of_memory();
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL;
         line = end + 1, lines++) {
        *end = '\0';
        facet_print_line(memory_text(line));
    }
    return lines;
}

/* Findings take the rows that are left, but for one of the top users. */
void report_write_screen(const struct report *report)
{
    const struct facet_subject subject = report_subject(report);
    struct findings findings;
    size_t room = (size_t)ROWS - ROWS_AROUND, used, shown;

    findings_find(&findings, report->profile);
    used = findings.count > 0 && findings.unjudged_count > 0;
    used += print_facets(&subject);
    used += report_print_processes(report, PROCESSES);
    room = room > used + ROWS_LEAST ? room - used : ROWS_LEAST;
    shown = findings.count < room ? findings.count : room - 1;
    room -= shown == 0 ? 1 : shown; /* or a line that says so */
    print_holders(report, room < HOLDERS ? room : HOLDERS);
    findings_print(&subject, &findings, shown);
    putchar('\n');
    print_more(report);
}
