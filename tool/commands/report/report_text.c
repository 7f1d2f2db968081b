/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text.c - a report for people
 */
#include "format/ledger/ledger_layout.h"
#include "tool/commands/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/report/report_calls.h"
#include "tool/commands/report/report_estimates.h"
#include "tool/commands/report/report_lifetimes.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

void report_print_safe(const char *text)
{
    escape_write(stdout, ESCAPE_TERMINAL, text, SIZE_MAX);
}

void report_print_heading(const struct report *report, const char *text)
{
    bool has_color = terminal_has_color(report->color, stdout);

    printf("\n%s%s%s\n", has_color ? "\033[1m" : "", text,
           has_color ? "\033[0m" : "");
}

static void print_process(const struct report *report)
{
    const struct profile_image *image = report->profile->images;

    if (report->profile->calls != NULL) {
        report_calls_print_head(report);
        return;
    }
    if (report->profile->image_count == 0) {
        report_print_safe(report->source);
        printf(report->profile->text.reports != 0
                   ? " (largest rows of a kernel's log, as version %u.0)\n\n"
                   : " (allocinfo text, version %u.0)\n\n",
               report->profile->allocinfo_version);
        return;
    }
    report_print_safe(image->command_line[0] != '\0' ? image->command_line
                                                     : image->program);
    printf(" (process %" PRIu32 "%s%s", image->pid,
           (image->flags & LEDGER_FLAG_FORKED) != 0 ? ", a forked child" : "",
           image->has_ended ? "" : ", running when it was read");
    if (image->control != LEDGER_CONTROL_ON)
        printf(", vm.mem_profiling=%s", report_profiling(image));
    puts(")");
    report_print_sampling(report->profile);
    if (report->is_sum_of_images)
        printf("and %zu more process images, summed\n",
               report->profile->image_count - 1);
    putchar('\n');
}

/* A number, how uncertain it is, and bytes as people say them. */
static void print_number(const char *name, int64_t value,
                         struct interval interval, bool is_bytes)
{
    char number[NUMBER_SIZE];
    char human[NUMBER_SIZE];
    char margin[ESTIMATE_MARGIN_SIZE];

    printf("  %-16s %18s", name, number_signed(number, value));
    if (is_bytes)
        printf("  (%s)", number_bytes(human, value));
    estimate_margin(margin, value, interval);
    printf("%s%s\n", *margin == '\0' ? "" : "  ", margin);
}

static void print_total(const char *name, int64_t value)
{
    print_number(name, value, (struct interval){ (double)value, (double)value },
                 false);
}

static void print_total_bytes(const char *name, int64_t value)
{
    print_number(name, value, (struct interval){ (double)value, (double)value },
                 true);
}

/* Of the whole heap. */
static void print_measure(const char *name, const struct profile *profile,
                          enum measure measure)
{
    int64_t value = measure_of(&profile->heap, measure);
    struct interval interval = { (double)value, (double)value };

    if (profile->sample_interval > 1)
        interval = interval_of_measure(profile, &profile->heap, measure);
    print_number(name, value, interval, measure_is_bytes(measure));
}

static void print_frees(const struct profile *profile)
{
    int64_t value = (int64_t)profile->heap.free_blocks;
    struct interval interval = { (double)value, (double)value };

    if (profile->sample_interval > 1)
        interval = report_interval_of_frees(profile, &profile->heap);
    print_number("frees", value, interval, false);
}

static void print_peak(const struct profile *profile)
{
    int64_t value = (int64_t)profile->peak_bytes;
    struct interval interval = { (double)value, (double)value };
    char number[NUMBER_SIZE];

    if (profile->sample_interval > 1)
        interval = interval_of_peak(profile);
    print_number("peak bytes", value, interval, true);
    if (profile->peak_uncertainty != 0)
        printf("  %-16s it may have been up to %s bytes more or less\n", "",
               number_unsigned(number, profile->peak_uncertainty));
    if (profile->has_peaks && profile->peak_copied != profile->peak_bytes)
        printf("  %-16s who held them is known of %s bytes (%.2f %%)\n", "",
               number_unsigned(number, profile->peak_copied),
               (double)profile->peak_copied * 100 /
                   (double)profile->peak_bytes);
}

