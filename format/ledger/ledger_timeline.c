/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_timeline.c - a ledger's totals over time, checked
 *
 * Any four numbers are a sample, so nothing but the segment's place and size
 * can be damaged. One that is being replaced while it is read has no time
 * before or after, and is left out.
 */
#include "format/ledger/ledger_timeline.h"

#include <stdbool.h>

#include "format/bytes.h"
#include "format/ledger/ledger_directory.h"

#define SAMPLE(field) offsetof(struct ledger_sample, field)

/* False when the entry is not in use. */
static bool read_sample(const unsigned char *bytes,
                        struct ledger_sample *sample)
{
    sample->ns = read_u64le(bytes + SAMPLE(ns));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    sample->live_bytes = read_u64le(bytes + SAMPLE(live_bytes));
    sample->live_blocks = read_u64le(bytes + SAMPLE(live_blocks));
    sample->alloc_bytes = read_u64le(bytes + SAMPLE(alloc_bytes));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return sample->ns != 0 && sample->ns == read_u64le(bytes + SAMPLE(ns));
}

int ledger_reader_next_sample(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_sample *sample)
{
    for (; cursor->entry < ledger_directory_used(reader); cursor->entry++) {
        struct ledger_segment segment;
        int found = ledger_directory_read(reader, cursor->entry, &segment);

        if (found < 0)
            return found;
        while (found > 0 && segment.kind == LEDGER_SEGMENT_TIMELINE &&
               cursor->slot < LEDGER_SAMPLE_CAPACITY) {
            if (read_sample(reader->bytes + segment.offset +
                                cursor->slot++ * sizeof *sample,
                            sample))
                return 1;
        }
        cursor->slot = 0;
    }
    return 0;
}
