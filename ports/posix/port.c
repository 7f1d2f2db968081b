/* SPDX-License-Identifier: Apache-2.0 */
/* port.c - tally/port.h on POSIX systems: counters and the clock */
#define _GNU_SOURCE
#include "tally/port.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { SHARD_LIMIT = 64, NS_PER_SECOND = 1000000000 };

uint32_t tally_port_shard_count(void)
{
    static uint32_t count;
    uint32_t known = __atomic_load_n(&count, __ATOMIC_RELAXED);

    if (known == 0) {
        long processors = sysconf(_SC_NPROCESSORS_CONF);

        if (processors < 1)
            processors = 1;
        known = processors < SHARD_LIMIT ? (uint32_t)processors : SHARD_LIMIT;
        __atomic_store_n(&count, known, __ATOMIC_RELAXED);
    }
    return known;
}

uint32_t tally_port_shard(void)
{
    int processor = sched_getcpu();

    return processor < 0 ? 0 : (uint32_t)processor % tally_port_shard_count();
}

uint64_t tally_port_time_ns(void)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}
