/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_lifetimes.c - what samples tell of a site, checked
 */
#include "format/ledger/ledger_lifetimes.h"

uint64_t ledger_reader_sample_interval(const struct ledger_reader *reader)
{
    uint64_t interval = LEDGER_HEADER(reader, sample_interval);

    if ((reader->process.flags & LEDGER_FLAG_SAMPLED) == 0)
        return 0;
    return interval == 0 ? 1 : interval;
}

#define INFINITY_BITS UINT64_C(0x7ff0000000000000)

/* False: one of its variances is no number that a sum of squares may be. */
static bool read_estimate(const struct ledger_reader *reader, uint64_t at,
                          struct ledger_estimate *sum)
{
#define READ(field) sum->field = LEDGER_GET(reader, at, ledger_estimate, field)
    READ(samples);
    READ(blocks);
    READ(bytes);
    READ(blocks_variance);
    READ(bytes_variance);
#undef READ
    return sum->blocks_variance < INFINITY_BITS &&
           sum->bytes_variance < INFINITY_BITS;
}

int ledger_reader_lifetimes(struct ledger_reader *reader, uint32_t site,
                            struct ledger_lifetimes *lifetimes)
{
    uint64_t at;
    int found = ledger_record_find(reader, LEDGER_SEGMENT_LIFETIMES, site, &at);

    *lifetimes = (struct ledger_lifetimes){ 0 };
    if (found <= 0)
        return found;
    for (unsigned i = 0; i < LEDGER_LIFE_COUNT; i++) {
        uint64_t sum = at + i * sizeof(struct ledger_estimate);

        if (!read_estimate(reader, sum, &lifetimes->sums[i]))
            return ledger_reader_fail(reader, LEDGER_E_LIFETIMES, sum);
    }
    return lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples != 0;
}
