/* SPDX-License-Identifier: Apache-2.0 */
/* sample_peak.c - the most that lived at once, as samples tell */
#include "ledger/record/sample_peak.h"

#include "ledger/record/sample_weight.h"
#include "ledger/shards/heap_total.h"

struct sample_halves sample_peak_split(uint64_t interval, uint64_t size,
                                       uint64_t hits, const uint64_t random[2])
{
    bool is_whole = interval <= 1;
    uint64_t all = hits < 64 ? (UINT64_C(1) << hits) - 1 : UINT64_MAX;
    struct sample_weight weight =
        sample_weigh(is_whole ? 1 : 2 * interval, size, random[0]);

    return (struct sample_halves){
        .bytes = (int64_t)weight.bytes,
        .is_in = { is_whole || (random[1] & all) != 0,
                   is_whole || (~random[1] & all) != 0 },
    };
}

static int64_t load(const int64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}

/* What the other half showed when this one was highest, which may be now. */
static int64_t meanwhile(const struct ledger_header *header, unsigned half)
{
    const struct ledger_sample_half *halves = header->sample_halves;

    return load(&halves[half].live) == load(&halves[half].most)
               ? load(&halves[!half].live)
               : load(&halves[half].meanwhile);
}

static void move(struct ledger_header *header,
                 const struct sample_halves *halves, int64_t bytes,
                 int64_t half_bytes)
{
    struct ledger_sample_half *kept = header->sample_halves;

    for (unsigned i = 0; i < 2; i++)
        __atomic_store_n(&kept[i].meanwhile, meanwhile(header, i),
                         __ATOMIC_RELAXED);
    for (unsigned i = 0; i < 2; i++) {
        if (halves->is_in[i])
            heap_total_raise(&kept[i].most,
                             __atomic_add_fetch(&kept[i].live, half_bytes,
                                                __ATOMIC_RELAXED));
    }
    heap_total_raise(
        &header->sample_most,
        __atomic_add_fetch(&header->live_bytes, bytes, __ATOMIC_RELAXED));
    __atomic_store_n(&header->peak_bytes,
                     (meanwhile(header, 0) + meanwhile(header, 1)) / 2,
                     __ATOMIC_RELAXED);
}

void sample_peak_add(struct ledger_header *header,
                     const struct sample_halves *halves, uint64_t bytes)
{
    move(header, halves, (int64_t)bytes, halves->bytes);
}

void sample_peak_subtract(struct ledger_header *header,
                          const struct sample_halves *halves, uint64_t bytes)
{
    move(header, halves, -(int64_t)bytes, -halves->bytes);
}
