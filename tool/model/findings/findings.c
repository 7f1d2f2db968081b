/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - see findings.h
 *
 * This file is long because each search stands beside the table of its limits.
 */
#include "tool/model/findings/findings.h"

#include <math.h>

enum {
    SHORT_NS = 500000000,
    KIB = 1024,
    MIB = 1024 * 1024,
    INSTANTS_LEAST = 8,
    SERIES_LIMIT = 4096,
    LEAK_BYTES = 64 * KIB,
    LEAK_BLOCKS = 10,
    STACKS_LEAST = 32
};

#define GROWTH_SHARE   0.05 /* of the peak, held by a site that grows */
#define CHURN_SHARE    0.1  /* of all allocations, short-lived, by a site */
#define CHURN_LIFETIME 32   /* allocations by all sites; longer is no churn */

struct search {
    const struct profile *profile;
    int64_t *repeated;   /* by site: leaked bytes of stacks that leaked
                          LEAK_BLOCKS each; NULL: without stacks */
    size_t setup_points; /* data points until half of all bytes was allocated */
    bool keeps_all; /* most stacks hold at the end what they held at the peak:
                       the program did not free what it used */
    uint64_t older_frees; /* of blocks older than the recording */
    int64_t usual;        /* median live bytes of the heap; 0: unknown */
    uint32_t *series_of;  /* by site: number of its series, or UINT32_MAX */
    int64_t *series;      /* live bytes at each data point; NULL: unknown */
    int64_t *blocks;      /* live blocks, in the same order */
};

/* Fill *finding for one site (NULL: whole profile); return false if none. */
typedef bool find_fn(const struct search *search,
                     const struct profile_site *site, struct finding *finding);

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Return true if a site held most of its leak before half of all bytes was
   allocated: memory that grows no more is no leak. If all is held, the first
   data point is enough. */
static bool is_setup(const struct search *search, size_t row, double blocks)
{
    size_t count = search->profile->history.count;
    size_t points = search->setup_points != 0
                        ? search->setup_points
                        : search->keeps_all && count >= INSTANTS_LEAST;

    return points != 0 && search->series != NULL &&
           search->series_of[row] != UINT32_MAX &&
           (double)search
                   ->blocks[search->series_of[row] * count + points - 1] >=
               0.9 * blocks;
}

/* share: leaked bytes of the peak. A stack must leak again and again: callers
   sum many single blocks. */