/* Blocks that were freed before their thread allocated again. */
static void print_temporary(const struct profile *profile)
{
    const struct profile_amounts *heap = &profile->heap;
    const struct lifetimes *lifetimes = &profile->lifetimes;
    char number[NUMBER_SIZE], text[ESTIMATE_TEXT_SIZE];
    struct share share;
    double percent =
        heap->alloc_blocks == 0
            ? 0
            : (double)heap->temporary_blocks * 100 / (double)heap->alloc_blocks;

    number_unsigned(number, heap->temporary_blocks);
    if (profile->sample_interval <= 1) {
        printf("  %-16s %18s  (%.1f %% of allocations)\n", "temporary", number,
               percent);
        return;
    }
    share = share_of_blocks(profile, &lifetimes->sums[LEDGER_LIFE_FREED],
                            &lifetimes->sums[LEDGER_LIFE_ALLOCATED]);
    printf("  %-16s %18s  %s of allocations\n", "temporary", number,
           estimate_share(text, &share));
}

static void print_totals(const struct report *report)
{
    const struct profile *profile = report->profile;
    const struct profile_amounts *heap = &profile->heap;

    report_print_heading(
        report, profile->text.reports != 0 ? "Totals of these rows" : "Totals");
    if (!profile->lacks_totals) {
        print_measure("allocations", profile, MEASURE_TOTAL_BLOCKS);
        print_frees(profile);
        print_measure("bytes allocated", profile, MEASURE_TOTAL_BYTES);
    }
    print_measure("live blocks", profile, MEASURE_LIVE_BLOCKS);
    print_measure("live bytes", profile, MEASURE_LIVE_BYTES);
    if (profile->peak_most != 0)
        print_peak(profile);
    if (profile->has_temporary)
        print_temporary(profile);
    if (heap->inherited_blocks != 0) {
        print_total("inherited blocks", (int64_t)heap->inherited_blocks);
        print_total_bytes("inherited bytes", (int64_t)heap->inherited_bytes);
    }
}

static int print_maps(const struct report *report)
{
    if (report->map_count == 0)
        return 0;
    report_print_heading(report, "Anonymous maps, not in the totals above");
    return report_write_table(report, report->maps, report->map_count, true);
}

static void print_image(const struct report *report,
                        const struct report_image *image)
{
    char live[NUMBER_SIZE];
    char total[NUMBER_SIZE];

    printf("  process %" PRIu32 ", image %" PRIu32 ": ", image->file->pid,
           image->file->generation);
    if (!image->is_readable) {
        report_print_safe(report->profile->calls == NULL
                              ? "its ledger cannot be read"
                              : image->file->path);
        putchar('\n');
        return;
    }
    report_print_safe(image->program);
    printf("%s, %s%s bytes live, %s bytes in total\n",
           image->is_running ? ", running when it was read" : "",
           image->is_estimate ? "about " : "",
           number_signed(live, image->heap.live_bytes),
           number_unsigned(total, image->heap.alloc_bytes));
}

static void print_images(const struct report *report)
{
    if (report->image_count == 0)
        return;
    report_print_heading(report,
                         report->profile->calls == NULL
                             ? "Other process images (--all sums them)"
                             : "Other process images, in traces of their own");
    for (size_t i = 0; i < report->image_count; i++)
        print_image(report, &report->images[i]);
}

static int write_rows(const struct report *report)
{
    bool is_tree = report->callers_of != NULL || report->is_reverse;

    if (report->view == REPORT_LIFETIMES && !is_tree)
        return report_write_lifetimes(report);
    if (!is_tree &&
        report_write_table(report, report->heap, report->heap_count, false) < 0)
        return -1;
    return report_write_callers(report);
}

int report_write_text(const struct report *report)
{
    print_process(report);
    if (write_rows(report) < 0)
        return -1;
    print_totals(report);
    if (report->profile->calls != NULL && report_calls_print(report) < 0)
        return -1;
    if (report->view == REPORT_ALL && print_maps(report) < 0)
        return -1;
    if (report->has_sizes)
        report_write_sizes(report);
    report_write_resident(report);
    report_write_trust(report);
    print_images(report);
    return 0;
}
