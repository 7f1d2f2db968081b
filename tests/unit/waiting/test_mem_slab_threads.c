/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_slab_threads.c - a slab used by real threads and signal handlers
 *
 * Every used block contains its owner's number, so that a block with two
 * owners, or a lost one, is detected. ThreadSanitizer checks in its build.
 */
#include "tally/mem_slab.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { BLOCK = 32, FEW = 3, MANY = 40000, THREADS = 8, ROUNDS = 20000 };

static unsigned char buffer[BLOCK * MANY] __aligned(4);
static struct k_mem_slab slab;

struct worker {
    pthread_t pthread;
    struct random_sequence random;
    uint32_t number;
    uint32_t taken, timed_out, refused, broken;
};

static struct worker workers[THREADS];

static void check_in(void *mem, uint32_t number)
{
    uint32_t *words = mem;

    for (unsigned i = 0; i < BLOCK / 4; i++)
        words[i] = number;
}

static bool is_still_mine(const void *mem, uint32_t number)
{
    const uint32_t *words = mem;

    for (unsigned i = 0; i < BLOCK / 4; i++) {
        if (words[i] != number)
            return false;
    }
    return true;
}

static void take_and_give_back(struct worker *worker, k_timeout_t timeout)
{
    void *mem;
    int result = k_mem_slab_alloc(&slab, &mem, timeout);

    worker->taken += result == 0;
    worker->timed_out += result == -EAGAIN;
    worker->refused += result == -ENOMEM;
    if (result != 0)
        return;
    check_in(mem, worker->number);
    if (random_below(&worker->random, 8) == 0)
        sched_yield();
    worker->broken += !is_still_mine(mem, worker->number);
    k_mem_slab_free(&slab, mem);
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    tally_thread_priority_set((int)worker->number % 3);
    for (unsigned i = 0; i < ROUNDS; i++) {
        switch (random_below(&worker->random, 4)) {
        case 0:
            take_and_give_back(worker, K_NO_WAIT);
            break;
        case 1:
            take_and_give_back(worker, K_USEC(20));
            break;
        default:
            take_and_give_back(worker, K_FOREVER);
        }
    }
    return NULL;
}

static struct tally_slab_figures figures(void)
{
    struct tally_slab_figures read;

    assert_int_equal(tally_mem_slab_figures_get(&slab, &read), 0);
    return read;
}

static void run(uint32_t blocks)
{
    uint32_t timed_out = 0, refused = 0;
    struct tally_slab_figures read;

    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, blocks), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .random = { i }, .number = i + 1 };
        assert_int_equal(
            pthread_create(&workers[i].pthread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].pthread, NULL), 0);
        assert_int_equal(workers[i].broken, 0);
        timed_out += workers[i].timed_out;
        refused += workers[i].refused;
    }
    read = figures();
    assert_int_equal(read.used, 0);
    assert_int_equal(read.waiting, 0);
    assert_int_equal(read.timed_out, timed_out);
    assert_int_equal(read.refused, refused);
    assert_true(read.peak >= 1 && read.peak <= blocks && read.peak <= THREADS);
    for (unsigned i = 0; i < TALLY_SLAB_FAULTS; i++)
        assert_int_equal(read.faults[i], 0);
}

static void fewer_blocks_than_threads(void **state)
{
    (void)state;
    run(FEW);
    run(1);
}

static void more_blocks_than_fit_into_the_list(void **state)
{
    (void)state;
    run(MANY);
}

/* A debug build of the library would abort. */
static void only_count(struct k_mem_slab *of, const void *mem,
                       enum tally_slab_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
}

/* Two threads free the same block at once: one of them gets the fault. */
static pthread_barrier_t barrier;
static void *contested;

static void *free_together(void *unused)
{
    for (unsigned i = 0; i < ROUNDS / 4; i++) {
        pthread_barrier_wait(&barrier);
        k_mem_slab_free(&slab, contested);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void ignore(struct k_mem_slab *of, const void *mem,
                   enum tally_slab_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
}

static void of_two_frees_at_once_one_is_refused(void **state)
{
    pthread_t others[2];

    (void)state;
    tally_mem_slab_on_fault(ignore);
    tally_mem_slab_on_fault(only_count);
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, FEW), 0);
    pthread_barrier_init(&barrier, NULL, 3);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&others[i], NULL, free_together, NULL),
                         0);
    for (unsigned i = 0; i < ROUNDS / 4; i++) {
        assert_int_equal(k_mem_slab_alloc(&slab, &contested, K_NO_WAIT), 0);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        assert_int_equal(figures().used, 0);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    pthread_barrier_destroy(&barrier);
    assert_int_equal(figures().faults[TALLY_SLAB_NOT_OUT], ROUNDS / 4);
}