static bool find_leak(const struct search *search,
                      const struct profile_site *site, struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;
    size_t row = (size_t)(site - search->profile->callers);
    double most = (double)search->profile->peak_bytes;

    if (most == 0) /* unknown */
        most = (double)search->profile->heap.live_bytes;
    finding->bytes = amounts_leaked_bytes(amounts);
    finding->blocks = amounts_leaked_blocks(amounts);
    finding->share = share_of((double)finding->bytes, most);
    return !is_setup(search, row, (double)finding->blocks) &&
           (search->repeated == NULL || search->repeated[row] >= LEAK_BYTES);
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

/* Require the highest point in the last eighth, and growth in each quarter
   between it and the last point, in the first half, that held nothing. In the
   last half a running program may be idle. Blocks that took the place of older
   ones are no growth. */
static bool find_growth(const struct search *search,
                        const struct profile_site *site,
                        struct finding *finding)
{
    const struct profile *profile = search->profile;
    const struct ledger_instant *instants = profile->history.instants;
    size_t count = profile->history.count, highest, first = 0, end = count;
    size_t row = (size_t)(site - profile->callers);
    double older = (double)search->older_frees;
    const int64_t *series, *blocks;

    if (search->series == NULL || count < INSTANTS_LEAST ||
        search->series_of[row] == UINT32_MAX)
        return false;
    series = search->series + search->series_of[row] * count;
    blocks = search->blocks + search->series_of[row] * count;
    while (profile_is_running(profile) && end > count / 2 + 1 &&
           instants[end - 1].end == instants[end - 2].end)
        end--;
    highest = highest_of(series, end);
    finding->bytes =
        (int64_t)((double)series[highest] *
                  (1 - fmin(1, share_of(older, (double)blocks[highest]))));
    finding->blocks = 1;
    finding->share =
        share_of((double)finding->bytes, (double)profile->peak_bytes);
    if (highest < end - end / 8 - 1)
        return false;
    while (first < highest / 2 && series[first + 1] == 0)
        first++;
    for (size_t quarter = 0; quarter < 4; quarter++) {
        size_t span = highest - first;
        int64_t grown = series[first + span * (quarter + 1) / 4] -
                        series[first + span * quarter / 4];

        if ((double)grown < (double)series[highest] * 0.1)
            return false;
    }
    return true;
}

/* Require a peak of three medians, less than half of it live at the end, and
   no growth. */
static bool find_spike(const struct search *search,
                       const struct profile_site *site, struct finding *finding)
{
    const struct profile *profile = search->profile;
    int64_t peak = (int64_t)profile->peak_bytes;

    if (profile->timeline.count < INSTANTS_LEAST || search->usual == 0 ||
        search->usual > peak / 3 || find_growth(search, site, finding))
        return false;
    finding->bytes = (int64_t)site->amounts.peak_bytes;
    finding->blocks = site->amounts.peak_blocks;
    finding->share = share_of((double)finding->bytes, (double)peak);
    return site->amounts.live_bytes < finding->bytes / 2;
}

/* Return true if blocks of a site live for at most CHURN_LIFETIME allocations.
   By Little's law that is the mean of live blocks, here the highest number
   seen, by the site's share of all allocations. */
static bool is_short_lived(const struct search *search,
                           const struct profile_site *site)
{
    const struct profile_amounts *amounts = &site->amounts;
    uint32_t number = search->series == NULL
                          ? UINT32_MAX
                          : search->series_of[site - search->profile->callers];
    size_t count = search->profile->history.count;
    const int64_t *blocks;
    int64_t most = (int64_t)amounts->peak_blocks;

    if (number == UINT32_MAX || count < INSTANTS_LEAST)
        return false;
    blocks = search->blocks + number * count;
    if (most < blocks[highest_of(blocks, count)])
        most = blocks[highest_of(blocks, count)];
    return (double)most * (double)search->profile->heap.alloc_blocks <=
           CHURN_LIFETIME * (double)amounts->alloc_blocks;
}

/* share: short-lived blocks of all allocations; most of the site's own blocks
   must be short-lived */
static bool find_churn(const struct search *search,
                       const struct profile_site *site, struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;

    finding->blocks = amounts->temporary_blocks;
    if (finding->blocks <= amounts->alloc_blocks / 2 &&
        is_short_lived(search, site)) {
        finding->blocks = amounts->alloc_blocks;
        finding->option = "--sort=calls";
        finding->page = "view=flame&figure=total-blocks";
    }
    finding->bytes = (int64_t)amounts->alloc_bytes;
    finding->share = share_of((double)finding->blocks,
                              (double)search->profile->heap.alloc_blocks);
    return finding->blocks > amounts->alloc_blocks / 2;
}

/* share: bytes of a grown block that were there before */
static bool find_reallocs(const struct search *search,
                          const struct profile_site *site,
                          struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;

    (void)search;
    if (amounts->grown_blocks == 0)
        return false;
    finding->bytes = (int64_t)(amounts->grown_bytes / amounts->grown_blocks);
    finding->blocks = amounts->grown_blocks;
    finding->share =
        1 - share_of((double)finding->bytes, (double)amounts->alloc_bytes /
                                                 (double)amounts->alloc_blocks);
    return amounts->alloc_bytes >= 16 * MIB;
}

/* share: headers, at 16 bytes a block, of blocks with their headers */
static bool find_small(const struct search *search,
                       const struct profile_site *site, struct finding *finding)
{
    const struct profile_amounts *amounts = &site->amounts;

    (void)search;
    finding->bytes = (int64_t)amounts->peak_bytes;
    finding->blocks = amounts->peak_blocks;
    finding->share = share_of(16 * (double)amounts->peak_blocks,
                              (double)amounts->peak_bytes +
                                  16 * (double)amounts->peak_blocks);
    return true;
}

/* Return true if pages were read at rest: a short run still allocates. */
static bool was_at_rest(const struct profile *profile)
{
    return profile->resident.is_known && profile->duration_ns >= SHORT_NS;
}

/* share: free bytes in pages that only the site's blocks pin; without a site,
   in the whole resident heap */
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
    /* Pages were read last while the program freed all, at its end. */
    if (search->usual > 2 * (int64_t)latest->live_bytes)
        return false;
    return was_at_rest(search->profile);
}

