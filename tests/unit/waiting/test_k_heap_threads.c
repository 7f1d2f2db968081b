/* SPDX-License-Identifier: Apache-2.0 */
/* test_k_heap_threads.c - a heap used by real threads and signal handlers */
#include "tally/k_heap.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { REGION = 4096, THREADS = 6, ROUNDS = 3000, LARGE = 3000 };

static unsigned char region[REGION] __aligned(8);
static struct k_heap heap;

struct worker {
    pthread_t pthread;
    struct random_sequence random;
    unsigned number, broken, served;
};

static bool holds(const unsigned char *mem, size_t bytes, unsigned number)
{
    for (size_t i = 0; i < bytes; i++) {
        if (mem[i] != (unsigned char)number)
            return false;
    }
    return true;
}

static k_timeout_t draw_timeout(struct random_sequence *random)
{
    switch (random_below(random, 3)) {
    case 0:
        return K_NO_WAIT;
    case 1:
        return K_USEC(50);
    default:
        return K_FOREVER;
    }
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    tally_thread_priority_set((int)worker->number % 2);
    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t bytes = 1 + random_below(&worker->random, 1500);
        unsigned char *mem =
            k_heap_alloc(&heap, bytes, draw_timeout(&worker->random));
        unsigned char *moved;

        if (mem == NULL)
            continue;
        memset(mem, (int)worker->number, bytes);
        moved = k_heap_realloc(&heap, mem, bytes / 2 + 1, K_NO_WAIT);
        if (moved != NULL)
            mem = moved;
        worker->broken += !holds(mem, bytes / 2 + 1, worker->number);
        k_heap_free(&heap, mem);
        worker->served++;
    }
    return NULL;
}

static void check_empty(void)
{
    struct tally_k_heap_figures figures;
    struct sys_memory_stats stats;

    assert_true(sys_heap_validate(&heap.heap));
    assert_int_equal(sys_heap_runtime_stats_get(&heap.heap, &stats), 0);
    assert_int_equal(stats.allocated_bytes, 0);
    assert_int_equal(tally_k_heap_figures_get(&heap, &figures), 0);
    assert_int_equal(figures.waiting, 0);
}

static void threads_share_it(void **state)
{
    struct worker workers[THREADS];

    (void)state;
    k_heap_init(&heap, region, sizeof region);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .random = { i }, .number = i + 1 };
        assert_int_equal(
            pthread_create(&workers[i].pthread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].pthread, NULL), 0);
        assert_int_equal(workers[i].broken, 0);
        assert_true(workers[i].served > 0);
    }
    check_empty();
}

static bool is_over;

static void *churn(void *argument)
{
    struct worker *worker = argument;
    void *held[4] = { 0 };

    for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); i++) {
        k_heap_free(&heap, held[i % 4]);
        held[i % 4] = k_heap_alloc(&heap, 300, K_USEC(10));
        worker->served++;
    }
    for (unsigned i = 0; i < 4; i++)
        k_heap_free(&heap, held[i]);
    return NULL;
}

static void a_large_request_gets_through(void **state)
{
    struct worker workers[2] = { { .number = 1 }, { .number = 2 } };

    (void)state;
    k_heap_init(&heap, region, sizeof region);
    is_over = false;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(
            pthread_create(&workers[i].pthread, NULL, churn, &workers[i]), 0);
    for (unsigned i = 0; i < 20; i++) {
        void *large = k_heap_alloc(&heap, LARGE, K_SECONDS(60));

        assert_non_null(large);
        k_heap_free(&heap, large);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(workers[i].pthread, NULL);
    check_empty();
}

static unsigned handled;

static void handle(int number)
{
    void *mem = k_heap_alloc(&heap, 100, K_NO_WAIT);

    (void)number;
    if (mem != NULL)
        memset(mem, 0x5a, 100);
    k_heap_free(&heap, mem);
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
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

static void handlers_may_ask_and_free(void **state)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    pthread_t interrupter, self = pthread_self();

    (void)state;
    k_heap_init(&heap, region, sizeof region);
    sigaction(SIGUSR1, &action, NULL);
    is_over = false;
    assert_int_equal(pthread_create(&interrupter, NULL, interrupt, &self), 0);
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < 1000) {
        void *mem = k_heap_alloc(&heap, 500, K_FOREVER);

        assert_non_null(mem);
        k_heap_free(&heap, mem);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(interrupter, NULL);
    signal(SIGUSR1, SIG_DFL);
    check_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_it),
        cmocka_unit_test(a_large_request_gets_through),
        cmocka_unit_test(handlers_may_ask_and_free),
    };

    return cmocka_run_group_tests_name("k_heap_threads", tests, NULL, NULL);
}
