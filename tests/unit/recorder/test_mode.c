/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mode.c - the mode of each combination of facts
 *
 * The table below is independent of the function: the first row that matches
 * the facts decides.
 */
#include "recorder/calls/mode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum {
    OPEN = 1 << 0,
    IDLE = 1 << 1,
    SAMPLED = 1 << 2,
    FAR = 1 << 3,
    OFF = 1 << 4,
    HOLDS = 1 << 5,
    OBSERVED = 1 << 6,
    LIVE = 1 << 7,
    BUDGETS = 1 << 8,
    WORDS = 1 << 9,
    BYTES = 1 << 10,
    ALONE = 1 << 11,
    PATCHED = 1 << 12,
    SAMPLES = 1 << 13,
    COMBINATIONS = 1 << 14,
};

static struct mode_facts facts_of(unsigned bits)
{
    return (struct mode_facts){
        .is_open = (bits & OPEN) != 0,
        .is_idle = (bits & IDLE) != 0,
        .is_sampled = (bits & SAMPLED) != 0,
        .is_far = (bits & FAR) != 0,
        .is_off = (bits & OFF) != 0,
        .holds_blocks = (bits & HOLDS) != 0,
        .is_observed = (bits & OBSERVED) != 0,
        .counts_live = (bits & LIVE) != 0,
        .has_budgets = (bits & BUDGETS) != 0,
        .counts_words = (bits & WORDS) != 0,
        .counts_bytes = (bits & BYTES) != 0,
        .counts_samples = (bits & SAMPLES) != 0,
        .is_patched = (bits & PATCHED) != 0,
        .is_single_threaded = (bits & ALONE) != 0,
    };
}

/* The facts in `mask` must equal `value`; the others do not matter. */
static const struct {
    unsigned mask, value;
    enum mode mode;
} rows[] = {
    { OPEN | IDLE, 0, MODE_STARTING },
    { BUDGETS, BUDGETS, MODE_STARTING },
    { OBSERVED, OBSERVED, MODE_OBSERVED },
    /* All blocks are recorded. */
    { IDLE | SAMPLED | LIVE | WORDS | BYTES | OFF | FAR, 0, MODE_RECORDING },
    { IDLE | SAMPLED | LIVE | WORDS | BYTES | OFF | FAR | PATCHED, FAR,
      MODE_FAR },
    { IDLE | SAMPLED | LIVE | WORDS | BYTES | OFF | FAR | PATCHED,
      FAR | PATCHED, MODE_PATCHED },
    { IDLE | SAMPLED | LIVE | WORDS | BYTES | OFF | HOLDS, OFF | HOLDS,
      MODE_OFF },
    { IDLE | SAMPLED | LIVE | WORDS | BYTES | OFF, OFF, MODE_EMPTY },
    { IDLE | SAMPLED, 0, MODE_OBSERVED },
    /* No block is recorded. */
    { LIVE, LIVE, MODE_LIVE },
    { WORDS | BYTES, WORDS | BYTES, MODE_BOTH },
    { WORDS | ALONE, WORDS, MODE_WORDS },
    { WORDS | ALONE, WORDS | ALONE, MODE_WORDS_ONE_THREAD },
    { BYTES | ALONE | SAMPLES, BYTES | SAMPLES, MODE_SAMPLED },
    { BYTES | ALONE | SAMPLES, BYTES | ALONE | SAMPLES,
      MODE_SAMPLED_ONE_THREAD },
    { BYTES | ALONE, BYTES, MODE_BYTES },
    { BYTES | ALONE, BYTES | ALONE, MODE_BYTES_ONE_THREAD },
    { IDLE, IDLE, MODE_IDLE },
    { 0, 0, MODE_OBSERVED },
};

static enum mode expected(unsigned bits)
{
    size_t row = 0;

    while ((bits & rows[row].mask) != rows[row].value)
        row++;
    return rows[row].mode;
}

static void test_all_facts(void **state)
{
    unsigned times[MODES] = { 0 };

    (void)state;
    for (unsigned bits = 0; bits < COMBINATIONS; bits++) {
        struct mode_facts facts = facts_of(bits);
        enum mode mode = mode_of(&facts);

        if (mode != expected(bits))
            fail_msg("facts %#x: mode %d, not %d", bits, mode, expected(bits));
        times[mode]++;
    }
    for (int mode = 0; mode < MODES; mode++)
        assert_int_not_equal(times[mode], 0);
}

/* A forked child begins in the mode of no facts. */
static void test_zero_is_starting(void **state)
{
    struct mode_facts none = { 0 };

    (void)state;
    assert_int_equal(MODE_STARTING, 0);
    assert_int_equal(mode_of(&none), MODE_STARTING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_facts),
        cmocka_unit_test(test_zero_is_starting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
