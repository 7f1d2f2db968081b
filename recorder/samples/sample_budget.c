/* SPDX-License-Identifier: Apache-2.0 */
/* sample_budget.c - see sample_budget.h */
#include "recorder/samples/sample_budget.h"

/* in seconds */
static const double window = 0.05;
static const double some_samples = 256e-6; /* cost of 64 samples */
static const double longest_part = 100e-6;
static const double trip = 50e-9; /* call and return, which no clock sees */
/* an allocation and its free that take no sample */
static const double call = 2e-9;

/* limit of sampled live blocks: with more, other frees become slow, which no
   budget covers */
static const double most_followed = 4096;

/* seconds of the budget that can be owed, and saved */
static const double most_debt = 10, most_saved = 0.25;

void sample_budget_begin(struct sample_budget *budget,
                         const struct session_header *settings, uint64_t ticks)
{
    *budget = (struct sample_budget){
        .interval =
            settings->sample_interval == 0 ? 1 : settings->sample_interval,
        .share = settings->sample_budget / 1e6,
        .cpus = settings->sample_cpus / 1e3,
        .second = (double)ticks,
    };
}

static double within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

void sample_budget_spend(struct sample_budget *budget, uint64_t ticks)
{
    double spent = within((double)ticks, 0, longest_part * budget->second);

    __atomic_fetch_add(&budget->spent,
                       (uint64_t)(spent + trip * budget->second),
                       __ATOMIC_RELAXED);
}

void sample_budget_count(struct sample_budget *budget, uint64_t blocks)
{
    __atomic_fetch_add(&budget->calls, blocks, __ATOMIC_RELAXED);
}

/* Return the power of two nearest by ratio, within the limits. */
static uint64_t nearest(double interval)
{
    uint64_t power = SAMPLE_LEAST;

    while (power < SAMPLE_MOST && interval > (double)power * 1.414)
        power *= 2;
    return power;
}

/* Choose the next interval. Samples and calls took `spent` and `calls` ticks in
   `passed`; `allowed` is the budget per tick. */
static uint64_t move(struct sample_budget *budget, double spent, double calls,
                     double passed, double allowed, double least)
{
    double second = allowed * budget->second;
    double debt =
        within((double)__atomic_load_n(&budget->debt, __ATOMIC_RELAXED) +
                   spent + calls - allowed * passed,
               -most_saved * second, most_debt * second);
    double aim = within(allowed - debt / budget->second - calls / passed,
                        allowed / 4, allowed * 1.25);
    double interval =
        (double)__atomic_load_n(&budget->interval, __ATOMIC_RELAXED) *
        within(spent / passed / aim, 0.125, 16);
    uint64_t next = nearest(interval < least ? least : interval);

    __atomic_store_n(&budget->debt, (int64_t)debt, __ATOMIC_RELAXED);
    __atomic_store_n(&budget->interval, next, __ATOMIC_RELAXED);
    return next;
}

static void add_to(uint64_t *sum, double ns)
{
    __atomic_fetch_add(sum, (uint64_t)ns, __ATOMIC_RELAXED);
}

void sample_budget_move(struct sample_budget *budget, uint64_t now,
                        struct ledger_header *header)
{
    double threads = __atomic_load_n(&budget->threads, __ATOMIC_RELAXED);
    double cpus = within(threads < 1 ? 1 : threads, 0, budget->cpus);
    double allowed = budget->share * cpus, ns = 1e9 / budget->second;
    double wait = within(some_samples / allowed, window, 10) * budget->second;
    uint64_t begun = __atomic_load_n(&budget->begun, __ATOMIC_RELAXED);
    double spent = (double)__atomic_load_n(&budget->spent, __ATOMIC_RELAXED);
    double passed = (double)(now - begun), calls;
    double least =
        (double)__atomic_load_n(&header->live_bytes, __ATOMIC_RELAXED) /
        most_followed;

    /* Counters of two CPUs may differ. Only one thread gets through. */
    if (now <= begun || (passed < wait && spent < allowed * wait) ||
        !__atomic_compare_exchange_n(&budget->begun, &begun, now, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    spent = (double)__atomic_exchange_n(&budget->spent, 0, __ATOMIC_RELAXED);
    calls = (double)__atomic_exchange_n(&budget->calls, 0, __ATOMIC_RELAXED) *
            call * budget->second;
    __atomic_store_n(&header->sample_interval,
                     move(budget, spent, calls, passed, allowed, least),
                     __ATOMIC_RELAXED);
    add_to(&header->sample_cost_ns, (spent + calls) * ns);
    add_to(&header->sample_capacity_ns, passed * cpus * ns);
}
