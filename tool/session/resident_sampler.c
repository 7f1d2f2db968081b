/* SPDX-License-Identifier: Apache-2.0 */
/* resident_sampler.c - see resident_sampler.h */
#include "tool/session/resident_sampler.h"

#include <sys/mman.h>
#include <time.h>

#include "tool/session/resident_memory.h"

static const uint64_t interval_ns = 500 * UINT64_C(1000000);
static const uint64_t share = 100; /* at most one part of this many of a CPU */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

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
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    image->next_resident_ns =
        now + (cpu * share > interval_ns ? cpu * share : interval_ns);
    return cpu;
}
