/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json.c - a report for scripts
 *
 * Names are a contract: they may be added to, never changed. What this version
 * cannot know is null.
 */
#include "format/ledger/ledger_layout.h"
#include "tool/commands/report/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "tool/commands/report/report_calls.h"
#include "tool/commands/report/report_estimates.h"
#include "tool/commands/report/report_frames.h"
#include "tool/commands/report/report_json_frames.h"
#include "tool/commands/report/report_lifetimes.h"
#include "tool/model/names/trust.h"
#include "tool/render/json.h"

/* A trace has one order: its peak is exact, and known site by site. */
static void write_peak(struct json *json, const struct profile *profile)
{
    const struct call_summary *calls = profile->calls;
    bool lacks = profile->peak_most == 0 &&
                 (calls == NULL || calls->sample_interval > 1);
    uint64_t most = calls != NULL ? calls->peak_bytes : profile->peak_bytes;

    json_known(json, "peak_bytes", !lacks, most);
    json_known(json, "peak_uncertainty", !lacks, profile->peak_uncertainty);
    json_known(json, "peak_copied", profile->has_peaks,
               calls != NULL ? most : profile->peak_copied);
}

static void write_totals(struct json *json, const struct profile *profile)
{
    const struct profile_amounts *heap = &profile->heap;
    bool lacks = profile->lacks_totals;

    json_begin_object(json, "totals");
    json_known(json, "allocations", !lacks, heap->alloc_blocks);
    json_known(json, "frees", !lacks, heap->free_blocks);
    json_known(json, "bytes_allocated", !lacks, heap->alloc_bytes);
    write_peak(json, profile);
    json_signed(json, "leaked_bytes", heap->live_bytes);
    json_signed(json, "leaked_blocks", heap->live_blocks);
    json_known(json, "temporary", profile->has_temporary,
               profile->calls == NULL ? heap->temporary_blocks
                                      : profile->calls->temporary);
    json_known(json, "bytes_inherited", !lacks, heap->inherited_bytes);
    json_known(json, "blocks_inherited", !lacks, heap->inherited_blocks);
    report_write_total_intervals(json, profile);
    json_end_object(json);
}

static void write_lost(struct json *json, const struct report *report)
{
    static const char *const names[] = {
#define COUNT_NAME(name, sentence) #name,
        LEDGER_COUNT_LIST(COUNT_NAME)
#undef COUNT_NAME
    };
    const struct profile *profile = report->profile;

    json_begin_object(json, "lost");
    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++)
        json_known(json, names[i], profile->allocinfo_version == 0,
                   profile->counts[i]);
    report_calls_write_lost(json, report);
    json_end_object(json);
}

static void write_rates(struct json *json, const struct profile *profile,
                        bool lacks_totals,
                        const struct profile_amounts *amounts)
{
    bool is_lacking = lacks_totals || profile->duration_ns == 0;

    json_known(json, "calls_per_second", !is_lacking,
               is_lacking ? 0 : profile_rate(profile, amounts->alloc_blocks));
    json_known(json, "bytes_per_second", !is_lacking,
               is_lacking ? 0 : profile_rate(profile, amounts->alloc_bytes));
}

static void write_amounts(struct json *json, const struct profile *profile,
                          const struct profile_site *site,
                          const struct profile_amounts *amounts)
{
    bool lacks = site->lacks_totals;
    bool is_heap = site->kind == LEDGER_SITE_HEAP;

    json_signed(json, "bytes_live", amounts->live_bytes);
    json_signed(json, "blocks_live", amounts->live_blocks);
    json_known(json, "bytes_total", !lacks, amounts->alloc_bytes);
    json_known(json, "blocks_total", !lacks, amounts->alloc_blocks);
    json_known(json, "bytes_inherited", !lacks, amounts->inherited_bytes);
    json_known(json, "blocks_inherited", !lacks, amounts->inherited_blocks);
    json_known(json, "peak_bytes", profile->has_peaks && is_heap,
               amounts->peak_bytes);
    json_known(json, "peak_blocks", profile->has_peaks && is_heap,
               amounts->peak_blocks);
    json_known(json, "temporary", profile->has_temporary && is_heap,
               amounts->temporary_blocks);
    json_known(json, "peak_bytes_seen", profile->allocinfo_version == 0,
               amounts->peak_seen);
    write_rates(json, profile, lacks, amounts);
}

