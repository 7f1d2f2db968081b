/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.c - read totals and keep them over time
 *
 * This file is long because one copy of a ledger serves its timeline, the peaks
 * of its sites, their history and resident memory.
 */
#include "tool/session/sampling/sampling.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MILLISECOND UINT64_C(1000000)

static const uint64_t least_interval_ns = 100 * MILLISECOND;
static const uint64_t shortest_wait_ns = 10 * MILLISECOND;
static const uint64_t longest_wait_ns = 1000 * MILLISECOND;
static const uint64_t round_ns = 5 * MILLISECOND; /* CPU time of one call */

/* Reciprocals of shares of a CPU: the usual one, and the least, which bounds
   waits to seconds. A budget sets one in between, an eighth of itself. */
static const uint64_t usual_share = 100, least_share = 10000;

/* bounds of the time between two reads of resident memory */
static const uint64_t shortest_resident_ns = 10 * MILLISECOND;
static const uint64_t longest_resident_ns = 500 * MILLISECOND;

/* age of an image after which reading its pages may take 1 %, not 4 %; and of a
   recording, after which all else may: short runs need data points, too */
static const uint64_t soon_ns = 10000 * MILLISECOND;
static const uint64_t start_ns = 2000 * MILLISECOND;

/* Unused or untouched bytes that make reading pages worthwhile, and the largest
   heap to read: it takes about 100 ms, in which nothing else is done. */
#define PAGES_WORTH_A_LOOK (INT64_C(1) << 20)
#define PAGES_AT_MOST      (UINT64_C(512) << 20)

/*
 * Store 64-bit words that others may be reading. The first is the time: it is 0
 * while the rest changes, and is stored last.
 */
static void store_timed(void *place, const void *value, size_t size)
{
    uint64_t *words = place;
    const uint64_t *from = value;

    __atomic_store_n(&words[0], 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (size_t i = 1; i < size / sizeof *words; i++)
        __atomic_store_n(&words[i], from[i], __ATOMIC_RELAXED);
    __atomic_store_n(&words[0], from[0], __ATOMIC_RELEASE);
}

static void thin_out(struct ledger_sample *samples)
{
    uint32_t half = LEDGER_SAMPLE_CAPACITY / 2;

    for (uint32_t i = 0; i < half; i++) {
        const struct ledger_sample *pair = &samples[2 * i];
        bool is_first = pair[0].live_bytes > pair[1].live_bytes;
        struct ledger_sample kept = is_first ? pair[0] : pair[1];

        store_timed(&samples[i], &kept, sizeof kept);
    }
    for (uint32_t i = half; i < LEDGER_SAMPLE_CAPACITY; i++)
        __atomic_store_n(&samples[i].ns, 0, __ATOMIC_RELEASE);
}

bool timeline_store_add(struct ledger_sample *samples,
                        const struct ledger_sample *sample)
{
    uint32_t used = 0;
    bool is_full;

    while (used < LEDGER_SAMPLE_CAPACITY && samples[used].ns != 0)
        used++;
    is_full = used == LEDGER_SAMPLE_CAPACITY;
    if (is_full) {
        thin_out(samples);
        used /= 2;
    }
    store_timed(&samples[used], sample, sizeof *sample);
    return is_full;
}

/* the last written page of the live ledger; NULL: none */
struct mapped {
    unsigned char *page;
    uint64_t offset;
};

static void unmap(struct mapped *mapped)
{
    if (mapped->page != NULL)
        munmap(mapped->page, LEDGER_PAGE);
    mapped->page = NULL;
}

/*
 * Map a page of the live ledger. Sites come in order of their offsets, so one
 * mapped page at a time is enough. The page is allocated by fallocate(), which
 * can fail, before it is written, which could kill this process.
 */
static bool map_page(const struct ledger_snapshot *snapshot, uint64_t offset,
                     struct mapped *mapped)
{
    off_t at = (off_t)(snapshot->offset + offset);
    void *page;

    if (mapped->page != NULL && mapped->offset == offset)
        return true;
    unmap(mapped);
    if (fallocate(snapshot->fd, FALLOC_FL_KEEP_SIZE, at, LEDGER_PAGE) < 0)
        return false;
    page = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                snapshot->fd, at);
    if (page == MAP_FAILED)
        return false;
    *mapped = (struct mapped){ page, offset };
    return true;
}