/* Return the bytes allocated shortly before pages were read: the program may
   still be filling them. */
static int64_t new_bytes(const struct profile *profile)
{
    const struct timeline *timeline = &profile->timeline;
    const uint64_t read_ns = profile->resident.latest.ns;
    uint64_t before = 0, after = profile->heap.alloc_bytes;

    for (size_t i = timeline->count; i-- > 0 && before == 0;) {
        const struct timeline_sample *sample = &timeline->samples[i];

        if (sample->ns >= read_ns)
            after = sample->total_bytes;
        if (sample->ns + SHORT_NS <= read_ns)
            before = sample->total_bytes;
    }
    return after > before ? (int64_t)(after - before) : 0;
}

/* share: requested bytes never written, of the site or of the heap */
static bool find_untouched(const struct search *search,
                           const struct profile_site *site,
                           struct finding *finding)
{
    const struct profile *profile = search->profile;
    const struct ledger_resident *latest = &profile->resident.latest;
    double all = (double)latest->live_bytes;

    finding->bytes =
        (int64_t)(latest->live_bytes - latest->heap) - new_bytes(profile);
    if (site != NULL) {
        /* Buffers that come and go are often seen before they are filled. */
        finding->bytes = (int64_t)site->amounts.untouched_pages * LEDGER_PAGE;
        all = (double)site->amounts.alloc_bytes;
    }
    finding->blocks = 1;
    finding->share = share_of((double)finding->bytes, all);
    return was_at_rest(profile);
}

static bool find_lost(const struct search *search,
                      const struct profile_site *site, struct finding *finding)
{
    const struct profile *profile = search->profile;
    double lost = (double)trust_lost(profile);

    (void)site;
    finding->bytes = 0;
    finding->blocks = trust_lost(profile);
    finding->share = share_of(lost, lost + (double)profile->heap.alloc_blocks +
                                        (double)profile->maps.alloc_blocks);
    return true;
}

/* parts whose lack makes figures too high: they matter to what is found */
#define HIGH (COVERAGE(START) | COVERAGE(OLDER) | COVERAGE(FREES))

/* A problem that is found is one whatever else was not recorded. */
#define AT_LEAST (1u << COVERAGE_PARTS)
#define RECORDED (COVERAGE(CALLS) | COVERAGE(MEMORY))

/* A finding reaches all limits; its share is of the whole that find() takes. */
static const struct rule {
    const char *name;
    find_fn *find;
    unsigned needs; /* bits by enum coverage_part */
    /* of the worst site, of all sites' sum, or of sites if known */
    enum { OF_ALL, OF_SITES, OF_SUM, OF_PAGES } of;
    int64_t least_bytes;
    uint64_t least_blocks;
    double least_share;
    const char *option;     /* of tally report, shows more */
    const char *words;      /* template of finding_figures() */
    const char *site_words; /* ... of a site whose pages are known */
    const char *page;       /* fields of the page's address; NULL: its table */
} finding_rules[] = {
    { "lost", find_lost, 0, OF_ALL, 0, 1, 0, "--full",
      "%n call[|s] not recorded, %p of all", NULL, NULL },
    { "leak", find_leak, AT_LEAST | RECORDED | COVERAGE(END) | COVERAGE(FREES),
      OF_SUM, LEAK_BYTES, LEAK_BLOCKS, 0.01, "--leaks", "%b in %n block[|s]",
      NULL, "view=flame&figure=live-bytes" },
    { "growth", find_growth,
      RECORDED | COVERAGE(HISTORY) | COVERAGE(OLDER) | COVERAGE(FREES),
      OF_SITES, 256 * KIB, 1, GROWTH_SHARE, "--peak", "%b, %p of the peak",
      NULL, "view=flame&figure=growth" },
    { "spike", find_spike, RECORDED | COVERAGE(PEAKS) | COVERAGE(START),
      OF_SITES, MIB, 1, 0.25, "--peak", "%b, %p of the peak", NULL,
      "view=flame&figure=peak-bytes" },
    { "churn", find_churn, AT_LEAST | RECORDED | COVERAGE(TEMPORARY), OF_SITES,
      0, 10000, CHURN_SHARE, "--temporary", "%n block[|s], %p of all", NULL,
      "view=flame&figure=temporary" },
    { "realloc", find_reallocs, AT_LEAST | RECORDED | COVERAGE(REALLOCS),
      OF_SITES, 0, 1000, 0.95, "--reallocs", "+%b %n times, grow by 50 %%",
      NULL, "sort=reallocs" },
    { "small", find_small, AT_LEAST | RECORDED | COVERAGE(PEAKS), OF_SITES, MIB,
      50000, 0.25, "--peak", "%n blocks of %e", NULL, "sort=live-blocks" },
    { "slack", find_slack, RECORDED | COVERAGE(PAGES) | COVERAGE(START),
      OF_PAGES, 2 * MIB, 1, 0.6, "--resident PID", "%b, %p of the heap",
      "%n block[ pins|s pin] %b", "sort=resident-bytes" },
    { "untouched", find_untouched, AT_LEAST | RECORDED | COVERAGE(PAGES),
      OF_PAGES, 2 * MIB, 1, 0.5, "--resident PID", "%b, %p of live bytes",
      "%b of %w never touched", NULL },
};