static void write_marks(struct json *json, const struct profile *profile,
                        const struct profile_site *site)
{
    if (profile->allocinfo_version != 0)
        json_bool(json, "accurate", !site->is_inaccurate);
    else
        json_bool(json, "unloaded", site->is_unloaded);
}

/* What samples tell besides. */
static void write_estimates(struct json *json, const struct report *report,
                            const struct profile_site *site,
                            const struct profile_amounts *amounts,
                            const struct lifetimes *lifetimes)
{
    report_write_intervals(json, report->profile, site->is_estimate, amounts,
                           lifetimes);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(json, report->profile, lifetimes);
}

static void write_site(struct json *json, const struct report *report,
                       const struct report_json_frames *frames, size_t number)
{
    const struct profile_site *site = &report->profile->sites[number];

    json_begin_object(json, NULL);
    write_amounts(json, report->profile, site, &site->amounts);
    write_estimates(json, report, site, &site->amounts, site->lifetimes);
    report_json_frames_write_site(frames, json, number);
    write_marks(json, report->profile, site);
    json_end_object(json);
}

static void write_stack(struct json *json, const struct report *report,
                        const struct report_json_frames *frames,
                        const struct profile_stack *stack)
{
    const struct profile_site *site = &report->profile->sites[stack->site];

    json_begin_object(json, NULL);
    write_amounts(json, report->profile, site, &stack->amounts);
    write_estimates(json, report, site, &stack->amounts, stack->lifetimes);
    report_json_frames_write_stack(frames, json, stack);
    json_bool(json, "truncated",
              stacks_is_cut(&report->profile->stacks, stack));
    write_marks(json, report->profile, site);
    json_end_object(json);
}

static void write_sites(struct json *json, const char *key,
                        const struct report *report,
                        const struct report_json_frames *frames,
                        const size_t *sites, size_t count)
{
    json_begin_array(json, key);
    for (size_t i = 0; i < count && i < report->row_limit; i++)
        write_site(json, report, frames, sites[i]);
    json_end_array(json);
}

/* Where stacks are known, each is a row. */
static void write_stacks(struct json *json, const struct report *report,
                         const struct report_json_frames *frames)
{
    const struct stacks *stacks = &report->profile->stacks;

    json_begin_array(json, "sites");
    for (size_t i = 0; i < report->stack_count && i < report->row_limit; i++)
        write_stack(json, report, frames, &stacks->stacks[report->stacks[i]]);
    json_end_array(json);
}

