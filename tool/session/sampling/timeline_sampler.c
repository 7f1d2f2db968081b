/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_sampler.c - see timeline_sampler.h
 *
 * The room lies in memory that a program shares with us. It is allocated by
 * fallocate(), which can fail, before it is touched, which could kill.
 */
#include "tool/session/sampling/timeline_sampler.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "format/ledger/ledger_layout.h"
#include "tool/session/clock.h"
#include "tool/session/find/ledger_snapshot.h"
#include "tool/session/sampling/resident_memory.h"
#include "tool/session/sampling/timeline_store.h"

#define MILLISECOND UINT64_C(1000000)

static const uint64_t least_interval_ns = 100 * MILLISECOND;
static const uint64_t shortest_wait_ns = 10 * MILLISECOND;
static const uint64_t longest_wait_ns = 1000 * MILLISECOND;
static const uint64_t round_ns = 5 * MILLISECOND; /* then others have a turn */
static const uint64_t share = 100; /* at most one part of this many of a CPU */

/* Between two readings of resident memory. */
static const uint64_t shortest_resident_ns = 10 * MILLISECOND;
static const uint64_t longest_resident_ns = 500 * MILLISECOND;

/* True: the timeline was thinned out. */
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

/* When to look at it again. Before the first sample, resident memory is
   read. */
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

/* The header is there: the recorder wrote it. */
static void store_resident(const struct ledger_snapshot *snapshot,
                           const struct ledger_resident *resident)
{
    struct ledger_header *header =
        mmap(NULL, LEDGER_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
             snapshot->fd, (off_t)snapshot->offset);

    if (header == MAP_FAILED)
        return;
    resident_memory_store(header, resident);
    munmap(header, LEDGER_HEADER_SIZE);
}

static uint64_t resident_interval(const struct image *image, uint64_t now)
{
    uint64_t age = now - image->seen_ns;

    return age < shortest_resident_ns  ? shortest_resident_ns
           : age < longest_resident_ns ? age
                                       : longest_resident_ns;
}

/* Of all images together it takes as little time as all the rest. */
static void take_resident(struct timeline_sampler *sampler, struct image *image,
                          const struct ledger_snapshot *snapshot,
                          const struct ledger_sample *sample)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu;
    struct ledger_resident resident = { .ns = sample->ns,
                                        .live_bytes = sample->live_bytes };

    if (now < sampler->resident_rest_until_ns)
        return;
    sampler->resident_rest_until_ns = now;
    if (now < image->next_resident_ns)
        return;
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (resident_memory_read(image->pid, snapshot, &resident) == 0)
        store_resident(snapshot, &resident);
    image->next_resident_ns = now + resident_interval(image, now);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    sampler->resident_cpu_ns += cpu;
    sampler->resident_rest_until_ns = now + cpu * share;
}

static void keep_sample(struct image *image,
                        const struct ledger_snapshot *snapshot,
                        const struct ledger_sample *sample)
{
    if (image->sample_interval_ns == 0)
        image->sample_interval_ns = least_interval_ns;
    if (add(snapshot, sample))
        image->sample_interval_ns *= 2;
    image->next_sample_ns =
        clock_ns(CLOCK_MONOTONIC) + image->sample_interval_ns;
}

static void take_sample(struct timeline_sampler *sampler,
                        struct image_table *table, uint32_t number, int fd)
{
    struct image *image = &table->images[number];
    struct ledger_snapshot snapshot;
    struct ledger_totals totals;

    image->is_over = image_has_ended(table, number);
    if (image->is_over ||
        ledger_snapshot_take(fd, session_extent_offset(number), &snapshot) < 0)
        return;
    if (!ledger_totals_read(&snapshot, clock_ns(CLOCK_REALTIME), &totals)) {
        image->next_sample_ns = clock_ns(CLOCK_MONOTONIC) + least_interval_ns;
        image->next_resident_ns = image->next_sample_ns;
    } else {
        if (image->next_sample_ns <= clock_ns(CLOCK_MONOTONIC))
            keep_sample(image, &snapshot, &totals.sample);
        take_resident(sampler, image, &snapshot, &totals.sample);
    }
    ledger_snapshot_free(&snapshot);
}

/* At least 1. */
static int milliseconds(uint64_t ns)
{
    return (int)(ns / MILLISECOND) + 1;
}

/* Met for the first time, or not open yet. */
static void begin(struct image *image, uint64_t now)
{
    image->next_sample_ns = now + least_interval_ns;
    image->seen_ns = now;
}

/* Programs that run for a short time are looked for soon. */
static uint64_t first_wait(struct timeline_sampler *sampler, uint64_t now)
{
    uint64_t age;

    if (sampler->begun_ns == 0)
        sampler->begun_ns = now;
    age = now - sampler->begun_ns;
    return age < shortest_wait_ns    ? shortest_wait_ns
           : age < least_interval_ns ? age
                                     : least_interval_ns;
}

/* Sample what is due by `now`; returns when the next one is. */
static uint64_t sample_due(struct timeline_sampler *sampler,
                           struct image_table *table, int fd, uint64_t now)
{
    uint64_t stop_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + round_ns;
    uint64_t next =
        now + (table->count == 0 ? first_wait(sampler, now) : longest_wait_ns);

    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t number = (sampler->next + i) % table->count;
        struct image *image = &table->images[number];

        if (image->is_over || image->is_written)
            continue;
        if (!image->is_open || image->seen_ns == 0)
            begin(image, now);
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

    sampler->resident_cpu_ns = 0;
    if (now < sampler->rest_until_ns)
        return milliseconds(sampler->rest_until_ns - now);
    if (image_table_refresh(table, session))
        next = sample_due(sampler, table, session->fd, now);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu - sampler->resident_cpu_ns;
    sampler->rest_until_ns = now + cpu * share;
    if (next < sampler->rest_until_ns)
        next = sampler->rest_until_ns;
    if (next < now + shortest_wait_ns)
        next = now + shortest_wait_ns;
    return milliseconds(next - now);
}
