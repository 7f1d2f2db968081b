/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency.c - stacks that pin pages; see sampling.h
 *
 * Blocks come in rising order, so pages are finished one by one, each when a
 * block begins behind it. Pages are read in windows of the size of a huge page.
 * Time is bounded by a limit of pages and by a deadline for reads, memory by
 * the number of sites.
 *
 * This file is long because small and huge pages are charged in one pass.
 */
#include "tool/session/sampling/sampling.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_PAGES (UINT64_C(1) << 24) /* 64 GiB */
#define MOST_NS    UINT64_C(10000000000)

enum {
    WINDOW = 512,                    /* pages */
    REFERENCE_PAGES = 1 << (27 - 7), /* of 128 references each */
    HUGE_BYTES = WINDOW * PAGE_BYTES,
};

/* Blocks and bytes of a site on a page. */
struct pin {
    uint32_t next;   /* next site with blocks on the page; 0: none */
    uint32_t blocks; /* blocks that begin here, or were not counted on an
                        earlier page */
    uint64_t taken;
    uint64_t used;
};

enum level { SMALL, HUGE, LEVELS };

struct site {
    uint32_t kind; /* enum ledger_site_kind */
    struct pin pins[LEVELS];
};

/* List of the sites with blocks on a page. */
struct pinned {
    uint32_t first; /* first site; 0: none */
    uint32_t count;
    uint64_t taken;
};

struct work {
    const struct process_view *view;
    const struct heap_range *range; /* range of `page`, or the next one */
    const struct heap_range *range_end;
    struct ledger_residency *sums; /* indexed by site id, as `sites` is */
    struct site *sites;
    size_t site_count;
    struct pinned pinned[LEVELS];
    uint64_t page;       /* all pages before it are finished */
    uint64_t looked_at;  /* number of pages */
    uint64_t huge_left;  /* bytes of the range that are in huge pages */
    uint64_t huge_alone; /* bytes of this huge page already charged as
                            `alone` */
    uint64_t window;     /* 1 + first page of `words`; 0: none */
    uint64_t words[WINDOW];
    bool is_huge;                        /* true if the window is a huge page */
    bool was_alone;                      /* true if the last finished page
                                            was pinned by one site */
    uint32_t first_ids[REFERENCE_PAGES]; /* for a page of counters: 1 + id of
                                            its site 0; 0: unknown */
};

static void pin(struct work *work, enum level level, uint32_t site,
                const struct pin *more)
{
    struct pinned *pinned = &work->pinned[level];
    struct pin *pin = &work->sites[site].pins[level];

    if (pin->taken == 0) {
        pin->next = pinned->first;
        pinned->first = site;
        pinned->count++;
    }
    pin->blocks += more->blocks;
    pin->taken += more->taken;
    pin->used += more->used;
    pinned->taken += more->taken;
}

static void charge(struct work *work, uint32_t site, enum level level,
                   uint64_t share, uint64_t used, uint64_t word)
{
    struct ledger_residency *sum = &work->sums[site];

    if (level == SMALL && work->is_huge)
        return;
    if ((word & PAGE_IS_PRESENT) == 0) {
        if ((word & PAGE_IS_SWAPPED) != 0)
            sum->swapped += share;
        else
            sum->untouched += used;
        return;
    }
    sum->resident += share;
    sum->used += used;
    sum->shared += (word & PAGE_IS_OURS) == 0 ? share : 0;
    sum->huge += level == HUGE ? share : 0;
}

/* Charge a page and clear its list of pins. The last site gets the rest from
   rounding. */
static void charge_all(struct work *work, enum level level, uint64_t word)
{
    const uint64_t size = level == HUGE ? HUGE_BYTES : PAGE_BYTES;
    struct pinned *pinned = &work->pinned[level];
    uint64_t left = size;

    if (pinned->count == 0)
        charge(work, 0, level, size, 0, word);
    for (uint32_t site = pinned->first, next; site != 0; site = next) {
        struct pin *pin = &work->sites[site].pins[level];
        uint64_t share =
            pin->next == 0 ? left : size * pin->taken / pinned->taken;

        next = pin->next;
        left -= share;
        charge(work, site, level, share, pin->used, word);
        *pin = (struct pin){ 0 };
    }
    *pinned = (struct pinned){ 0 };
}

