/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sample_budget.c - cost of samples in simulated programs
 *
 * A tick is a nanosecond. A program allocates at a variable rate; the case sets
 * the time of each sample.
 */
#include "recorder/samples/sample_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sampling/countdown/sampler.h"

#define SECOND UINT64_C(1000000000)

struct program {
    struct sample_budget budget;
    uint64_t now;
    double rate;    /* bytes per nanosecond */
    uint64_t each;  /* ns per sample */
    uint64_t size;  /* of its blocks; 0: other calls take no time */
    uint64_t spent; /* ns spent on samples */
    uint64_t calls; /* ns spent on calls in between */
    struct ledger_header told;
    struct sampler sampler;
    uint64_t interval;
    uint64_t samples;
};

static struct program begin(uint32_t millionths, uint32_t thousandths)
{
    struct program program = { .rate = 1, .each = 4000 };
    const struct session_header settings = { .sample_interval = 524288,
                                             .sample_budget = millionths,
                                             .sample_cpus = thousandths };

    sample_budget_begin(&program.budget, &settings, SECOND);
    sampler_seed(&program.sampler, 1, 2);
    return program;
}

/* Run one thread until `end`. */
static void run(struct program *program, uint64_t end)
{
    while (program->now < end) {
        if (program->interval != program->budget.interval) {
            program->interval = program->budget.interval;
            sampler_start(&program->sampler, 1 / (double)program->interval);
        }
        program->now +=
            (uint64_t)((double)sampler_gap(&program->sampler) / program->rate) +
            program->each;
        program->spent += program->each + 50;
        program->samples++;
        if (program->size != 0) {
            program->calls += 2 * (program->interval / program->size);
            sample_budget_count(&program->budget,
                                program->interval / program->size);
        }
        sample_budget_spend(&program->budget, program->each);
        sample_budget_move(&program->budget, program->now, &program->told);
    }
}

static double share(const struct program *program)
{
    return (double)program->spent / (double)program->now;
}

static void a_steady_program_pays_what_it_may(void **state)
{
    static const uint32_t budgets[] = { 1000, 10000, 100000 };
    static const uint64_t costs[] = { 700, 4000, 30000 };

    (void)state;
    for (unsigned i = 0; i < 9; i++) {
        struct program program = begin(budgets[i / 3], 1000);
        double allowed = budgets[i / 3] / 1e6;

        program.each = costs[i % 3];
        program.rate = 8;
        run(&program, 30 * SECOND);
        assert_true(share(&program) > allowed * 0.9);
        assert_true(share(&program) < allowed * 1.1);
    }
}

static void what_it_cost_is_told(void **state)
{
    struct program program = begin(10000, 1000);

    (void)state;
    run(&program, 10 * SECOND);
    assert_int_equal(program.told.sample_interval, program.budget.interval);
    assert_in_range(program.told.sample_capacity_ns, program.now - SECOND / 5,
                    program.now);
    assert_in_range(program.told.sample_cost_ns, program.spent * 97 / 100,
                    program.spent);
}

/* Blocks of 1,000 bytes take 0.4 %, which reduces the time for samples. */
static void calls_that_pass_are_in_the_budget(void **state)
{
    struct program program = begin(10000, 1000);

    (void)state;
    program.rate = 2;
    program.size = 1000;
    run(&program, 30 * SECOND);
    assert_true(share(&program) > 0.0050);
    assert_true(share(&program) < 0.0068);
    assert_in_range(program.told.sample_cost_ns,
                    (program.spent + program.calls) * 97 / 100,
                    program.spent + program.calls);
}

/* Blocks of 40 bytes take 10 %. */
static void too_many_calls_leave_a_quarter_to_samples(void **state)
{
    struct program program = begin(10000, 1000);

    (void)state;
    program.rate = 2;
    program.size = 40;
    run(&program, 30 * SECOND);
    assert_true(share(&program) > 0.0020);
    assert_true(share(&program) < 0.0030);
    assert_true(program.told.sample_cost_ns > program.calls * 9 / 10);
}

/* A hundred times the rate, for a tenth of each second. */
static void bursts_are_paid_for(void **state)
{
    struct program program = begin(10000, 1000);

    (void)state;
    for (uint64_t second = 1; second <= 30; second++) {
        program.rate = 0.1;
        run(&program, second * SECOND - SECOND / 10);
        program.rate = 10;
        run(&program, second * SECOND);
    }
    assert_true(share(&program) < 0.011);
    assert_true(share(&program) > 0.002);
}

