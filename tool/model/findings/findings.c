/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - see findings.h */
#include "tool/model/findings/findings.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tool/model/names/trust.h"
#include "tool/tables/memory.h"

enum {
    SHORT_NS = 500000000,
    KIB = 1024,
    MIB = 1024 * 1024,
    INSTANTS_LEAST = 8,
    SERIES_LIMIT = 4096
};

/* A finding needs all three; its share is of what find() compares it with. */
struct limits {
    int64_t bytes;
    uint64_t blocks;
    double share;
};

struct search {
    const struct profile *profile;
    int64_t usual; /* live bytes of all, at half of the samples at most; 0: not
                      known */
    uint32_t *series_of; /* by site: number of its series, or UINT32_MAX */
    int64_t *series;     /* live bytes at each instant; NULL: not known */
};

/* What there would be to say of a site, or of all; false: nothing. */
typedef bool find_fn(const struct search *search,
                     const struct profile_site *site, struct finding *finding);

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Of what its site allocated. */
static bool find_leak(const struct search *search,
                      const struct profile_site *site, struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;

    if (profile_is_running(search->profile) || site->lacks_totals)
        return false;
    finding->bytes = amounts->live_bytes;
    finding->blocks = (uint64_t)amounts->live_blocks;
    finding->share =
        share_of((double)amounts->live_blocks,
                 (double)(amounts->alloc_blocks + amounts->inherited_blocks));
    return (double)finding->bytes >= (double)search->profile->peak_bytes * 0.01;
}

static size_t highest_of(const int64_t *series, size_t count)
{
    size_t highest = 0;

    for (size_t i = 1; i < count; i++) {
        if (series[i] >= series[highest])
            highest = i;
    }
    return highest;
}

/* It holds most near the end, and much less at each quarter before. */
static bool find_growth(const struct search *search,
                        const struct profile_site *site,
                        struct finding *finding)
{
    const struct profile *profile = search->profile;
    size_t count = profile->history.count, highest;
    size_t row = (size_t)(site - profile->callers);
    const int64_t *series;

    if (search->series == NULL || search->series_of[row] == UINT32_MAX)
        return false;
    series = search->series + search->series_of[row] * count;
    highest = highest_of(series, count);
    finding->bytes = series[highest];
    finding->blocks = 1;
    finding->share =
        share_of((double)series[highest], (double)profile->peak_bytes);
    if (highest < count - count / 8 - 1)
        return false;
    for (size_t quarter = 0; quarter < 4; quarter++) {
        int64_t grown =
            series[highest * (quarter + 1) / 4] - series[highest * quarter / 4];

        if ((double)grown < (double)series[highest] * 0.1)
            return false;
    }
    return true;
}

/* Of a peak three times what is usual, which steady growth does not reach, if
   little of it is left. */
static bool find_spike(const struct search *search,
                       const struct profile_site *site, struct finding *finding)
{
    const struct profile *profile = search->profile;
    int64_t peak = (int64_t)profile->peak_bytes;

    if (!profile->has_peaks || search->usual == 0 || search->usual > peak / 3)
        return false;
    finding->bytes = (int64_t)site->amounts.peak_bytes;
    finding->blocks = site->amounts.peak_blocks;
    finding->share = share_of((double)finding->bytes, (double)peak);
    return site->amounts.live_bytes < finding->bytes / 2;
}

/* Of all allocations; of the site's own most are freed at once. */
static bool find_churn(const struct search *search,
                       const struct profile_site *site, struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;

    if (!search->profile->has_temporary)
        return false;
    finding->blocks = amounts->temporary_blocks;
    finding->bytes = (int64_t)amounts->alloc_bytes;
    finding->share = share_of((double)amounts->temporary_blocks,
                              (double)search->profile->heap.alloc_blocks);
    return amounts->temporary_blocks > amounts->alloc_blocks / 2;
}

/* Of a block that is made larger, what was there already. */
static bool find_reallocs(const struct search *search,
                          const struct profile_site *site,
                          struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;

    if (!search->profile->has_grown || amounts->grown_blocks == 0)
        return false;
    finding->bytes = (int64_t)(amounts->grown_bytes / amounts->grown_blocks);
    finding->blocks = amounts->grown_blocks;
    finding->share =
        1 - share_of((double)finding->bytes, (double)amounts->alloc_bytes /
                                                 (double)amounts->alloc_blocks);
    return amounts->alloc_bytes >= 16 * MIB;
}

