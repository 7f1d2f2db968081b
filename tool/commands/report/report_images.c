/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_images.c - the process images of a recording, and which one to show
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/commands/report/report_parts.h"
#include "tool/files/regular_file.h"
#include "tool/model/sources/loaders.h"
#include "tool/tables/memory.h"
#include "tool/text/glob.h"
#include "tool/text/number.h"

/* What one line about the image says; an unreadable one is said to be so. */
static void summarise_image(struct report_image *image)
{
    struct profile *profile = profile_create();
    struct source source;
    struct source_failure failure;

    regular_file_only(true);
    if (source_open_file(&source, image->file->path, &failure) == 0) {
        image->is_readable = source_load(&source, profile, &failure) == 0;
        source_close(&source);
    }
    regular_file_only(false);
    if (image->is_readable) {
        profile_finish(profile);
        image->heap = profile->heap;
        image->peak = profile->peak_bytes;
        image->pid = profile->image_count > 0 ? profile->images[0].pid : 0;
        image->is_estimate = profile->sample_interval > 1;
        image->is_running = profile_is_running(profile);
        image->program = memory_text(
            profile->image_count > 0 ? profile->images[0].program : "?");
    }
    profile_destroy(profile);
}

void report_open_images(struct report *report, const struct image_list *images)
{
    if (report->is_sum_of_images)
        return;
    report->image_count = images->file_count;
    report->images = memory_zeroed(images->file_count, sizeof *report->images);
    for (size_t i = 0; i < images->file_count; i++) {
        report->images[i].file = &images->files[i];
        summarise_image(&report->images[i]);
    }
    report->first_file.path = memory_text(report->source);
    report->first.file = &report->first_file;
}

void report_close_images(struct report *report)
{
    for (size_t i = 0; i < report->image_count; i++)
        free(report->images[i].program);
    free(report->images);
    free(report->first.program);
    free(report->first_file.path);
}

static bool is_process(const struct report *report,
                       const struct report_image *image)
{
    uint64_t pid;

    if (!image->is_readable)
        return false;
    if (report->process == NULL)
        return true;
    return parse_count(report->process, UINT32_MAX, &pid)
               ? image->pid == pid
               : glob_matches(report->process, base_name(image->program)) ||
                     glob_matches(report->process, image->program);
}

const char *report_choose_image(struct report *report)
{
    const struct report_image *best = NULL;

    summarise_image(&report->first);
    if (is_process(report, &report->first))
        best = &report->first;
    for (size_t i = 0; i < report->image_count; i++) {
        const struct report_image *image = &report->images[i];

        if (is_process(report, image) &&
            (best == NULL || image->peak > best->peak))
            best = image;
    }
    report->chosen = best;
    return best == NULL ? NULL : best->file->path;
}

static int compare_peaks(const void *left, const void *right)
{
    const struct report_image *a = *(const struct report_image *const *)left;
    const struct report_image *b = *(const struct report_image *const *)right;

    if (a->peak != b->peak)
        return a->peak > b->peak ? -1 : 1;
    return (a->pid > b->pid) - (a->pid < b->pid);
}

size_t report_greatest_images(const struct report *report,
                              const struct report_image **greatest,
                              size_t limit)
{
    const struct report_image **all =
        memory_zeroed(report->image_count + 1, sizeof *all);
    size_t count = 0;

    for (size_t i = 0; i < report->image_count; i++) {
        if (report->images[i].is_readable)
            all[count++] = &report->images[i];
    }
    if (report->first.is_readable)
        all[count++] = &report->first;
    qsort(all, count, sizeof *all, compare_peaks);
    for (size_t i = 0; i < count && i < limit; i++)
        greatest[i] = all[i];
    free(all);
    return count;
}

static void print_image(const struct report *report,
                        const struct report_image *image)
{
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
           NUMBER_SIGNED(image->heap.live_bytes),
           NUMBER(image->heap.alloc_bytes));
}

void report_print_images(const struct report *report)
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
