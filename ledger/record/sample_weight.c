/* SPDX-License-Identifier: Apache-2.0 */
/* sample_weight.c - what a sampled block stands for; see sample_weight.h */
#include "ledger/record/sample_weight.h"

#include "sampling/countdown/natural_log.h"

#define LN2       0.6931471805599453
#define HALF_BITS 0x1p-32

/* 1 - exp(-x), also where x is small; from 40 on 1 in a double. */
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

/* Up with the probability of what is cut off, of which 32 bits matter. */
static uint64_t round_at_random(double value, uint32_t random)
{
    uint64_t whole = (uint64_t)value;

    return whole + ((double)random * HALF_BITS < value - (double)whole);
}

struct sample_weight sample_weigh(uint64_t interval, uint64_t size,
                                  uint64_t random)
{
    struct sample_weight weight = { 1, size, 0, 0 };
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
