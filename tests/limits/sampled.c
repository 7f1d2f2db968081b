/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampled.c - limits with the numbers of memprof-limits
 *
 * At rate 1e-4 a limit of k samples ends with the k-th one. Bounds that one
 * scope misses with a chance of 2e-10, and a mean within 6.5 deviations: less
 * than 1e-9 together.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

enum { WORD = sizeof(void *), PERIOD = 10000 };

static double words_to_the_end(unsigned samples)
{
    struct limit_scope scope;
    double words = 0;
    void *volatile block;
    uint64_t bytes;

    limits_begin_allocation(&scope, (uint64_t)samples * PERIOD * WORD,
                            LIMIT_ENOMEM);
    while ((block = malloc(31 * WORD)) != NULL) {
        words += 32;
        free(block);
    }
    expect("sampled", "hit", limits_end(&scope, &bytes) == 1);
    expect("sampled", "charged for each sample",
           bytes >= (uint64_t)samples * PERIOD * WORD &&
               bytes % (PERIOD * WORD) == 0);
    return words + 16;
}

static void scopes_end_where_they_should(unsigned samples, unsigned scopes,
                                         double low, double high)
{
    double limit = (double)samples * PERIOD, sum = 0;

    for (unsigned i = 0; i < scopes; i++) {
        double words = words_to_the_end(samples);

        expect("sampled", "not before", words > low * limit - 32);
        expect("sampled", "nor after", words < high * limit + 32);
        sum += words;
    }
    expect("sampled", "in the mean",
           fabs(sum / (scopes * limit) - 1) < 6.5 / sqrt(samples * scopes));
}

static void at_rate_1_what_is_charged_is_exact(void)
{
    struct limit_scope scope;
    uint64_t bytes, words = 0;

    limits_use_sampling(1);
    limits_begin_allocation(&scope, 1 << 30, LIMIT_FLAG);
    for (size_t size = 0; size < 1000; size++) {
        void *volatile block = malloc(size);

        free(block);
        words += (size + WORD - 1) / WORD + 1;
    }
    expect("rate 1", "not hit", limits_end(&scope, &bytes) == 0);
    expect("rate 1", "every word", bytes == words * WORD);
}

int main(void)
{
    at_rate_1_what_is_charged_is_exact();
    limits_use_sampling(1e-4);
    scopes_end_where_they_should(6, 1000, 0.0034, 7.37);
    scopes_end_where_they_should(20, 1000, 0.1025, 3.61);
    scopes_end_where_they_should(100, 300, 0.431, 1.921);
    return expect_status();
}