/* Raise the peak of a site. Other processes may raise it too. */
static void raise(struct ledger_site *site, uint64_t live)
{
    uint64_t held = __atomic_load_n(&site->peak_seen, __ATOMIC_RELAXED);

    while (held < live &&
           !__atomic_compare_exchange_n(&site->peak_seen, &held, live, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void note_peak(const struct ledger_snapshot *snapshot,
                      const struct ledger_site_view *site, uint64_t live,
                      struct mapped *mapped)
{
    uint64_t page_offset = site->offset & ~(uint64_t)(LEDGER_PAGE - 1);

    if (live <= site->peak_seen)
        return;
    raise((void *)(snapshot->bytes + site->offset), live);
    if (snapshot->fd >= 0 && map_page(snapshot, page_offset, mapped))
        raise((void *)(mapped->page + (site->offset - page_offset)), live);
}

/* Return live bytes, or 0 if they are below zero, which they may be because
   counters are read one after another. */
static uint64_t settle(uint64_t live)
{
    return (int64_t)live < 0 ? 0 : live;
}

/* Read the totals and, unless `history` is NULL, add a data point to it. */
static bool read_accounts(const struct ledger_snapshot *snapshot, uint64_t ns,
                          struct ledger_totals *totals,
                          struct site_history *history, bool *is_coarser)
{
    struct ledger_sample *sum = &totals->sample;
    struct mapped mapped = { 0 };
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    int result;

    *totals = (struct ledger_totals){ .sample.ns = ns };
    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return false;
    totals->is_estimate = ledger_reader_sample_interval(&reader) > 1;
    while ((result = ledger_reader_next_site(&reader, &cursor, &site)) > 0) {
        const struct ledger_counter *counter = &site.counter;
        uint64_t live =
            site.inherited_bytes + counter->alloc_bytes - counter->free_bytes;

        note_peak(snapshot, &site, settle(live), &mapped);
        if (history != NULL)
            site_history_note(history, site.id, counter);
        if (site.kind != LEDGER_SITE_HEAP)
            continue;
        totals->allocations += counter->alloc_blocks;
        sum->alloc_bytes += counter->alloc_bytes;
        sum->live_blocks += site.inherited_blocks + counter->alloc_blocks -
                            counter->free_blocks;
        sum->live_bytes += live;
    }
    unmap(&mapped);
    if (reader.process.ended == 0) {
        sum->live_blocks = settle(sum->live_blocks);
        sum->live_bytes = settle(sum->live_bytes);
    }
    if (result == 0 && history != NULL)
        *is_coarser = site_history_add(history, ns, sum->live_bytes);
    return result == 0;
}

bool ledger_totals_read(const struct ledger_snapshot *snapshot, uint64_t ns,
                        struct ledger_totals *totals)
{
    return read_accounts(snapshot, ns, totals, NULL, NULL);
}

/* Add the totals to the snapshot's own timeline. */
static bool store_totals(const struct ledger_snapshot *snapshot, uint64_t ns,
                         struct site_history *history,
                         struct ledger_totals *totals)
{
    struct ledger_sample *samples = ledger_snapshot_timeline(snapshot);
    bool is_coarser;

    if (!read_accounts(snapshot, ns, totals, history, &is_coarser))
        return false;
    if (samples != NULL)
        timeline_store_add(samples, &totals->sample);
    return true;
}

bool timeline_store_close(const struct ledger_snapshot *snapshot, uint64_t ns)
{
    struct ledger_totals totals;

    return store_totals(snapshot, ns, NULL, &totals);
}

static struct site_history *history_of(struct image *image,
                                       struct ledger_snapshot *snapshot)
{
    if (image->history == NULL) {
        image->history = calloc(1, sizeof *image->history);
        if (image->history != NULL)
            site_history_resume(image->history, snapshot);
    }
    return image->history;
}

static void forget_pages(struct image *image)
{
    if (image->residency != NULL)
        free(image->residency->sites);
    free(image->residency);
    image->residency = NULL;
}

bool timeline_close_image(struct image *image, struct ledger_snapshot *snapshot,
                          uint64_t ns, struct ledger_totals *totals)
{
    struct site_history *history = history_of(image, snapshot);
    bool is_readable = store_totals(snapshot, ns, history, totals);

    if (history != NULL)
        site_history_store(history, snapshot);
    if (image->residency != NULL)
        residency_store(image->residency, snapshot);
    timeline_forget_image(image);
    return is_readable;
}

void timeline_forget_image(struct image *image)
{
    if (image->history != NULL)
        site_history_free(image->history);
    free(image->history);
    image->history = NULL;
    forget_pages(image);
}

void resident_memory_store(struct ledger_header *header,
                           const struct ledger_resident *resident)
{
    const struct ledger_resident *most =
        &header->resident[LEDGER_RESIDENT_MOST];

    store_timed(&header->resident[LEDGER_RESIDENT_LATEST], resident,
                sizeof *resident);
    if (most->ns == 0 ||
        ledger_resident_sum(most) <= ledger_resident_sum(resident))
        store_timed(&header->resident[LEDGER_RESIDENT_MOST], resident,
                    sizeof *resident);
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value < most ? value : most;
}

/* Add a data point to the timeline. Return true if it was thinned out. */
static bool add(const struct ledger_snapshot *snapshot,
                const struct ledger_sample *sample)
{
    const unsigned char *room = (void *)ledger_snapshot_timeline(snapshot);
    size_t size = LEDGER_SAMPLE_CAPACITY * sizeof *sample;
    off_t at =
        room == NULL ? 0 : (off_t)snapshot->offset + (room - snapshot->bytes);
    void *samples;
    bool is_thinner;

    if (room == NULL || fallocate(snapshot->fd, 0, at, (off_t)size) < 0)
        return false;
    samples =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, snapshot->fd, at);
    if (samples == MAP_FAILED)
        return false;
    is_thinner = timeline_store_add(samples, sample);
    munmap(samples, size);
    return is_thinner;
}

/* Return the time of the next read. Before the first data point, resident
   memory may be read earlier. */
static uint64_t due_ns(const struct timeline_sampler *sampler,
                       const struct image *image)
{
    uint64_t resident = image->next_resident_ns;

    if (resident < sampler->resident_rest_until_ns)
        resident = sampler->resident_rest_until_ns;
    return image->sample_interval_ns == 0 && resident < image->next_sample_ns
               ? resident
               : image->next_sample_ns;
}

/* Read pages and blocks if it is time; otherwise keep the last result. */
static void look_at_pages(struct timeline_sampler *sampler, struct image *image,
                          const struct ledger_snapshot *snapshot,
                          const struct ledger_resident *resident,
                          const struct heap_ranges *ranges)
{
    int64_t unused = (int64_t)(resident->heap - resident->live_bytes);
    uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu;

    if (resident->heap + resident->live_bytes > PAGES_AT_MOST ||
        (snapshot->header->flags & LEDGER_FLAG_SAMPLED) != 0) {
        forget_pages(image);
        return;
    }
    /* A read once made is repeated: unused and untouched bytes may cancel
       out. */
    if ((image->residency == NULL && unused > -PAGES_WORTH_A_LOOK &&
         unused < PAGES_WORTH_A_LOOK) ||
        now < sampler->pages_rest_until_ns)
        return;
    forget_pages(image);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    image->residency = calloc(1, sizeof *image->residency);
    if (image->residency != NULL &&
        !residency_read(image->pid, ranges, snapshot, image->residency))
        forget_pages(image);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    sampler->resident_cpu_ns += cpu;
    sampler->pages_rest_until_ns =
        now +
        cpu * (now - image->seen_ns < soon_ns ? usual_share / 4 : usual_share);
}

/* Store how many bytes of each MAP site were resident, in a ledger that others
   may be reading: records of another reading have none. */
static void store_maps(const struct ledger_snapshot *snapshot, uint32_t reading,
                       const struct residency *residency)
{
    struct ledger_map_peak_view place;
    struct mapped mapped = { 0 };
    struct ledger_reader reader;

    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return;
    for (size_t i = 1; i < residency->count; i++) {
        struct ledger_map_peak *record;

        if (residency->sites[i].resident == 0 ||
            ledger_reader_map_peak(&reader, (uint32_t)i, &place) <= 0 ||
            !map_page(snapshot, place.offset & ~(uint64_t)(LEDGER_PAGE - 1),
                      &mapped))
            continue;
        record = (void *)(mapped.page + place.offset % LEDGER_PAGE);
        record->resident = residency->sites[i].resident;
        __atomic_store_n(&record->reading, reading, __ATOMIC_RELEASE);
    }
    unmap(&mapped);
}

/* Keep the reading with the most resident maps. */
static void take_maps(const struct ledger_snapshot *snapshot,
                      struct ledger_header *header,
                      const struct ledger_resident *resident,
                      const struct program_maps *maps)
{
    struct residency residency;
    uint64_t sum = 0;
    bool is_first = header->map_reading == 0;

    if ((resident->flags & LEDGER_RESIDENT_MAPS_KNOWN) == 0 ||
        (!is_first && resident->maps <= header->map_resident) ||
        !residency_of_maps(maps, snapshot, &residency))
        return;
    for (size_t i = 1; i < residency.count; i++)
        sum += residency.sites[i].resident;
    if (is_first || sum > header->map_resident) {
        store_maps(snapshot, header->map_reading + 1, &residency);
        header->map_resident = sum;
        __atomic_store_n(&header->map_reading, header->map_reading + 1,
                         __ATOMIC_RELEASE);
    }
    free(residency.sites);
}

/* Read resident memory, within a share of time of its own for all images. */
static void take_resident(struct timeline_sampler *sampler, struct image *image,
                          const struct ledger_snapshot *snapshot,
                          const struct ledger_sample *sample)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu;
    struct ledger_resident resident = { .ns = sample->ns,
                                        .live_bytes = sample->live_bytes };
    struct heap_ranges ranges = { 0 };
    struct ledger_header *header = MAP_FAILED;
    bool is_read;

    if (now < sampler->resident_rest_until_ns)
        return;
    sampler->resident_rest_until_ns = now;
    if (now < image->next_resident_ns)
        return;
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    is_read =
        resident_memory_read(image->pid, snapshot, &resident, &ranges) == 0;
    if (is_read)
        header = mmap(NULL, LEDGER_HEADER_SIZE, PROT_READ | PROT_WRITE,
                      MAP_SHARED, snapshot->fd, (off_t)snapshot->offset);
    if (header != MAP_FAILED) {
        resident_memory_store(header, &resident);
        take_maps(snapshot, header, &resident, &ranges.maps);
        munmap(header, LEDGER_HEADER_SIZE);
    }
    image->next_resident_ns =
        now +
        clamp(now - image->seen_ns, shortest_resident_ns, longest_resident_ns);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    sampler->resident_cpu_ns += cpu;
    sampler->resident_rest_until_ns = now + cpu * sampler->share;
    if (is_read)
        look_at_pages(sampler, image, snapshot, &resident, &ranges);
    free(ranges.ranges);
    program_maps_free(&ranges.maps);
}

static void take_sample(struct timeline_sampler *sampler,
                        struct image_table *table, uint32_t number, int fd)
{
    struct image *image = &table->images[number];
    struct ledger_snapshot snapshot;
    struct ledger_totals totals;
    struct site_history *history = NULL;
    bool is_coarser = false;

    image->is_over = image_has_ended(table, number);
    if (image->is_over)
        image->ended_ns = clock_ns(CLOCK_REALTIME);
    if (image->is_over ||
        ledger_snapshot_take(fd, session_extent_offset(number), &snapshot) < 0)
        return;
    if (image->next_sample_ns <= clock_ns(CLOCK_MONOTONIC) &&
        image->next_instant_ns <= clock_ns(CLOCK_MONOTONIC))
        history = history_of(image, &snapshot);
    if (history != NULL)
        history->resident =
            process_status_read(image->pid, "VmRSS:", 10) * 1024;
    if (!read_accounts(&snapshot, clock_ns(CLOCK_REALTIME), &totals, history,
                       &is_coarser)) {
        image->next_sample_ns = clock_ns(CLOCK_MONOTONIC) + least_interval_ns;
        image->next_resident_ns = image->next_sample_ns;
    } else {
        if (image->next_sample_ns <= clock_ns(CLOCK_MONOTONIC)) {
            if (image->sample_interval_ns == 0)
                image->sample_interval_ns = image->instant_interval_ns =
                    least_interval_ns;
            if (add(&snapshot, &totals.sample))
                image->sample_interval_ns *= 2;
            if (is_coarser)
                image->instant_interval_ns *= 2;
            if (history != NULL) {
                site_history_publish(history, &snapshot);
                image->next_instant_ns =
                    clock_ns(CLOCK_MONOTONIC) + image->instant_interval_ns;
            }
            image->next_sample_ns =
                clock_ns(CLOCK_MONOTONIC) + image->sample_interval_ns;
        }
        take_resident(sampler, image, &snapshot, &totals.sample);
    }
    ledger_snapshot_free(&snapshot);
}

/* Return whole milliseconds, at least 1. */
static int milliseconds(uint64_t ns)
{
    return (int)(ns / MILLISECOND) + 1;
}

/* Take the data points whose time has come by `now`. Return the time of the
   next. */
static uint64_t sample_due(struct timeline_sampler *sampler,
                           struct image_table *table, int fd, uint64_t now)
{
    uint64_t stop_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + round_ns;
    uint64_t next = now + longest_wait_ns;

    /* A program may run for a short time only: look for its ledger soon. */
    if (table->count == 0)
        next = now + clamp(now - sampler->begun_ns, shortest_wait_ns,
                           least_interval_ns);
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t number = (sampler->next + i) % table->count;
        struct image *image = &table->images[number];

        if (image->is_over || image->is_written)
            continue;
        if (!image->is_open || image->seen_ns == 0) {
            image->next_sample_ns = now + least_interval_ns;
            image->seen_ns = now;
        }
        if (image->is_open && due_ns(sampler, image) <= now) {
            if (clock_ns(CLOCK_PROCESS_CPUTIME_ID) > stop_cpu) {
                sampler->next = number;
                return now;
            }
            take_sample(sampler, table, number, fd);
        }
        if (due_ns(sampler, image) < next)
            next = due_ns(sampler, image);
    }
    return next;
}

int timeline_sampler_poll(struct timeline_sampler *sampler,
                          struct image_table *table,
                          const struct session_file *session)
{
    uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t next = now + least_interval_ns;
    uint32_t budget = session->settings.sample_budget; /* millionths of a CPU */

    if (sampler->begun_ns == 0)
        sampler->begun_ns = now;
    sampler->resident_cpu_ns = 0;
    sampler->share = budget != 0
                         ? clamp(8000000 / budget, usual_share, least_share)
                     : now - sampler->begun_ns < start_ns ? usual_share / 4
                                                          : usual_share;
    if (now < sampler->rest_until_ns)
        return milliseconds(sampler->rest_until_ns - now);
    if (image_table_refresh(table, session))
        next = sample_due(sampler, table, session->fd, now);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu - sampler->resident_cpu_ns;
    sampler->rest_until_ns = now + cpu * sampler->share;
    if (next < sampler->rest_until_ns)
        next = sampler->rest_until_ns;
    if (next < now + shortest_wait_ns)
        next = now + shortest_wait_ns;
    return milliseconds(next - now);
}