static void a_timeout_takes_as_long_as_it_says(void **state)
{
    struct timespec start, stop;
    void *mem, *kept = buffer;

    (void)state;
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, 1), 0);
    assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_NO_WAIT), 0);
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(k_mem_slab_alloc(&slab, &kept, K_MSEC(30)), -EAGAIN);
    clock_gettime(CLOCK_MONOTONIC, &stop);
    assert_ptr_equal(kept, buffer);
    assert_true((stop.tv_sec - start.tv_sec) * 1000000000 + stop.tv_nsec -
                    start.tv_nsec >=
                30000000);
    assert_true(figures().longest_wait_ns >= 30000000);
}

/*
 * A handler allocates and frees on top of any code of the thread, even while
 * others wait.
 */
static struct worker in_handler;
static uint32_t handled;
static bool is_over;

static void handle(int number)
{
    void *mem[2];
    int error = errno;

    (void)number;
    for (unsigned i = 0; i < 2; i++) {
        if (k_mem_slab_alloc(&slab, &mem[i], K_NO_WAIT) != 0)
            mem[i] = NULL;
        else
            check_in(mem[i], UINT32_MAX - i);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (mem[i] == NULL)
            continue;
        in_handler.broken += !is_still_mine(mem[i], UINT32_MAX - i);
        k_mem_slab_free(&slab, mem[i]);
        in_handler.taken++;
    }
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
    errno = error;
}

static void *interrupt(void *target)
{
    pthread_t *thread = target;
    struct timespec pause = { .tv_nsec = 20000 };

    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        pthread_kill(*thread, SIGUSR1);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void *hold_now_and_then(void *argument)
{
    struct worker *worker = argument;

    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        take_and_give_back(worker, K_USEC(100));
    return NULL;
}

static void handlers_may_allocate_and_free(void **state)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    pthread_t interrupter, other, self = pthread_self();
    uint32_t enough = 2000;

    (void)state;
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, FEW), 0);
    sigaction(SIGUSR1, &action, NULL);
    workers[0] = (struct worker){ .random = { 5 }, .number = 1 };
    workers[1] = (struct worker){ .random = { 6 }, .number = 2 };
    is_over = false;
    assert_int_equal(pthread_create(&interrupter, NULL, interrupt, &self), 0);
    assert_int_equal(
        pthread_create(&other, NULL, hold_now_and_then, &workers[1]), 0);
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < enough)
        take_and_give_back(&workers[0], K_FOREVER);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(interrupter, NULL);
    pthread_join(other, NULL);
    signal(SIGUSR1, SIG_DFL);
    assert_int_equal(in_handler.broken, 0);
    assert_int_equal(workers[0].broken + workers[1].broken, 0);
    assert_true(in_handler.taken > 0);
    assert_int_equal(figures().used, 0);
    assert_int_equal(figures().waiting, 0);
    for (unsigned i = 0; i < TALLY_SLAB_FAULTS; i++)
        assert_int_equal(figures().faults[i], 0);
}

/* One block passes from thread to thread: urgent threads get it first. */
enum { EACH = 4 };

static uint32_t places;

struct contender {
    pthread_t pthread;
    int priority;
    uint32_t place;
};

static void *contend(void *argument)
{
    struct contender *contender = argument;
    void *mem;

    tally_thread_priority_set(contender->priority);
    if (k_mem_slab_alloc(&slab, &mem, K_FOREVER) != 0)
        return NULL;
    contender->place = __atomic_add_fetch(&places, 1, __ATOMIC_ACQ_REL);
    k_mem_slab_free(&slab, mem);
    return NULL;
}

static void the_urgent_are_through_first(void **state)
{
    struct contender contenders[2 * EACH];
    struct timespec pause = { .tv_nsec = 1000000 };
    void *mem;

    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        places = 0;
        assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, 1), 0);
        assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_NO_WAIT), 0);
        for (unsigned i = 0; i < 2 * EACH; i++) {
            contenders[i] = (struct contender){ .priority = i % 2 ? -3 : 3 };
            assert_int_equal(pthread_create(&contenders[i].pthread, NULL,
                                            contend, &contenders[i]),
                             0);
        }
        for (unsigned i = 0; i < 10000 && figures().waiting < 2 * EACH; i++)
            nanosleep(&pause, NULL);
        assert_int_equal(figures().waiting, 2 * EACH);
        k_mem_slab_free(&slab, mem);
        for (unsigned i = 0; i < 2 * EACH; i++) {
            pthread_join(contenders[i].pthread, NULL);
            assert_int_equal(contenders[i].place <= EACH, i % 2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_blocks_than_threads),
        cmocka_unit_test(more_blocks_than_fit_into_the_list),
        cmocka_unit_test(of_two_frees_at_once_one_is_refused),
        cmocka_unit_test(a_timeout_takes_as_long_as_it_says),
        cmocka_unit_test(handlers_may_allocate_and_free),
        cmocka_unit_test(the_urgent_are_through_first),
    };

    return cmocka_run_group_tests_name("mem_slab_threads", tests, NULL, NULL);
}