/* Note a page that becomes free once its only site frees its blocks. */
static void note_alone(struct work *work, uint64_t word)
{
    const uint64_t is_ours = PAGE_IS_PRESENT | PAGE_IS_OURS;
    const struct pinned *pinned = &work->pinned[SMALL];
    struct ledger_residency *sum = &work->sums[pinned->first];

    work->was_alone = pinned->count == 1 && (word & is_ours) == is_ours;
    if (!work->was_alone)
        return;
    sum->alone += PAGE_BYTES;
    sum->alone_blocks += work->sites[pinned->first].pins[SMALL].blocks;
    work->huge_alone += PAGE_BYTES;
}

/* Return the word of a page, with the zero page as absent: the kernel does not
   count that as resident. */
static uint64_t word_at(const struct work *work, uint64_t page)
{
    uint64_t word = work->words[page % WINDOW];

    return !work->range->has_shared && (word & PAGE_IS_OURS) == 0
               ? word & ~PAGE_IS_PRESENT
               : word;
}

/* Return true for a fully resident huge page, while the range has bytes in huge
   pages left. */
static bool is_huge(struct work *work, uint64_t first)
{
    const struct heap_range *range = work->range;

    if (work->huge_left < HUGE_BYTES || first * PAGE_BYTES < range->start ||
        (first + WINDOW) * PAGE_BYTES > range->end)
        return false;
    for (size_t i = 0; i < WINDOW; i++)
        if ((word_at(work, i) & PAGE_IS_PRESENT) == 0)
            return false;
    work->huge_left -= HUGE_BYTES;
    return true;
}

static uint64_t word_of_page(struct work *work)
{
    uint64_t first = work->page / WINDOW * WINDOW;

    if (work->window != first + 1) {
        work->window = first + 1;
        if (!work->view->read_pages(work->view->context, first, WINDOW,
                                    work->words))
            memset(work->words, 0, sizeof work->words);
        work->is_huge = is_huge(work, first);
        work->huge_alone = 0;
    }
    return word_at(work, work->page);
}

static void finish_page(struct work *work)
{
    uint64_t word = word_of_page(work);

    note_alone(work, word);
    charge_all(work, SMALL, word);
    if (!work->is_huge || work->page % WINDOW != WINDOW - 1)
        return;
    if (work->pinned[HUGE].count == 1 && (word & PAGE_IS_OURS) != 0)
        work->sums[work->pinned[HUGE].first].alone +=
            HUGE_BYTES - work->huge_alone;
    charge_all(work, HUGE, word);
}

/* Finish the heap's pages below `page`. Return false if `page` is not in the
   heap. */
static bool go_on_to(struct work *work, uint64_t page)
{
    while (work->range != work->range_end) {
        const struct heap_range *range = work->range;

        if (work->page < range->start / PAGE_BYTES)
            work->page = range->start / PAGE_BYTES;
        if (work->page >= page && page < range->end / PAGE_BYTES)
            return work->page == page;
        if (work->page >= range->end / PAGE_BYTES) {
            if (++work->range != work->range_end)
                work->huge_left = work->range->huge;
        } else if (work->looked_at++ < MOST_PAGES) {
            finish_page(work);
            work->page++;
        } else {
            work->sums[0].alone += range->end - work->page * PAGE_BYTES;
            work->page = range->end / PAGE_BYTES;
        }
    }
    return false;
}