enum { RULES = sizeof finding_rules / sizeof finding_rules[0] };

_Static_assert((int)RULES <= (int)FINDING_LIMIT, "findings have room");

/* Find the worst site, or judge the whole profile; return how many were
   found. Blocks decide where the rule has no limit of bytes. */
static size_t find_among(const struct search *search, const struct rule *rule,
                         bool is_of_sites, struct finding *worst)
{
    struct finding sum = { 0 };
    size_t found = 0;
    size_t count = is_of_sites ? search->profile->caller_count : 1;

    for (size_t i = 0; i < count; i++) {
        struct finding finding = { .site = is_of_sites ? i : FINDING_NO_SITE };
        const struct profile_site *site =
            is_of_sites ? &search->profile->callers[i] : NULL;

        if ((site != NULL &&
             (site->kind != LEDGER_SITE_HEAP || site->is_left_out)) ||
            !rule->find(search, site, &finding) ||
            finding.bytes < rule->least_bytes ||
            finding.blocks < rule->least_blocks ||
            finding.share < rule->least_share)
            continue;
        sum.bytes += finding.bytes;
        sum.blocks += finding.blocks;
        sum.share += finding.share;
        if (found++ == 0 ||
            (rule->least_bytes == 0 ? finding.blocks > worst->blocks
                                    : finding.bytes > worst->bytes))
            *worst = finding;
    }
    if (rule->of == OF_SUM) {
        worst->bytes = sum.bytes;
        worst->blocks = sum.blocks;
        worst->share = sum.share;
    }
    return found;
}

static bool find_worst(const struct search *search, const struct rule *rule,
                       struct finding *worst)
{
    bool has_sites = rule->of == OF_SITES || rule->of == OF_SUM;
    size_t found = 0;

    if (has_sites || (rule->of == OF_PAGES && search->profile->has_residency))
        found = find_among(search, rule, true, worst);
    if (found == 0 && !has_sites)
        found = find_among(search, rule, false, worst);
    if (found == 0)
        return false;
    worst->kind = rule->name;
    worst->is_sum = rule->of == OF_SUM;
    worst->others = found - 1;
    worst->words = rule->words;
    if (worst->option == NULL) {
        worst->option = rule->option;
        worst->page = rule->page;
    }
    if (rule->site_words != NULL && worst->site != FINDING_NO_SITE) {
        worst->words = rule->site_words;
        worst->option = "--resident";
    }
    return true;
}

