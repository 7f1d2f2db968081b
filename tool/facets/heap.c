/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - heap totals of the first screen */
#include <inttypes.h>

#include "tool/facets/facet.h"

/* Return nanoseconds from the start to the peak; UINT64_MAX if unknown, as when
   no data point met it. */
static uint64_t peak_time(const struct profile *profile)
{
    const struct timeline *timeline = &profile->timeline;
    size_t highest = 0;

    if (timeline->count < 2 || profile->image_count == 0)
        return UINT64_MAX;
    for (size_t i = 1; i < timeline->count; i++) {
        if (timeline->samples[i].live_bytes >
            timeline->samples[highest].live_bytes)
            highest = i;
    }
    if ((double)timeline->samples[highest].live_bytes <
        0.9 * (double)profile->peak_bytes)
        return UINT64_MAX;
    return timeline->samples[highest].ns - profile->images[0].start_ns;
}

/* Write the call that allocated most bytes, if a tenth of all and more than
   twice what it held at the peak, which has its own line. */
static void screen_allocated(const struct facet_subject *subject, FILE *out)
{
    const struct profile *profile = subject->profile;
    uint64_t most = profile->heap.alloc_bytes / 10;
    size_t site = SIZE_MAX;
    OWNED char *name = NULL;

    for (size_t i = 0; i < profile->caller_count; i++) {
        const struct profile_site *caller = &profile->callers[i];

        if (caller->kind == LEDGER_SITE_HEAP && !caller->is_left_out &&
            caller->amounts.alloc_bytes > most) {
            most = caller->amounts.alloc_bytes;
            site = i;
        }
    }
    if (site == SIZE_MAX ||
        most / 2 <= profile->callers[site].amounts.peak_bytes)
        return;
    name = facet_call_name(subject, site, terminal_room(stdout) - 34);
    fprintf(out, "             %.0f %% of it by %s; --sort=total\n",
            (double)most * 100 / (double)profile->heap.alloc_bytes, name);
}

static void screen_heap(const struct facet_subject *subject, FILE *out)
{
    const struct profile *profile = subject->profile;
    const struct profile_amounts *heap = &profile->heap;
    uint64_t peak_ns = peak_time(profile);
    char time[DURATION_SIZE], at[DURATION_SIZE + 16] = "";
    char rate[DURATION_SIZE + 16] = "", margin[DURATION_SIZE] = "";

    if (peak_ns != UINT64_MAX)
        snprintf(at, sizeof at, " after about %s",
                 facet_duration(time, peak_ns));
    if (profile->peak_uncertainty > profile->peak_bytes / 20)
        snprintf(margin, sizeof margin, " \u00b1 %s",
                 NUMBER_BYTES((int64_t)profile->peak_uncertainty));
    if (profile->peak_of_process > profile->peak_bytes)
        fprintf(out, "  peak       %s: mmap %s%s, heap %s%s%s\n",
                NUMBER_BYTES((int64_t)profile->peak_of_process),
                NUMBER_BYTES(
                    (int64_t)(profile->peak_of_process - profile->peak_bytes)),
                profile->has_map_reading ? " resident" : "",
                NUMBER_BYTES((int64_t)profile->peak_bytes), margin, at);
    else if (profile->peak_bytes != 0)
        fprintf(out, "  peak       %s%s%s%s\n",
                NUMBER_BYTES((int64_t)profile->peak_bytes), margin,
                peak_ns == UINT64_MAX ? "" : ",", at);
    fprintf(out, "  live       %s in %s block%s %s\n",
            NUMBER_BYTES(heap->live_bytes), NUMBER_SIGNED(heap->live_blocks),
            number_plural((uint64_t)heap->live_blocks),
            profile_is_running(profile) ? "now" : "at exit");
    if (profile->duration_ns > 0)
        snprintf(rate, sizeof rate, ", %s/s",
                 NUMBER(profile_rate(profile, heap->alloc_blocks)));
    fprintf(out, "  allocated  %s in %s block%s%s\n",
            NUMBER_BYTES((int64_t)heap->alloc_bytes),
            NUMBER(heap->alloc_blocks), number_plural(heap->alloc_blocks),
            rate);
    screen_allocated(subject, out);
    if (profile->maps.alloc_blocks != 0)
        fprintf(out,
                "  mmap       %s in %s mapping%s, peak %s of address space\n",
                NUMBER_BYTES(profile->maps.live_bytes),
                NUMBER_SIGNED(profile->maps.live_blocks),
                number_plural((uint64_t)profile->maps.live_blocks),
                NUMBER_BYTES((int64_t)profile->maps.peak_bytes));
}

const struct facet heap_facet = { .screen = screen_heap };