/* Time saved in an idle minute is not spent at once. */
static void a_burst_after_an_idle_minute_is_seen_and_bounded(void **state)
{
    struct program program = begin(10000, 1000);
    uint64_t spent, samples;

    (void)state;
    program.rate = 1e-4;
    run(&program, 60 * SECOND);
    assert_int_equal(program.budget.interval, SAMPLE_LEAST);
    spent = program.spent;
    samples = program.samples;
    program.rate = 10;
    run(&program, program.now + SECOND / 10);
    assert_in_range(program.samples - samples, 100, 2000);
    assert_in_range(program.spent - spent, SECOND / 1000, SECOND / 100);
}

static void the_interval_has_a_floor_and_a_ceiling(void **state)
{
    struct program program = begin(500000, 1000);

    (void)state;
    program.rate = 0.01;
    run(&program, 10 * SECOND);
    assert_int_equal(program.budget.interval, SAMPLE_LEAST);
    program.told.live_bytes = (int64_t)SAMPLE_LEAST * 4096 * 3;
    sample_budget_move(&program.budget, program.now + SECOND, &program.told);
    assert_int_equal(program.budget.interval, SAMPLE_LEAST * 4);
    program = begin(10, 1000);
    program.rate = 1e5;
    program.each = 90000;
    run(&program, 60 * SECOND);
    assert_int_equal(program.budget.interval, SAMPLE_MOST);
}

/* 2 s of 4 CPUs, of half a CPU, and of those its threads can use. */
static void the_time_is_that_of_threads_and_cpus(void **state)
{
    static const struct {
        uint32_t cpus;
        int32_t threads;
        uint64_t capacity;
    } cases[] = { { 4000, 1000, 8 }, { 500, 1000, 1 }, { 4000, 3, 6 },
                  { 4000, 1, 2 },    { 4000, 0, 2 },   { 500, 1, 1 } };

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct program program = begin(10000, cases[i].cpus);

        program.budget.threads = cases[i].threads;
        sample_budget_spend(&program.budget, 1000);
        sample_budget_move(&program.budget, 2 * SECOND, &program.told);
        assert_int_equal(program.told.sample_capacity_ns,
                         cases[i].capacity * SECOND);
        assert_int_equal(program.told.sample_cost_ns, 1050);
    }
}

static void it_moves_when_that_is_due(void **state)
{
    struct program program = begin(10000, 1000);
    struct sample_budget *budget = &program.budget;

    (void)state;
    budget->begun = SECOND;
    /* Too early; a counter that lags. */
    sample_budget_move(budget, SECOND + 49000000, &program.told);
    sample_budget_move(budget, SECOND - 1, &program.told);
    assert_int_equal(budget->begun, SECOND);
    sample_budget_move(budget, SECOND + 51000000, &program.told);
    assert_int_equal(budget->interval, 65536); /* an eighth */
    /* All of the budget is spent, in a fifth of the time. */
    for (unsigned i = 0; i < 10; i++)
        sample_budget_spend(budget, 49950);
    sample_budget_move(budget, SECOND + 61000000, &program.told);
    assert_int_equal(budget->interval, 262144);
}

/* A thread that did not run for a second did no work. */
static void a_thread_that_waits_does_not_spend(void **state)
{
    struct program program = begin(10000, 1000);

    (void)state;
    sample_budget_spend(&program.budget, SECOND);
    assert_int_equal(program.budget.spent, 100050);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_program_pays_what_it_may),
        cmocka_unit_test(what_it_cost_is_told),
        cmocka_unit_test(calls_that_pass_are_in_the_budget),
        cmocka_unit_test(too_many_calls_leave_a_quarter_to_samples),
        cmocka_unit_test(bursts_are_paid_for),
        cmocka_unit_test(a_burst_after_an_idle_minute_is_seen_and_bounded),
        cmocka_unit_test(the_interval_has_a_floor_and_a_ceiling),
        cmocka_unit_test(the_time_is_that_of_threads_and_cpus),
        cmocka_unit_test(it_moves_when_that_is_due),
        cmocka_unit_test(a_thread_that_waits_does_not_spend),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
