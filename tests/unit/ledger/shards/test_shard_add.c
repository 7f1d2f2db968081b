/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_shard_add.c - adds without atomic instructions lose nothing
 *
 * Threads add to the same sites while they are moved from CPU to CPU; the
 * handler of each thread's timer adds as well, 10,000 times a second. An add
 * that is split would overwrite another, and the sums would be too small.
 */
#include "ledger/shards/shard_add.h"
#include "tests/fakes/skip.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    THREADS = 4,
    SITES = 3,
    ADDS = 1000000,      /* at least, by each thread */
    HANDLER_RUNS = 1500, /* at least, in each thread */
    ADDS_PER_MOVE = 50000,
    TIMER_NS = 100000,
    CPU_SHARDS = 64,
    SHARDS = SHARD_FIRST_CPU + CPU_SHARDS,
};

/* Timers that have not fired by then never will: a failure. */
#define ADDS_LIMIT UINT64_C(20000000000)

typedef bool (*add_fn)(struct ledger_counter *counter, enum shard_side side,
                       uint64_t size);

struct adder {
    pthread_t thread;
    add_fn add;
    uint32_t shard; /* argument of `add` */
    struct ledger_counter told[SITES];
    unsigned refused;
    unsigned handler_runs;
    bool has_timer;
};

static _Alignas(
    4096) struct ledger_counter segment[SHARDS * LEDGER_SITES_PER_SEGMENT];

static _Thread_local struct adder *self;

static int clear(void **state)
{
    (void)state;
    memset(segment, 0, sizeof segment);
    return 0;
}

static struct ledger_counter sum_of(uint32_t site)
{
    struct ledger_counter sum = { 0 };

    for (uint32_t shard = 0; shard < SHARDS; shard++) {
        const struct ledger_counter *counter =
            account_in_shard(&segment[site], shard);

        sum.alloc_blocks += counter->alloc_blocks;
        sum.alloc_bytes += counter->alloc_bytes;
        sum.free_blocks += counter->free_blocks;
        sum.free_bytes += counter->free_bytes;
    }
    return sum;
}

static bool add_cpu(struct ledger_counter *counter, enum shard_side side,
                    uint64_t size)
{
    return shard_add_cpu(counter, side, size);
}

static bool add_own(struct ledger_counter *counter, enum shard_side side,
                    uint64_t size)
{
    shard_add_own(counter, side, size);
    return true;
}

static bool add_shared(struct ledger_counter *counter, enum shard_side side,
                       uint64_t size)
{
    shard_add_shared(counter, side, size);
    return true;
}

static void add_once(struct adder *adder, struct ledger_counter *told,
                     uint32_t site, enum shard_side side, uint64_t size)
{
    struct ledger_counter *counter =
        account_in_shard(&segment[site], adder->shard);

    if (!adder->add(counter, side, size)) {
        adder->refused++;
    } else if (side == SHARD_ALLOC) {
        told->alloc_blocks++;
        told->alloc_bytes += size;
    } else {
        told->free_blocks++;
        told->free_bytes += size;
    }
}

/* Handlers' adds are counted separately: they would split the thread's plain
   adds. */
static _Thread_local struct ledger_counter told_by_handler[SITES];

static void add_in_handler(int signal)
{
    uint32_t site = self->handler_runs % SITES;

    (void)signal;
    add_once(self, &told_by_handler[site], site, SHARD_ALLOC, 1000003);
    add_once(self, &told_by_handler[site], site, SHARD_FREE, 7);
    self->handler_runs++;
}

static bool start_timer(timer_t *timer)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                              .sigev_signo = SIGUSR1 };
    struct itimerspec period = { { 0, TIMER_NS }, { 0, TIMER_NS } };

    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    return timer_create(CLOCK_MONOTONIC, &event, timer) == 0 &&
           timer_settime(*timer, 0, &period, NULL) == 0;
}

/* Move to one CPU that this process may use, then to the next. */
static void move(const cpu_set_t *allowed, unsigned turn)
{
    unsigned wanted = turn % (unsigned)CPU_COUNT(allowed);
    cpu_set_t one;

    CPU_ZERO(&one);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, allowed) && wanted-- == 0)
            CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
}

/* ThreadSanitizer delivers signals at atomic operations. */
static bool is_done(const struct adder *adder, uint64_t i)
{
    unsigned runs = __atomic_load_n(&adder->handler_runs, __ATOMIC_RELAXED);

    return i >= ADDS_LIMIT || (i >= ADDS && runs >= HANDLER_RUNS);
}

