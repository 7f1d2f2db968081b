/* SPDX-License-Identifier: Apache-2.0 */
/* coverage.c - see coverage.h */
#include "tool/model/profile/coverage.h"

#include <stdarg.h>

#include "format/text_after.h"

enum {
    SHORT_NS = 500000000, /* a run without pages and history */
    BLOCK_OVERHEAD = 32,
    ALLOCATOR_BYTES = 4 << 20, /* that an allocator holds beside blocks */
};

static __attribute__((format(printf, 3, 4))) void
lack(struct coverage *coverage, enum coverage_part part, const char *format,
     ...)
{
    va_list arguments;

    coverage->lacks |= 1u << part;
    va_start(arguments, format);
    vsnprintf(coverage->why[part], sizeof coverage->why[part], format,
              arguments);
    va_end(arguments);
}

static bool has_notice(const struct profile *profile, uint32_t code)
{
    for (size_t i = 0; i < profile->notice_count; i++) {
        if (profile->notices[i].code == code &&
            !profile->notices[i].is_of_other)
            return true;
    }
    return false;
}

static void find_times(struct coverage *coverage, const struct profile *profile)
{
    unsigned flags = 0;

    for (size_t i = 0; i < profile->image_count; i++) {
        flags |= profile->images[i].flags;
        if (profile->images[i].is_replaced)
            lack(coverage, COVERAGE_END, "became another program");
    }
    if ((flags & LEDGER_FLAG_PAUSED) != 0)
        lack(coverage, COVERAGE_START, "recording was off for a time");
    if ((flags & LEDGER_FLAG_ATTACHED) != 0)
        lack(coverage, COVERAGE_START, "attached while it ran");
    if ((coverage->lacks & COVERAGE(START)) != 0) {
        coverage->older_frees = profile->counts[LEDGER_COUNT_older_frees] +
                                profile->counts[LEDGER_COUNT_foreign_frees];
        if (profile->sample_interval > 1)
            lack(coverage, COVERAGE_OLDER, "%s", coverage->why[COVERAGE_START]);
    }
    if (profile_is_running(profile))
        lack(coverage, COVERAGE_END, "still running");
    else if (profile->lacks_totals)
        lack(coverage, COVERAGE_END, "no totals");
}

static void find_calls(struct coverage *coverage, const struct profile *profile)
{
    const uint64_t *counts = profile->counts;
    uint64_t lost =
        counts[LEDGER_COUNT_lost_allocations] + counts[LEDGER_COUNT_lost_sites];
    uint64_t frees =
        counts[LEDGER_COUNT_lost_frees] + counts[LEDGER_COUNT_unseen_frees];
    uint64_t foreign = counts[LEDGER_COUNT_foreign_frees];

    if ((coverage->lacks & COVERAGE(START)) == 0 && foreign > 0 &&
        foreign > profile->heap.alloc_blocks / 10)
        lack(coverage, COVERAGE_CALLS, "%s unrecorded block%s freed",
             NUMBER(foreign), number_plural(foreign));
    if (lost > 0 && lost > profile->heap.alloc_blocks / 10)
        lack(coverage, COVERAGE_CALLS, "%s allocations lost", NUMBER(lost));
    if (has_notice(profile, LEDGER_NOTICE_references_exhausted))
        lack(coverage, COVERAGE_CALLS, "profiling was disabled");
    if (has_notice(profile, LEDGER_NOTICE_own_allocator))
        lack(coverage, COVERAGE_CALLS, "its allocator is not recorded");
    if (frees > 0 && (int64_t)frees > profile->heap.live_blocks / 10)
        lack(coverage, COVERAGE_FREES, "%s free%s not recorded", NUMBER(frees),
             number_plural(frees));
}

/* Compare the allocator's resident memory with twice the peak of recorded
   blocks, which fragmentation seldom exceeds. */
static void find_memory(struct coverage *coverage,
                        const struct profile *profile)
{
    const struct profile_resident *resident = &profile->resident;
    uint64_t most = resident->latest.heap > resident->most.heap
                        ? resident->latest.heap
                        : resident->most.heap;
    uint64_t blocks = profile->peak_most > profile->peak_bytes
                          ? profile->peak_most
                          : profile->peak_bytes;

    blocks += profile->heap.peak_blocks * BLOCK_OVERHEAD;
    if (resident->is_known && (coverage->lacks & COVERAGE(START)) == 0 &&
        most > 2 * blocks + ALLOCATOR_BYTES)
        lack(coverage, COVERAGE_MEMORY, "%s not recorded",
             NUMBER_BYTES((int64_t)(most - blocks)));
    else if (!resident->is_known &&
             (has_notice(profile, LEDGER_NOTICE_deepbind) ||
              has_notice(profile, LEDGER_NOTICE_namespace)))
        lack(coverage, COVERAGE_MEMORY, "a library is not recorded");
}