/* Of what they hold with a header of 16 bytes each, which are the headers. */
static bool find_small(const struct search *search,
                       const struct profile_site *site, struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;

    if (!search->profile->has_peaks)
        return false;
    finding->bytes = (int64_t)amounts->peak_bytes;
    finding->blocks = amounts->peak_blocks;
    finding->share = share_of(16 * (double)amounts->peak_blocks,
                              (double)amounts->peak_bytes +
                                  16 * (double)amounts->peak_blocks);
    return true;
}

/* Of a short run pages are read while it allocates or frees. */
static bool knows_pages(const struct profile *profile)
{
    return profile->resident.is_known && profile->duration_ns >= SHORT_NS;
}

/* Of the pages that only its blocks pin; without a site, of all of the heap. */
static bool find_slack(const struct search *search,
                       const struct profile_site *site, struct finding *finding)
{
    const struct ledger_resident *latest = &search->profile->resident.latest;
    double used = (double)latest->live_bytes, all = (double)latest->heap;

    if (site != NULL) {
        used = (double)site->amounts.resident_used;
        all = (double)site->amounts.resident_bytes;
    }
    finding->bytes = site != NULL
                         ? (int64_t)site->amounts.alone_pages * LEDGER_PAGE
                         : (int64_t)(latest->heap - latest->live_bytes);
    finding->blocks = site != NULL ? site->amounts.alone_blocks : 1;
    finding->share = share_of(all - used, all);
    return knows_pages(search->profile);
}

/* Likewise: of what it asked for. */
static bool find_untouched(const struct search *search,
                           const struct profile_site *site,
                           struct finding *finding)
{
    const struct profile *profile = search->profile;
    const struct ledger_resident *latest = &profile->resident.latest;
    double all = (double)latest->live_bytes;

    finding->bytes = (int64_t)(latest->live_bytes - latest->heap);
    if (site != NULL) {
        /* Buffers that come and go are often seen before they are filled. */
        finding->bytes = (int64_t)site->amounts.untouched_pages * LEDGER_PAGE;
        all = (double)site->amounts.alloc_bytes;
    }
    finding->blocks = 1;
    finding->share = share_of((double)finding->bytes, all);
    return knows_pages(profile);
}

static bool find_lost(const struct search *search,
                      const struct profile_site *site, struct finding *finding)
{
    (void)site;
    finding->bytes = 0;
    finding->blocks = trust_lost(search->profile);
    finding->share = share_of((double)finding->blocks,
                              (double)search->profile->heap.alloc_blocks);
    return true;
}

const char *const finding_names[FINDING_COUNT] = {
    [FINDING_LOST] = "lost",           [FINDING_LEAK] = "leak",
    [FINDING_GROWTH] = "growth",       [FINDING_SPIKE] = "spike",
    [FINDING_CHURN] = "churn",         [FINDING_REALLOCS] = "realloc",
    [FINDING_SMALL] = "small",         [FINDING_SLACK] = "slack",
    [FINDING_UNTOUCHED] = "untouched",
};

static const struct {
    find_fn *find;
    enum { OF_ALL, OF_SITES, OF_PAGES } of; /* of sites, if they are known */
    struct limits least;
} rules[FINDING_COUNT] = {
    [FINDING_LOST] = { find_lost, OF_ALL, { 0, 1, 0 } },
    [FINDING_LEAK] = { find_leak, OF_SITES, { 64 * KIB, 10, 0.1 } },
    [FINDING_GROWTH] = { find_growth, OF_SITES, { 256 * KIB, 1, 0.05 } },
    [FINDING_SPIKE] = { find_spike, OF_SITES, { MIB, 1, 0.25 } },
    [FINDING_CHURN] = { find_churn, OF_SITES, { 0, 10000, 0.1 } },
    [FINDING_REALLOCS] = { find_reallocs, OF_SITES, { 0, 1000, 0.95 } },
    [FINDING_SMALL] = { find_small, OF_SITES, { MIB, 50000, 0.25 } },
    [FINDING_SLACK] = { find_slack, OF_PAGES, { 2 * MIB, 1, 0.6 } },
    [FINDING_UNTOUCHED] = { find_untouched, OF_PAGES, { 2 * MIB, 1, 0.5 } },
};

static bool is_enough(const struct finding *finding)
{
    const struct limits *least = &rules[finding->kind].least;

    return finding->bytes >= least->bytes && finding->blocks >= least->blocks &&
           finding->share >= least->share;
}