static void *add_much(void *argument)
{
    sigset_t usr1;
    cpu_set_t allowed;
    timer_t timer;

    self = argument;
    memset(told_by_handler, 0, sizeof told_by_handler);
    sched_getaffinity(0, sizeof allowed, &allowed);
    self->has_timer = start_timer(&timer);
    for (uint64_t i = 0; self->has_timer && !is_done(self, i); i++) {
        uint32_t site = (uint32_t)(i % SITES);

        add_once(self, &self->told[site], site,
                 i % 2 == 0 ? SHARD_ALLOC : SHARD_FREE, i);
        if (i % ADDS_PER_MOVE == 0)
            move(&allowed, (unsigned)(i / ADDS_PER_MOVE) + self->shard);
    }
    if (self->has_timer)
        timer_delete(timer);
    sigemptyset(&usr1); /* pending signals are ignored from now on */
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    sched_setaffinity(0, sizeof allowed, &allowed);
    for (unsigned site = 0; site < SITES; site++) {
        self->told[site].alloc_blocks += told_by_handler[site].alloc_blocks;
        self->told[site].alloc_bytes += told_by_handler[site].alloc_bytes;
        self->told[site].free_blocks += told_by_handler[site].free_blocks;
        self->told[site].free_bytes += told_by_handler[site].free_bytes;
    }
    return NULL;
}

static void assert_sums_equal(const struct adder *adders, uint32_t site)
{
    struct ledger_counter sum = sum_of(site);

    for (unsigned i = 0; i < THREADS; i++) {
        sum.alloc_blocks -= adders[i].told[site].alloc_blocks;
        sum.alloc_bytes -= adders[i].told[site].alloc_bytes;
        sum.free_blocks -= adders[i].told[site].free_blocks;
        sum.free_bytes -= adders[i].told[site].free_bytes;
    }
    assert_int_equal(sum.alloc_blocks, 0);
    assert_int_equal(sum.alloc_bytes, 0);
    assert_int_equal(sum.free_blocks, 0);
    assert_int_equal(sum.free_bytes, 0);
}

static void add_in_threads(add_fn add, bool has_own_shards)
{
    static struct adder adders[THREADS];
    struct sigaction action = { .sa_handler = add_in_handler,
                                .sa_flags = SA_RESTART };

    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        adders[i] =
            (struct adder){ .add = add, .shard = has_own_shards ? i + 1 : 0 };
        assert_int_equal(
            pthread_create(&adders[i].thread, NULL, add_much, &adders[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(adders[i].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_true(adders[i].has_timer);
        assert_true(adders[i].handler_runs >= HANDLER_RUNS);
        assert_int_equal(adders[i].refused, 0);
    }
    for (uint32_t site = 0; site < SITES; site++)
        assert_sums_equal(adders, site);
}

static void adds_to_the_cpus_shard_lose_nothing(void **state)
{
    (void)state;
    if (shard_cpus_open() == 0)
        SKIP("libc has no rseq area; unset GLIBC_TUNABLES, Linux 4.18");
    add_in_threads(add_cpu, false);
}

/* A block on one CPU is in the page of that CPU and nowhere else. */
static void an_add_goes_to_the_shard_of_the_cpu(void **state)
{
    unsigned cpu;
    cpu_set_t before, one;
    struct ledger_counter *counter = &segment[100];

    (void)state;
    if (shard_cpus_open() == 0)
        SKIP("libc has no rseq area; unset GLIBC_TUNABLES, Linux 4.18");
    assert_true(shard_cpus.count <= CPU_SHARDS);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (cpu = 0; cpu < shard_cpus.count; cpu++) {
        struct ledger_counter *expected =
            account_in_shard(counter, SHARD_FIRST_CPU + cpu);

        if (!CPU_ISSET(cpu, &before))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        assert_true(shard_add_cpu(counter, SHARD_ALLOC, 40));
        assert_true(shard_add_cpu(counter, SHARD_FREE, 30));
        assert_int_equal(expected->alloc_blocks, 1);
        assert_int_equal(expected->alloc_bytes, 40);
        assert_int_equal(expected->free_blocks, 1);
        assert_int_equal(expected->free_bytes, 30);
    }
    sched_setaffinity(0, sizeof before, &before);
}

static void a_cpu_without_a_shard_is_refused(void **state)
{
    struct ledger_counter *counter = &segment[100];
    uint32_t count = shard_cpus_open();
    struct ledger_counter sum;

    (void)state;
    if (count == 0)
        SKIP("libc has no rseq area; unset GLIBC_TUNABLES, Linux 4.18");
    shard_cpus.count = 0;
    assert_false(shard_add_cpu(counter, SHARD_ALLOC, 40));
    shard_cpus.count = count;
    sum = sum_of(100);
    assert_int_equal(sum.alloc_blocks, 0);
    assert_int_equal(sum.alloc_bytes, 0);
}

static void adds_to_a_threads_own_shard_lose_nothing(void **state)
{
    (void)state;
    add_in_threads(add_own, true);
}

static void adds_to_the_shared_shard_lose_nothing(void **state)
{
    (void)state;
    add_in_threads(add_shared, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(adds_to_a_threads_own_shard_lose_nothing, clear),
        cmocka_unit_test_setup(adds_to_the_shared_shard_lose_nothing, clear),
        cmocka_unit_test_setup(an_add_goes_to_the_shard_of_the_cpu, clear),
        cmocka_unit_test_setup(a_cpu_without_a_shard_is_refused, clear),
        cmocka_unit_test_setup(adds_to_the_cpus_shard_lose_nothing, clear),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
