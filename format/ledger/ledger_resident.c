/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_resident.c - resident memory as a ledger has it, checked
 *
 * Any numbers are amounts, but not any amount: no part is above AMOUNT_LIMIT, so
 * that no sum of parts wraps. What is being replaced while it is read has no
 * time before or after, and is left out.
 */
#include "format/ledger/ledger_resident.h"

#include "format/bytes.h"

#define AMOUNT_LIMIT (UINT64_C(1) << 57)

#define RESIDENT(field) offsetof(struct ledger_resident, field)

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
    const unsigned char *bytes = reader->bytes +
                                 offsetof(struct ledger_header, resident) +
                                 (size_t)time * sizeof *resident;

    *resident =
        (struct ledger_resident){ .ns = read_u64le(bytes + RESIDENT(ns)) };
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    resident->heap = read_u64le(bytes + RESIDENT(heap));
    resident->maps = read_u64le(bytes + RESIDENT(maps));
    resident->files = read_u64le(bytes + RESIDENT(files));
    resident->stacks = read_u64le(bytes + RESIDENT(stacks));
    resident->tally = read_u64le(bytes + RESIDENT(tally));
    resident->unexplained = read_u64le(bytes + RESIDENT(unexplained));
    resident->live_bytes = read_u64le(bytes + RESIDENT(live_bytes));
    resident->highest = read_u64le(bytes + RESIDENT(highest));
    resident->flags = read_u64le(bytes + RESIDENT(flags));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return resident->ns != 0 && resident->ns == read_u64le(bytes) &&
           is_possible(resident);
}

_Static_assert(RESIDENT(ns) == 0, "read twice at its beginning");