static void write_notices(struct json *json, const struct profile *profile)
{
    static const char *const names[] = { "none",
#define NOTICE_NAME(name, sentence) #name,
                                         LEDGER_NOTICE_LIST(NOTICE_NAME)
#undef NOTICE_NAME
    };

    json_begin_array(json, "notices");
    for (size_t i = 0; i < profile->notice_count; i++) {
        const struct profile_notice *notice = &profile->notices[i];

        json_begin_object(json, NULL);
        json_string(json, "code",
                    notice->code < LEDGER_NOTICE_COUNT ? names[notice->code]
                                                       : "unknown");
        json_string(json, "text", notice->text);
        json_unsigned(json, "times", notice->times);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Those whose names may be another file's. */
static void write_changed(struct json *json, const struct report *report)
{
    json_begin_array(json, "changed_modules");
    for (size_t i = 0; i < report->profile->module_count; i++) {
        if (site_names_may_be_wrong(report->names, report->profile, i))
            json_string(json, NULL, report->profile->modules[i].path);
    }
    json_end_array(json);
}

static void write_timeline(struct json *json, const struct profile *profile)
{
    if (profile->allocinfo_version != 0) {
        json_null(json, "timeline");
        return;
    }
    json_begin_array(json, "timeline");
    for (size_t i = 0; i < profile->timeline.count; i++) {
        const struct timeline_sample *sample = &profile->timeline.samples[i];

        json_begin_object(json, NULL);
        json_known(json, "ns",
                   profile->calls == NULL || profile->calls->has_times,
                   sample->ns);
        if (profile->calls != NULL)
            json_known(json, "event", !profile->calls->has_times, sample->ns);
        json_signed(json, "live_bytes", sample->live_bytes);
        json_signed(json, "live_blocks", sample->live_blocks);
        json_unsigned(json, "total_bytes", sample->total_bytes);
        json_end_object(json);
    }
    json_end_array(json);
}

/* The first image; --all counts them in "images". */
static void write_process(struct json *json, const struct profile *profile)
{
    const struct profile_image *image = profile->images;

    if (profile->image_count == 0) {
        json_null(json, "process");
        return;
    }
    json_begin_object(json, "process");
    json_unsigned(json, "pid", image->pid);
    json_unsigned(json, "parent_pid", image->parent_pid);
    json_string(json, "program", image->program);
    json_string(json, "command_line", image->command_line);
    json_unsigned(json, "start_ns", image->start_ns);
    json_known(json, "end_ns", image->has_ended, image->end_ns);
    json_bool(json, "running", !image->has_ended);
    json_string(json, "mem_profiling", report_profiling(image));
    json_bool(json, "forked", (image->flags & LEDGER_FLAG_FORKED) != 0);
    json_unsigned(json, "images", profile->image_count);
    json_end_object(json);
}

static void write_images(struct json *json, const struct report *report)
{
    json_begin_array(json, "images");
    for (size_t i = 0; i < report->image_count; i++) {
        const struct report_image *image = &report->images[i];

        json_begin_object(json, NULL);
        json_string(json, "file", image->file->path);
        json_unsigned(json, "pid", image->file->pid);
        json_unsigned(json, "generation", image->file->generation);
        json_bool(json, "readable", image->is_readable);
        if (image->is_readable) {
            json_string(json, "program", image->program);
            json_bool(json, "running", image->is_running);
            json_signed(json, "bytes_live", image->heap.live_bytes);
            json_unsigned(json, "bytes_total", image->heap.alloc_bytes);
        }
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_text_line(void *json, const char *line)
{
    json_string(json, NULL, line);
}

int report_write_json(const struct report *report)
{
    struct json json = { .out = stdout };
    struct report_json_frames frames;

    if (report_json_frames_open(&frames, report) < 0)
        return -1;
    json_begin_object(&json, NULL);
    write_totals(&json, report->profile);
    report_write_sampling_json(&json, report->profile);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(&json, report->profile,
                                    &report->profile->lifetimes);
    write_lost(&json, report);
    if (report->frames != NULL)
        write_stacks(&json, report, &frames);
    else
        write_sites(&json, "sites", report, &frames, report->heap,
                    report->heap_count);
    write_sites(&json, "maps", report, &frames, report->maps,
                report->map_count);
    report_json_frames_write_table(&frames, &json);
    write_notices(&json, report->profile);
    json_unsigned(&json, "torn_sites", report->profile->torn_sites);
    json_unsigned(&json, "unresolved_sites", report->names->unresolved);
    if (report->frames != NULL) {
        json_unsigned(&json, "stacks", report->profile->stacks.stack_count);
        json_unsigned(&json, "truncated_stacks", report->profile->cut_stacks);
        report_frames_write_cut_json(&json, report);
        json_unsigned(&json, "frames", report->profile->stacks.place_count);
        json_unsigned(&json, "unresolved_frames",
                      report_frames_unresolved(report));
    }
    write_changed(&json, report);
    if (report->profile->allocinfo_version != 0) {
        json_unsigned(&json, "inaccurate_sites",
                      report->profile->inaccurate_sites);
        json_string(&json, "allocinfo_version",
                    report->profile->allocinfo_version == 2 ? "2.0" : "1.0");
        json_begin_line_array(&json, "allocinfo_notes");
        trust_tell_text(report->profile, write_text_line, &json);
        trust_tell_twice(report->profile, write_text_line, &json);
        json_end_array(&json);
    }
    if (report->profile->calls != NULL)
        report_calls_write_json(&json, report);
    else if (report->has_regions)
        report_write_regions_json(&json, report->profile);
    write_timeline(&json, report->profile);
    report_write_sizes_json(&json, report->profile);
    report_write_resident_json(&json, report->profile);
    write_process(&json, report->profile);
    write_images(&json, report);
    json_end_object(&json);
    report_json_frames_close(&frames);
    return 0;
}
