/* SPDX-License-Identifier: Apache-2.0 */
/* sample_accounts.c - blocks and bytes that samples stand for */
#include "ledger/blocks/sample_accounts.h"

#include "core/base/plain_load.h"
#include "format/ledger/ledger_layout.h"
#include "sampling/countdown/sampler.h"

#define LN2       0.6931471805599453
#define HALF_BITS 0x1p-32

/* Return 1 - exp(-x), also for small x; from 40 on it is 1 in a double. */
static double one_less_exp(double x)
{
    double term = 1, sum = 0;

    if (x >= 40)
        return 1;
    if (x > LN2) {
        double half = one_less_exp(x / 2);

        return half * (2 - half);
    }
    /* x - x^2/2 + x^3/6 ...: 18 terms are enough below log(2). */
    for (int i = 1; i <= 18; i++) {
        term *= x / i;
        sum += i % 2 == 1 ? term : -term;
    }
    return sum;
}

/* Round up with the probability of the fraction, of which 32 bits matter. */
static uint64_t round_at_random(double value, uint32_t random)
{
    uint64_t whole = (uint64_t)value;

    return whole + ((double)random * HALF_BITS < value - (double)whole);
}

struct sample_weight sample_weigh(uint64_t interval, uint64_t size,
                                  uint64_t random)
{
    struct sample_weight weight = { 1, size, 0, 0, size };
    double bytes = (double)size, q, spread, part;

    if (interval <= 1)
        return weight;
    q = one_less_exp(-bytes * natural_log_1p(-1 / (double)interval));
    spread = (1 - q) / (q * q);
    weight.blocks = round_at_random(1 / q, (uint32_t)random);
    weight.bytes = round_at_random(bytes / q, (uint32_t)(random >> 32));
    part = 1 / q - (double)(uint64_t)(1 / q);
    weight.blocks_variance = spread + part * (1 - part);
    weight.bytes_variance = bytes * bytes * spread;
    return weight;
}

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

/* Return the other half's value when this one was highest, which may be now. */
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
            WORD_RAISE(&kept[i].most,
                       __atomic_add_fetch(&kept[i].live, half_bytes,
                                          __ATOMIC_RELAXED));
    }
    WORD_RAISE(
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
