/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text.c - a report for people
 */
#include "tool/commands/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/report_calls.h"
#include "tool/text/number.h"

void report_print_safe(const char *text)
{
    char *safe = terminal_safe(text);

    fputs(safe == NULL ? "?" : safe, stdout);
    free(safe);
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
        printf(" (allocinfo text, version %u.0)\n\n",
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
    if (report->is_sum_of_images)
        printf("and %zu more process images, summed\n",
               report->profile->image_count - 1);
    putchar('\n');
}

static void print_total(const char *name, int64_t value)
{
    char number[NUMBER_SIZE];

    printf("  %-16s %18s\n", name, number_signed(number, value));
}

static void print_total_bytes(const char *name, int64_t value)
{
    char number[NUMBER_SIZE];
    char human[NUMBER_SIZE];

    printf("  %-16s %18s  (%s)\n", name, number_signed(number, value),
           number_bytes(human, value));
}

static void print_peak(const struct profile *profile)
{
    char number[NUMBER_SIZE];

    print_total_bytes("peak bytes", (int64_t)profile->peak_bytes);
    if (profile->peak_uncertainty != 0)
        printf("  %-16s it may have been up to %s bytes more\n", "",
               number_unsigned(number, profile->peak_uncertainty));
}

/* Blocks that were freed before their thread allocated again. */
static void print_temporary(const struct profile_amounts *heap)
{
    char number[NUMBER_SIZE];
    double share =
        heap->alloc_blocks == 0
            ? 0
            : (double)heap->temporary_blocks * 100 / (double)heap->alloc_blocks;

    printf("  %-16s %18s  (%.1f %% of allocations)\n", "temporary",
           number_unsigned(number, heap->temporary_blocks), share);
}

static void print_totals(const struct report *report)
{
    const struct profile_amounts *heap = &report->profile->heap;

    report_print_heading(report, "Totals");
    if (!report->profile->lacks_totals) {
        print_total("allocations", (int64_t)heap->alloc_blocks);
        print_total("frees", (int64_t)heap->free_blocks);
        print_total_bytes("bytes allocated", (int64_t)heap->alloc_bytes);
    }
    print_total("live blocks", heap->live_blocks);
    print_total_bytes("live bytes", heap->live_bytes);
    if (report->profile->peak_bytes != 0)
        print_peak(report->profile);
    if (report->profile->has_temporary)
        print_temporary(heap);
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

static void print_image(const struct report_image *image)
{
    char live[NUMBER_SIZE];
    char total[NUMBER_SIZE];

    printf("  process %" PRIu32 ", image %" PRIu32 ": ", image->file->pid,
           image->file->generation);
    if (!image->is_readable) {
        puts("its ledger cannot be read");
        return;
    }
    report_print_safe(image->program);
    printf(", %s bytes live, %s bytes in total\n",
           number_signed(live, image->heap.live_bytes),
           number_unsigned(total, image->heap.alloc_bytes));
}

static void print_images(const struct report *report)
{
    if (report->image_count == 0)
        return;
    report_print_heading(report, "Other process images (--all sums them)");
    for (size_t i = 0; i < report->image_count; i++)
        print_image(&report->images[i]);
}

int report_write_text(const struct report *report)
{
    print_process(report);
    if (report->callers_of == NULL && !report->is_reverse &&
        report_write_table(report, report->heap, report->heap_count, false) < 0)
        return -1;
    if (report_write_callers(report) < 0)
        return -1;
    print_totals(report);
    if (report->profile->calls != NULL && report_calls_print(report) < 0)
        return -1;
    if (report->view == REPORT_ALL && print_maps(report) < 0)
        return -1;
    report_write_resident(report);
    report_write_trust(report);
    print_images(report);
    return 0;
}