/* What a site is worst by: blocks where bytes do not matter. */
static uint64_t weight_of(const struct finding *finding)
{
    return rules[finding->kind].least.bytes == 0 ? finding->blocks
                                                 : (uint64_t)finding->bytes;
}

/* How many there are, and the worst, of sites or of all of them together. */
static size_t find_among(const struct search *search, enum finding_kind kind,
                         bool is_of_sites, struct finding *worst)
{
    size_t found = 0;
    size_t count = is_of_sites ? search->profile->caller_count : 1;

    for (size_t i = 0; i < count; i++) {
        struct finding finding = { .kind = kind, .site = i };
        const struct profile_site *site = NULL;

        if (is_of_sites) {
            site = &search->profile->callers[i];
            if (site->kind != LEDGER_SITE_HEAP || site->is_left_out)
                continue;
        } else {
            finding.site = FINDING_NO_SITE;
        }
        if (!rules[kind].find(search, site, &finding) || !is_enough(&finding))
            continue;
        if (found++ == 0 || weight_of(&finding) > weight_of(worst))
            *worst = finding;
    }
    return found;
}

static bool find_worst(const struct search *search, enum finding_kind kind,
                       struct finding *worst)
{
    size_t found = 0;

    if (rules[kind].of == OF_SITES ||
        (rules[kind].of == OF_PAGES && search->profile->has_residency))
        found = find_among(search, kind, true, worst);
    if (found == 0 && rules[kind].of != OF_SITES)
        found = find_among(search, kind, false, worst);
    worst->others = found == 0 ? 0 : found - 1;
    return found > 0;
}

static int compare_amounts(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* The median of the samples, which come at a steady pace. */
static int64_t usual_bytes(const struct timeline *timeline)
{
    int64_t *bytes = memory_zeroed(timeline->count + 1, sizeof *bytes), usual;

    for (size_t i = 0; i < timeline->count; i++)
        bytes[i] = timeline->samples[i].live_bytes;
    qsort(bytes, timeline->count, sizeof *bytes, compare_amounts);
    usual = timeline->count < INSTANTS_LEAST ? 0 : bytes[timeline->count / 2];
    free(bytes);
    return usual;
}

/* Number the sites that may have grown so much; returns how many. */
static size_t number_series(const struct profile *profile, uint32_t *series_of)
{
    double least =
        rules[FINDING_GROWTH].least.share * (double)profile->peak_bytes;
    uint32_t count = 0;

    for (size_t i = 0; i < profile->caller_count; i++)
        series_of[i] =
            count < SERIES_LIMIT &&
                    (double)profile->callers[i].amounts.alloc_bytes >= least
                ? count++
                : UINT32_MAX;
    return count;
}

/* What sites held at all instants. */
static void find_series(struct search *search)
{
    const struct profile *profile = search->profile;
    const struct history *history = &profile->history;
    size_t count, rows = profile->caller_count;
    struct history_series series = { .history = history };
    uint32_t *numbers;

    if (history->count < INSTANTS_LEAST || history->is_chosen)
        return;
    if (profile->has_stacks)
        rows = profile->stacks.stack_count;
    search->series_of =
        memory_zeroed(profile->caller_count + 1, sizeof *search->series_of);
    count = number_series(profile, search->series_of);
    numbers = memory_zeroed(rows + 1, sizeof *numbers);
    for (size_t i = 0; i < rows; i++)
        numbers[i] =
            search
                ->series_of[profile->has_stacks ? profile->stacks.stacks[i].site
                                                : i];
    series.numbers = numbers;
    series.bytes =
        memory_zeroed(count * history->count + 1, sizeof *series.bytes);
    series.blocks =
        memory_zeroed(count * history->count + 1, sizeof *series.blocks);
    history_series(&series, count);
    free(series.blocks);
    free(numbers);
    search->series = series.bytes;
}

size_t findings_find(const struct profile *profile,
                     struct finding found[FINDING_COUNT])
{
    struct search search = { .profile = profile,
                             .usual = usual_bytes(&profile->timeline) };
    size_t count = 0;

    find_series(&search);

    for (enum finding_kind kind = 0; kind < FINDING_COUNT; kind++)
        count += find_worst(&search, kind, &found[count]);
    free(search.series);
    free(search.series_of);
    return count;
}

uint64_t findings_peak_time(const struct profile *profile)
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