/* Return the id of the site that a reference names, or 0. */
static uint32_t site_of(const struct work *work, uint32_t reference, bool is_id)
{
    uint32_t id = reference;

    if (!is_id) {
        id = work->first_ids[id / LEDGER_SITES_PER_SEGMENT];
        id = id == 0 ? 0 : id - 1 + reference % LEDGER_SITES_PER_SEGMENT;
    }
    return id < work->site_count && work->sites[id].kind != LEDGER_SITE_NONE
               ? id
               : 0;
}

/* Charge the pages of a map to its site, whatever they contain. */
static void add_maps(struct work *work, const struct program_maps *maps,
                     const struct ledger_snapshot *snapshot)
{
    bool are_ids = (snapshot->header->flags & LEDGER_FLAG_COMPRESSED) != 0;

    for (size_t i = 0; maps->resident != NULL && i < maps->count; i++) {
        uint32_t word = maps->maps[i].site;
        uint32_t site = site_of(work, word & LEDGER_MAP_SITE, are_ids);

        if (site != 0 && work->sites[site].kind != LEDGER_SITE_HEAP &&
            (word & LEDGER_MAP_PARENTS) == 0)
            work->sums[site].resident += maps->resident[i];
    }
}

/* Return the bytes of [start, end) that lie on the page. */
static uint64_t part_on(uint64_t page, uint64_t start, uint64_t end)
{
    uint64_t from = page * PAGE_BYTES, to = from + PAGE_BYTES;

    from = from < start ? start : from;
    to = to > end ? end : to;
    return to > from ? to - from : 0;
}

static void add_block(const struct shadow_block *block, void *context)
{
    struct work *work = context;
    struct pin more = { .blocks = 1 };
    uint32_t site = site_of(work, block->reference, block->is_id);
    uint64_t page = block->start / PAGE_BYTES;
    bool is_outside = true;

    while (site != 0 && work->sites[site].kind == LEDGER_SITE_HEAP &&
           page * PAGE_BYTES < block->end) {
        if (!go_on_to(work, page)) {
            if (work->range == work->range_end || work->page <= page)
                break;
            page = work->page; /* the next page of the heap */
            continue;
        }
        if (!is_outside && work->was_alone)
            more.blocks = 0;
        is_outside = false;
        more.taken = part_on(page, block->start, block->end);
        more.used = part_on(page, block->asked, block->asked_end);
        (void)word_of_page(work); /* sets work->is_huge */
        pin(work, SMALL, site, &more);
        if (work->is_huge)
            pin(work, HUGE, site, &more);
        page++;
    }
    work->sums[0].alone_blocks += is_outside;
}

/* Load the snapshot's sites and the offsets of their counters. */
static bool load_sites(struct work *work,
                       const struct ledger_snapshot *snapshot)
{
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    int found = ledger_reader_open(&reader, snapshot->bytes, snapshot->size);

    work->site_count = (size_t)snapshot->header->site_count + 1;
    if (found != LEDGER_E_OK ||
        work->site_count > LEDGER_ENTRY_LIMIT * LEDGER_SITES_PER_SEGMENT)
        return false;
    work->sums = calloc(work->site_count, sizeof *work->sums);
    work->sites = calloc(work->site_count, sizeof *work->sites);
    if (work->sums == NULL || work->sites == NULL)
        return false;
    while ((found = ledger_reader_next_site(&reader, &cursor, &site)) > 0) {
        uint32_t slot = site.id % LEDGER_SITES_PER_SEGMENT;
        uint64_t counters = (site.offset + (LEDGER_SITES_PER_SEGMENT - slot) *
                                               sizeof(struct ledger_site)) /
                            LEDGER_PAGE;

        if (site.id >= work->site_count)
            continue;
        work->sites[site.id].kind = site.kind;
        if (counters < REFERENCE_PAGES)
            work->first_ids[counters] = site.id - slot + 1;
    }
    return found == 0;
}

