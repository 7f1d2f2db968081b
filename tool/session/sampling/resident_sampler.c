/* SPDX-License-Identifier: Apache-2.0 */
/* resident_sampler.c - see resident_sampler.h */
#include "tool/session/sampling/resident_sampler.h"

#include <sys/mman.h>

#include "format/ledger/ledger_layout.h"
#include "tool/session/clock.h"
#include "tool/session/sampling/resident_memory.h"

#define MILLISECOND UINT64_C(1000000)

static const uint64_t shortest_ns = 10 * MILLISECOND;
static const uint64_t longest_ns = 500 * MILLISECOND;

/* The header is there: the recorder wrote it. */
static void store(int fd, uint64_t extent,
                  const struct ledger_resident *resident)
{
    struct ledger_header *header =
        mmap(NULL, LEDGER_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
             (off_t)extent);

    if (header == MAP_FAILED)
        return;
    resident_memory_store(header, resident);
    munmap(header, LEDGER_HEADER_SIZE);
}

static uint64_t interval(const struct image *image, uint64_t now)
{
    uint64_t age = now - image->seen_ns;

    return age < shortest_ns  ? shortest_ns
           : age < longest_ns ? age
                              : longest_ns;
}

uint64_t resident_sampler_take(struct image *image, uint32_t number, int fd,
                               const struct ledger_snapshot *snapshot,
                               const struct ledger_sample *sample)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const struct resident_owner owner = {
        .pid = image->pid,
        .session_fd = fd,
        .extent = session_extent_offset(number),
        .snapshot = snapshot,
    };
    struct ledger_resident resident = { .ns = sample->ns,
                                        .live_bytes = sample->live_bytes };

    if (now < image->next_resident_ns)
        return 0;
    if (resident_memory_read(&owner, &resident) == 0)
        store(fd, owner.extent, &resident);
    image->next_resident_ns = now + interval(image, now);
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}