static void find_columns(struct coverage *coverage,
                         const struct profile *profile)
{
    const struct ledger_resident *latest = &profile->resident.latest;
    const struct history *history = &profile->history;
    const char *why =
        profile->image_count > 1 ? "several processes" : "no data";
    bool is_long = profile->duration_ns >= SHORT_NS;

    if (!profile->has_peaks)
        lack(coverage, COVERAGE_PEAKS, "%s", why);
    if (!profile->has_temporary)
        lack(coverage, COVERAGE_TEMPORARY, "%s", why);
    if (!profile->has_grown)
        lack(coverage, COVERAGE_REALLOCS, "%s", why);
    if (is_long &&
        (history->count == 0 || history->is_chosen || history->is_joined))
        lack(coverage, COVERAGE_HISTORY, "%s", why);
    if (is_long && !profile->resident.is_known)
        lack(coverage, COVERAGE_PAGES, "%s", why);
    else if (profile->image_count == 1 &&
             (profile->images->flags & LEDGER_FLAG_GRANULE_8) != 0 &&
             latest->heap < latest->live_bytes &&
             latest->heap + latest->maps + latest->stacks > latest->live_bytes)
        lack(coverage, COVERAGE_PAGES, "its heap looks like mmap memory");
}

void coverage_find(struct coverage *coverage, const struct profile *profile)
{
    *coverage = (struct coverage){ 0 };
    find_times(coverage, profile);
    find_calls(coverage, profile);
    find_memory(coverage, profile);
    find_columns(coverage, profile);
}

bool coverage_is_partial(const struct profile *profile)
{
    struct coverage coverage;

    coverage_find(&coverage, profile);
    return (coverage.lacks & (COVERAGE(CALLS) | COVERAGE(MEMORY))) != 0;
}

/* Reasons by notice; NULL: nothing ran unrecorded. */
static const char *const reasons[LEDGER_NOTICE_COUNT] = {
    [LEDGER_NOTICE_child_static] = "static",
    [LEDGER_NOTICE_child_setuid] = "set-user-ID",
    [LEDGER_NOTICE_child_no_preload] = "no LD_PRELOAD",
    [LEDGER_NOTICE_own_allocator] = "own allocator",
    [LEDGER_NOTICE_deepbind] = "RTLD_DEEPBIND",
    [LEDGER_NOTICE_namespace] = "dlmopen",
    [LEDGER_NOTICE_references_exhausted] =
        "profiling disabled: too many call sites for compressed references",
    [LEDGER_NOTICE_sandboxed] = "children forked under seccomp",
    [LEDGER_NOTICE_child_no_session] = "out of reach",
    [LEDGER_NOTICE_child_foreign] = "other libc or machine",
    [LEDGER_NOTICE_child_sanitized] = "sanitizer",
    [LEDGER_NOTICE_child_little_room] = "ulimit -v",
    [LEDGER_NOTICE_child_past_limit] = "--most",
};

static void add_notice(FILE *out, const struct profile_notice *notice)
{
    const char *reason =
        notice->code < LEDGER_NOTICE_COUNT ? reasons[notice->code] : NULL;
    const char *name = base_name(notice->text);
    /* "program (malloc)" */
    size_t length = notice->code == LEDGER_NOTICE_own_allocator
                        ? strcspn(name, "(")
                        : strlen(name);

    if (reason == NULL || notice->times == 0)
        return;
    if (length == 0)
        fprintf(out, ", %s", reason);
    else
        fprintf(out, ", %.*s%s(%s)", (int)length, name,
                name[length] == '\0' ? " " : "", reason);
    if (notice->times > 1)
        fprintf(out, " %s times", NUMBER(notice->times));
}

char *coverage_unrecorded(const struct profile *profile)
{
    static const struct {
        enum ledger_count count;
        const char *sentence;
    } losses[] = {
        { LEDGER_COUNT_unrecorded_forks, "forked child[|ren]" },
        { LEDGER_COUNT_unrecorded_images, "process image[|s]" },
        { LEDGER_COUNT_left_running, "process[|es] left running" },
    };
    char *text = NULL, words[64], *found;
    size_t size = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    for (size_t i = 0; i < profile->notice_count; i++)
        add_notice(out, &profile->notices[i]);
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        uint64_t count = profile->counts[losses[i].count];

        if (count != 0)
            fprintf(out, ", %s %s", NUMBER(count),
                    number_sentence(words, sizeof words, losses[i].sentence,
                                    count));
    }
    if (fclose(out) != 0)
        exit_out_of_memory();
    found = text[0] == '\0' ? NULL : memory_text(text + 2);
    free(text);
    return found;
}
