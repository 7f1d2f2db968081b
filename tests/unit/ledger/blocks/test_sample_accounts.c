/* SPDX-License-Identifier: Apache-2.0 */
/* test_sample_accounts.c - the weight of a sampled block, compared with libm */
#include "ledger/blocks/sample_accounts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Never round up, or always. */
#define NEVER_UP  UINT64_MAX
#define ALWAYS_UP UINT64_C(0)

static void
every_block_stands_for_itself_where_each_byte_is_a_sample(void **state)
{
    struct sample_weight weight = sample_weigh(1, 77, 5);

    (void)state;
    assert_int_equal(weight.blocks, 1);
    assert_int_equal(weight.bytes, 77);
    assert_true(weight.blocks_variance <= 0);
    assert_true(weight.bytes_variance <= 0);
}

static void weights_are_one_in_the_probability(void **state)
{
    static const uint64_t intervals[] = { 2, 1000, 524288, 1 << 30 };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        for (uint64_t size = 1; size < UINT64_C(1) << 40; size *= 3) {
            double bytes = (double)size;
            double q = -expm1(bytes * log1p(-1 / (double)intervals[i]));
            struct sample_weight down =
                sample_weigh(intervals[i], size, NEVER_UP);
            double error = 1 + 1e-12 * bytes / q;

            assert_true(fabs((double)down.blocks - 1 / q) < 1 + 1e-12 / q);
            assert_true(fabs((double)down.bytes - bytes / q) < error);
            assert_true(
                fabs(down.bytes_variance - bytes * bytes * (1 - q) / (q * q)) <=
                1e-9 * bytes * bytes / (q * q));
        }
    }
}

static void rounding_goes_either_way(void **state)
{
    struct sample_weight down = sample_weigh(1000, 700, NEVER_UP);
    struct sample_weight up = sample_weigh(1000, 700, ALWAYS_UP);

    (void)state;
    assert_int_equal(down.blocks, 1); /* 1.986 */
    assert_int_equal(up.blocks, 2);
    assert_int_equal(up.bytes, down.bytes + 1);
}

/* Rounding preserves the mean, to 4 parts in 10,000. */
static void rounding_keeps_the_mean(void **state)
{
    double sum = 0, q = -expm1(300 * log1p(-1.0 / 1000));
    uint64_t random = 12345;
    enum { TIMES = 1000000 };

    (void)state;
    for (unsigned i = 0; i < TIMES; i++) {
        random = random * UINT64_C(6364136223846793005) +
                 UINT64_C(1442695040888963407);
        sum += (double)sample_weigh(1000, 300, random ^ random >> 32).blocks;
    }
    assert_true(fabs(sum / TIMES - 1 / q) < 4e-4 * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            every_block_stands_for_itself_where_each_byte_is_a_sample),
        cmocka_unit_test(weights_are_one_in_the_probability),
        cmocka_unit_test(rounding_goes_either_way),
        cmocka_unit_test(rounding_keeps_the_mean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
