/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_timeline.c - a ledger's totals over time and its resident memory,
 * checked
 *
 * Any four numbers are a sample, so nothing but the segment's place and size
 * can be damaged. Any numbers are amounts of resident memory, but not any
 * amount: no part is above AMOUNT_LIMIT, so that no sum of parts wraps. What is
 * being replaced while it is read has no time before or after, and is left out.
 */
#include "format/ledger/ledger_timeline.h"

#define AMOUNT_LIMIT (UINT64_C(1) << 57)

/* A field, of the same name in both. */
#define READ(to, at, type, field) \
    (to)->field = LEDGER_GET(reader, at, type, field)

static int read_sample(struct ledger_reader *reader,
                       struct ledger_record record, void *view)
{
    struct ledger_sample *sample = view;

    READ(sample, record.at, ledger_sample, ns);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    READ(sample, record.at, ledger_sample, live_bytes);
    READ(sample, record.at, ledger_sample, live_blocks);
    READ(sample, record.at, ledger_sample, alloc_bytes);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return sample->ns != 0 &&
           sample->ns == LEDGER_GET(reader, record.at, ledger_sample, ns);
}

int ledger_reader_next_sample(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_sample *sample)
{
    return ledger_record_next(reader, cursor, LEDGER_SEGMENT_TIMELINE,
                              read_sample, sample);
}

uint64_t ledger_resident_sum(const struct ledger_resident *resident)
{
    return resident->heap + resident->maps + resident->files +
           resident->stacks + resident->tally + resident->unexplained;
}

static bool is_possible(const struct ledger_resident *resident)
{
    return (resident->heap | resident->maps | resident->files |
            resident->stacks | resident->tally | resident->unexplained |
            resident->live_bytes | resident->highest) < AMOUNT_LIMIT;
}

bool ledger_reader_resident(const struct ledger_reader *reader,
                            enum ledger_resident_time time,
                            struct ledger_resident *resident)
{
    uint64_t at = offsetof(struct ledger_header, resident) +
                  (size_t)time * sizeof *resident;

    *resident = (struct ledger_resident){ 0 };
    READ(resident, at, ledger_resident, ns);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    READ(resident, at, ledger_resident, heap);
    READ(resident, at, ledger_resident, maps);
    READ(resident, at, ledger_resident, files);
    READ(resident, at, ledger_resident, stacks);
    READ(resident, at, ledger_resident, tally);
    READ(resident, at, ledger_resident, unexplained);
    READ(resident, at, ledger_resident, live_bytes);
    READ(resident, at, ledger_resident, highest);
    READ(resident, at, ledger_resident, flags);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return resident->ns != 0 &&
           resident->ns == LEDGER_GET(reader, at, ledger_resident, ns) &&
           is_possible(resident);
}
