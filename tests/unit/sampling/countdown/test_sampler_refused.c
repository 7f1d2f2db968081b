/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sampler_refused.c - requests that fail do not change others' chances
 *
 * A thread's requests as recorder/samples/samples.c draws them: the fast path
 * does not check results, and bytes of a failed request are trials there, too.
 * TALLY_DRAWS is the number of requests, `make soak` has 10^9. The bounds are
 * 6.5 deviations.
 */
#include "sampling/countdown/sampler.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define RATE  (1.0 / 2000)
#define BOUND 6.5

enum { MOST = 4096, CAP = 3000 };

struct thread {
    struct sampler sampler;
    uint64_t random;
    uint64_t countdown, armed, passed; /* passed: since it was armed */
};

/* bytes of blocks, and successes in them */
struct tally {
    double bytes, hits;
};

static void arm(struct thread *thread)
{
    thread->armed = thread->sampler.next < CAP ? thread->sampler.next : CAP;
    thread->countdown = thread->armed;
}

/* Make the trials that the countdown counted; none of them succeeds. */
static void settle(struct thread *thread)
{
    assert_int_equal(
        sampler_take(&thread->sampler, thread->armed - thread->countdown), 0);
}

/* Return the successes in a request. `skips`: one that fails in the slow path
   makes its trials, like one that fails in the fast path. */
static uint64_t request(struct thread *thread, uint64_t size, bool fails,
                        bool skips)
{
    uint64_t hits = 0;

    if (thread->countdown > size) {
        thread->countdown -= size;
        return 0;
    }
    settle(thread);
    if (!fails)
        hits = sampler_take(&thread->sampler, size);
    else if (skips)
        sampler_skip(&thread->sampler, size);
    arm(thread);
    return hits;
}

/* Return by how many deviations the successes after a failure are off. */
static double deviations_after_failures(uint64_t requests, bool skips)
{
    struct thread thread = { .random = 44 };
    struct tally all = { 0, 0 }, after = { 0, 0 };
    bool failed = false;

    sampler_seed(&thread.sampler, 44, skips);
    sampler_start(&thread.sampler, RATE);
    arm(&thread);
    for (uint64_t i = 0; i < requests; i++) {
        uint64_t random = sampler_mix(&thread.random);
        uint64_t size = 1 + random % MOST;
        bool fails = (random >> 32 & 3) == 0;
        double hits = (double)request(&thread, size, fails, skips);

        if (!fails) {
            all.bytes += (double)size;
            all.hits += hits;
            after.bytes += failed ? (double)size : 0;
            after.hits += failed ? hits : 0;
        }
        failed = fails;
    }
    if (skips)
        assert_true(fabs(all.hits - all.bytes * RATE) <
                    BOUND * sqrt(all.bytes * RATE * (1 - RATE)));
    return fabs(after.hits - after.bytes * RATE) /
           sqrt(after.bytes * RATE * (1 - RATE));
}

static uint64_t requests(void)
{
    const char *draws = getenv("TALLY_DRAWS");

    return draws != NULL ? (uint64_t)atof(draws) : 2000000;
}

static void test_blocks_after_failures(void **state)
{
    (void)state;
    assert_true(deviations_after_failures(requests(), true) < BOUND);
}

/* The other rule, to keep the distance, is wrong: this test would see it. */
static void test_a_kept_distance_is_short(void **state)
{
    (void)state;
    assert_true(deviations_after_failures(2000000, false) > BOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_after_failures),
        cmocka_unit_test(test_a_kept_distance_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
