/* SPDX-License-Identifier: Apache-2.0 */
/* shard_add.c - shards of CPUs if libc has rseq */
#define _GNU_SOURCE
#include "ledger/shards/shard_add.h"

#include "format/cursor.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/raw_calls.h"

struct shard_cpus shard_cpus;

/* Return the highest number in a list like "0-3,8-11", plus one; or 0. */
static uint32_t parse_cpu_list(struct cursor list)
{
    uint64_t highest = 0, number;

    while (list.next < list.end) {
        if (!cursor_number(&list, 10, &number))
            list.next++;
        else if (number >= highest)
            highest = number + 1;
    }
    return highest < SHARD_CPU_LIMIT ? (uint32_t)highest : SHARD_CPU_LIMIT;
}

uint32_t shard_cpus_open(void)
{
    const ptrdiff_t *offset = loaded_symbols_find("__rseq_offset");
    const unsigned *size = loaded_symbols_find("__rseq_size");
    uint32_t cpus = 0;
    char list[128];
    long length;

    if (!SHARD_HAS_CPUS || offset == NULL || size == NULL || *size == 0)
        return 0;
    __atomic_store_n(&shard_cpus.rseq_offset, *offset, __ATOMIC_RELAXED);
    length =
        raw_read_file("/sys/devices/system/cpu/possible", list, sizeof list);
    if (length > 0)
        cpus = parse_cpu_list((struct cursor){ list, list + length });
    __atomic_store_n(&shard_cpus.count, cpus, __ATOMIC_RELAXED);
    return shard_cpus.count;
}

void shard_add_shared(struct ledger_counter *in_shard_0, enum shard_side side,
                      uint64_t size)
{
    uint64_t *blocks = (uint64_t *)(void *)((char *)in_shard_0 + side);

    __atomic_fetch_add(&blocks[0], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&blocks[1], size, __ATOMIC_RELAXED);
}