bool residency_find(const struct process_view *view,
                    const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency)
{
    struct work *work = calloc(1, sizeof *work);
    uint64_t left_out;
    bool is_read;

    if (work == NULL)
        return false;
    work->view = view;
    work->range = ranges->ranges;
    work->range_end = ranges->ranges + ranges->count;
    work->huge_left = ranges->count == 0 ? 0 : ranges->ranges->huge;
    is_read = load_sites(work, snapshot) &&
              shadow_blocks_visit(view, snapshot->header->shadow, add_block,
                                  work, &left_out);
    if (is_read) {
        go_on_to(work, UINT64_MAX);
        add_maps(work, &ranges->maps, snapshot);
        work->sums[0].alone_blocks += left_out;
        *residency = (struct residency){ work->sums, work->site_count };
    } else {
        free(work->sums);
    }
    free(work->sites);
    free(work);
    return is_read;
}

bool residency_of_maps(const struct program_maps *maps,
                       const struct ledger_snapshot *snapshot,
                       struct residency *residency)
{
    struct work *work = calloc(1, sizeof *work);
    bool is_read = work != NULL && load_sites(work, snapshot);

    if (is_read) {
        add_maps(work, maps, snapshot);
        for (size_t i = 0; i < work->site_count; i++)
            if (work->sites[i].kind != LEDGER_SITE_MAP)
                work->sums[i].resident = 0;
        *residency = (struct residency){ work->sums, work->site_count };
    } else if (work != NULL) {
        free(work->sums);
    }
    if (work != NULL)
        free(work->sites);
    free(work);
    return is_read;
}

/* a process and the deadline of its reads */
struct live_view {
    pid_t pid;
    int pagemap;
    uint64_t until_ns;
};

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    const struct live_view *live = context;

    return clock_ns(CLOCK_MONOTONIC) < live->until_ns &&
           other_memory_read(live->pid, address, to, size);
}

static bool read_pages(void *context, uint64_t page, size_t count,
                       uint64_t *words)
{
    const struct live_view *live = context;

    return pagemap_read(live->pagemap, page, count, words);
}

bool residency_store(const struct residency *residency,
                     struct ledger_snapshot *snapshot)
{
    const size_t each = LEDGER_RESIDENCY_PER_SEGMENT;
    const size_t size = sizeof *residency->sites;

    for (size_t i = 0; i < residency->count; i += each) {
        size_t left = residency->count - i;
        unsigned char *bytes =
            ledger_snapshot_add(snapshot, LEDGER_SEGMENT_RESIDENCY,
                                (uint32_t)(i / each), each * size);

        if (bytes == NULL)
            return false;
        memcpy(bytes, residency->sites + i, (left < each ? left : each) * size);
    }
    return true;
}

bool residency_read(pid_t pid, const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency)
{
    struct live_view live = { .pid = pid,
                              .pagemap = process_open(pid, "pagemap"),
                              .until_ns = clock_ns(CLOCK_MONOTONIC) + MOST_NS };
    const struct process_view view = { read_memory, read_pages, &live };
    bool is_read =
        live.pagemap >= 0 && residency_find(&view, ranges, snapshot, residency);

    if (live.pagemap >= 0)
        close(live.pagemap);
    return is_read;
}

int residency_add(pid_t pid, const struct heap_ranges *ranges,
                  struct ledger_snapshot *snapshot,
                  struct session_failure *failure)
{
    struct residency residency = { NULL, 0 };
    const char *why = NULL;

    if ((snapshot->header->flags & LEDGER_FLAG_SAMPLED) != 0)
        why = "its accounts are samples, which do not tell where all blocks "
              "lie; record it with tally record --stacks=all";
    else if (ranges == NULL ||
             !residency_read(pid, ranges, snapshot, &residency))
        why = "its memory cannot be read; look as its user, while it runs, "
              "with the Tally that recorded it";
    else if (!residency_store(&residency, snapshot))
        why = "there is no room for it in the ledger; report it without "
              "--resident";
    free(residency.sites);
    return why == NULL
               ? 0
               : session_fail(failure, "%ld: no residency: %s", (long)pid, why);
}