static int compare_amounts(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Return the median of the data points, which come at a steady pace. */
static int64_t usual_bytes(const struct timeline *timeline)
{
    int64_t *bytes = memory_zeroed(timeline->count + 1, sizeof *bytes), usual;

    for (size_t i = 0; i < timeline->count; i++)
        bytes[i] = timeline->samples[i].live_bytes;
    qsort(bytes, timeline->count, sizeof *bytes, compare_amounts);
    usual = bytes[timeline->count / 2];
    free(bytes);
    return usual;
}

/* Number the sites that may have grown, churned or leaked; return their
   count. */
static size_t number_series(const struct profile *profile, uint32_t *series_of)
{
    double least = GROWTH_SHARE * (double)profile->peak_bytes;
    uint32_t count = 0;

    for (size_t i = 0; i < profile->caller_count; i++)
        series_of[i] =
            count < SERIES_LIMIT &&
                    ((double)profile->callers[i].amounts.alloc_bytes >= least ||
                     (double)profile->callers[i].amounts.alloc_blocks >=
                         CHURN_SHARE * (double)profile->heap.alloc_blocks ||
                     amounts_leaked_bytes(&profile->callers[i].amounts) >=
                         LEAK_BYTES)
                ? count++
                : UINT32_MAX;
    return count;
}

/* Collect the live bytes of sites at all data points. */
static void find_series(struct search *search)
{
    const struct profile *profile = search->profile;
    const struct history *history = &profile->history;
    size_t count, rows = profile->caller_count;
    struct history_series series = { .history = history };
    OWNED uint32_t *numbers = NULL;

    if (history->count == 0 || history->is_chosen || history->is_joined)
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
    series.bytes = search->series =
        memory_zeroed(count * history->count + 1, sizeof *series.bytes);
    series.blocks = search->blocks =
        memory_zeroed(count * history->count + 1, sizeof *series.blocks);
    history_series(&series, count);
}

static void find_repeated(struct search *search)
{
    const struct stacks *stacks = &search->profile->stacks;
    size_t held = 0, kept = 0;

    search->repeated = memory_zeroed(search->profile->caller_count + 1,
                                     sizeof *search->repeated);
    for (size_t i = 0; i < stacks->stack_count; i++) {
        const struct profile_stack *stack = &stacks->stacks[i];

        if (amounts_leaked_blocks(&stack->amounts) >= LEAK_BLOCKS)
            search->repeated[stack->site] +=
                amounts_leaked_bytes(&stack->amounts);
        held += stack->amounts.peak_blocks != 0;
        kept +=
            stack->amounts.peak_blocks != 0 &&
            stack->amounts.live_blocks >= (int64_t)stack->amounts.peak_blocks;
    }
    search->keeps_all = held >= STACKS_LEAST && 3 * kept >= 2 * held;
}

static void find_setup(struct search *search)
{
    const struct timeline *timeline = &search->profile->timeline;
    const struct history *history = &search->profile->history;
    uint64_t half = search->profile->heap.alloc_bytes / 2, ns = 0;

    for (size_t i = 0;
         i < timeline->count && timeline->samples[i].total_bytes <= half; i++)
        ns = timeline->samples[i].ns;
    while (search->setup_points < history->count &&
           history->instants[search->setup_points].ns <= ns)
        search->setup_points++;
}

/* Judge one rule, unless the recording lacks a part that it needs. */
static void judge(const struct search *search, const struct rule *rule,
                  struct findings *findings)
{
    bool is_found = find_worst(search, rule, &findings->found[findings->count]);
    unsigned lacks = rule->needs & findings->coverage.lacks;

    if (!is_found)
        lacks &= ~HIGH;
    else if ((rule->needs & AT_LEAST) != 0)
        lacks &= ~COVERAGE(MEMORY);
    if (lacks != 0) {
        findings->unjudged[findings->unjudged_count].kind = rule->name;
        findings->unjudged[findings->unjudged_count++].lacks =
            (enum coverage_part)__builtin_ctz(lacks);
        return;
    }
    findings->has_judged |= rule->needs != 0;
    findings->count += is_found;
}

void findings_find(struct findings *findings, const struct profile *profile)
{
    struct search search = { .profile = profile,
                             .usual = usual_bytes(&profile->timeline) };

    *findings = (struct findings){ 0 };
    coverage_find(&findings->coverage, profile);
    search.older_frees = findings->coverage.older_frees;
    find_series(&search);
    find_setup(&search);
    if (profile->has_stacks)
        find_repeated(&search);
    if (search.keeps_all && profile->history.count < INSTANTS_LEAST) {
        findings->coverage.lacks |= COVERAGE(FREES);
        strcpy(findings->coverage.why[COVERAGE_FREES], "ends without freeing");
    }
    for (size_t i = 0; i < RULES; i++)
        judge(&search, &finding_rules[i], findings);
    free(search.repeated);
    free(search.series);
    free(search.blocks);
    free(search.series_of);
}
