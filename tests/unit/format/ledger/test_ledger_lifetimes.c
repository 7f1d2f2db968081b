/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_lifetimes.c - sums over samples, valid and hostile */
#include "format/ledger/ledger_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger_case.h"

static void an_exact_ledger_has_none(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_lifetimes lifetimes;
    struct ledger_reader reader;

    ledger->header->sample_interval = 77; /* ignored without the flag */
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_sample_interval(&reader), 0);
    assert_int_equal(ledger_reader_lifetimes(&reader, 1, &lifetimes), 0);
}

static void a_sampled_one_says_how_far_samples_are_apart(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;

    fake_ledger_lifetimes(ledger, 1);
    ledger->header->sample_interval = 524288;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_sample_interval(&reader), 524288);
    ledger->header->sample_interval = 0;
    assert_int_equal(ledger_reader_sample_interval(&reader), 1);
}

static struct ledger_sampling sampling_of(struct fake_ledger *ledger)
{
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_sampling sampling = { 0 };

    ledger_reader_sampling(&reader, &sampling);
    return sampling;
}

static void a_budget_tells_its_intervals_and_its_cost(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_header *header = ledger->header;
    struct ledger_sampling sampling;

    fake_ledger_lifetimes(ledger, 1);
    header->sample_volumes[30] = 5; /* ignored without a budget */
    header->sample_cost_ns = header->sample_capacity_ns = 7;
    sampling = sampling_of(ledger);
    assert_int_equal(sampling.interval, 1000);
    assert_int_equal(sampling.least, 1000);
    assert_int_equal(sampling.budget | sampling.cost_ns, 0);

    header->sample_budget = 10000;
    header->sample_cost_ns = 3;
    sampling = sampling_of(ledger);
    assert_int_equal(sampling.budget, 10000);
    assert_int_equal(sampling.least, UINT64_C(1) << 30);
    assert_int_equal(sampling.interval, UINT64_C(1) << 30);
    assert_int_equal(sampling.cost_ns, 3);
    assert_int_equal(sampling.capacity_ns, 7);

    /* At most 1 / 1,024 is ignored: 1,023 of 1,048,576 in all. */
    header->sample_volumes[14] = 1;
    header->sample_volumes[20] = (1 << 20) - 1024;
    header->sample_volumes[25] = 923;
    header->sample_volumes[30] = 100;
    sampling = sampling_of(ledger);
    assert_int_equal(sampling.least, 1 << 14);
    assert_int_equal(sampling.interval, 1 << 20);
    header->sample_volumes[30] = 102;
    assert_int_equal(sampling_of(ledger).interval, 1 << 25);
}

static void hostile_numbers_of_a_budget_tell_nothing(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_header *header = ledger->header;
    struct ledger_sampling sampling;

    fake_ledger_lifetimes(ledger, 1);
    header->sample_budget = UINT32_MAX;
    sampling = sampling_of(ledger); /* nothing was allocated */
    assert_int_equal(sampling.interval, 1000);
    assert_int_equal(sampling.least, 1000);
    for (unsigned i = 0; i < LEDGER_INTERVALS; i++)
        header->sample_volumes[i] = UINT64_MAX - i;
    sampling = sampling_of(ledger);
    assert_int_equal(sampling.least, 1);
    assert_int_equal(sampling.interval, UINT64_C(1) << 39);
}

static void of_several_images_the_furthest_speaks(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_sampling sum = { 64, 32, 100, 5, 50 };
    struct ledger_reader reader = open_ledger(ledger);

    ledger_reader_sampling(&reader, &sum); /* exact */
    assert_int_equal(sum.interval, 64);
    fake_ledger_lifetimes(ledger, 1);
    ledger->header->sample_budget = 50;
    ledger->header->sample_cost_ns = 6;
    ledger->header->sample_capacity_ns = 60;
    ledger->header->sample_volumes[3] = 1;
    reader = open_ledger(ledger);
    ledger_reader_sampling(&reader, &sum);
    assert_int_equal(sum.interval, 64);
    assert_int_equal(sum.least, 8);
    assert_int_equal(sum.budget, 100);
    assert_int_equal(sum.cost_ns, 11);
    assert_int_equal(sum.capacity_ns, 110);
}

static void every_sum_is_given_by_the_sites_id(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_lifetimes lifetimes;
    struct ledger_reader reader;
    const uint32_t far = LEDGER_SITES_PER_SEGMENT + 5;

    for (uint64_t i = 0; i < LEDGER_LIFE_COUNT; i++)
        fake_ledger_lifetimes(ledger, far)->sums[i] =
            (struct ledger_estimate){ i + 1,   i + 100, i + 200,
                                      i + 300, i + 400, i + 500 };
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_lifetimes(&reader, 5, &lifetimes), 0);
    assert_int_equal(ledger_reader_lifetimes(&reader, far - 1, &lifetimes), 0);
    assert_int_equal(ledger_reader_lifetimes(&reader, far, &lifetimes), 1);
    for (uint64_t i = 0; i < LEDGER_LIFE_COUNT; i++) {
        assert_int_equal(lifetimes.sums[i].samples, i + 1);
        assert_int_equal(lifetimes.sums[i].blocks, i + 100);
        assert_int_equal(lifetimes.sums[i].bytes, i + 200);
        assert_int_equal(lifetimes.sums[i].blocks_variance, i + 400);
        assert_int_equal(lifetimes.sums[i].bytes_variance, i + 500);
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void a_variance_that_cannot_be_is_refused(void **state)
{
    const double wrong[] = { -1, -0.0, 1e308 * 10, -1e308 * 10, 0.0 / 0.0 };
    struct fake_ledger *ledger = *state;
    struct ledger_estimate *sum = &fake_ledger_lifetimes(ledger, 1)->sums[15];
    struct ledger_lifetimes lifetimes;
    struct ledger_reader reader;

    fake_ledger_lifetimes(ledger, 1)->sums[0].samples = 1;
    sum->bytes_variance = bits_of(1e308);
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_lifetimes(&reader, 1, &lifetimes), 1);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sum->bytes_variance = bits_of(wrong[i]);
        sum->blocks_variance = 0;
        assert_int_equal(ledger_reader_lifetimes(&reader, 1, &lifetimes),
                         LEDGER_E_LIFETIMES);
        assert_int_equal(reader.error_offset,
                         (unsigned char *)sum - ledger->bytes);
        sum->blocks_variance = sum->bytes_variance;
        sum->bytes_variance = 0;
        assert_int_equal(ledger_reader_lifetimes(&reader, 1, &lifetimes),
                         LEDGER_E_LIFETIMES);
    }
}

static void a_segment_that_is_too_small_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_directory_entry *entry;

    fake_ledger_lifetimes(ledger, 1);
    entry = &ledger->directory[fake_ledger_entry(ledger,
                                                 LEDGER_SEGMENT_LIFETIMES, 0)];
    entry->size -= 1;
    assert_int_equal(ledger_reader_open(&reader, ledger->bytes, ledger->size),
                     LEDGER_E_DIRECTORY);
}

static void classes_of_lifetimes_follow_one_another(void **state)
{
    (void)state;
    assert_int_equal(ledger_life_class(0), 0);
    assert_int_equal(ledger_life_class(1), 1);
    assert_int_equal(ledger_life_class(UINT64_MAX), LEDGER_LIFE_CLASSES - 1);
    for (unsigned i = 0; i < LEDGER_LIFE_CLASSES - 1; i++) {
        assert_int_equal(ledger_life_class(ledger_life_limit(i) - 1), i);
        assert_int_equal(ledger_life_class(ledger_life_limit(i)), i + 1);
    }
    assert_int_equal(ledger_life_limit(11), 1 << 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_exact_ledger_has_none),
        TEST(a_sampled_one_says_how_far_samples_are_apart),
        TEST(a_budget_tells_its_intervals_and_its_cost),
        TEST(hostile_numbers_of_a_budget_tell_nothing),
        TEST(of_several_images_the_furthest_speaks),
        TEST(every_sum_is_given_by_the_sites_id),
        TEST(a_variance_that_cannot_be_is_refused),
        TEST(a_segment_that_is_too_small_is_refused),
        cmocka_unit_test(classes_of_lifetimes_follow_one_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
