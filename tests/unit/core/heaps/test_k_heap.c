/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_k_heap.c - waiting for memory of any size, with a clock that stands
 * still
 *
 * This file is long because it has a test for each statement of the header.
 */
#include "tally/k_heap.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"
#include "tests/fakes/random_sequence.h"

enum { REGION = 2048, WAITERS = 8, MS = 1000000 };

K_HEAP_DEFINE(of_file, 500);
K_HEAP_DEFINE(smallest, 1);

static unsigned char region[REGION] __aligned(8);
static struct k_heap heap;

struct waiter {
    pthread_t pthread;
    int priority;
    size_t bytes;
    k_timeout_t timeout;
    void *old;
    void *mem;
    bool is_done;
};

static struct waiter waiters[WAITERS];

static void ignore(struct sys_heap *of, const void *mem,
                   enum tally_heap_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
}

static int open_heap(void **state)
{
    (void)state;
    tally_heap_on_fault(ignore);
    fake_port_set_time_ns(0);
    memset(region, 0xa5, sizeof region);
    k_heap_init(&heap, region, sizeof region);
    memset(waiters, 0, sizeof waiters);
    return 0;
}

static struct tally_k_heap_figures figures(void)
{
    struct tally_k_heap_figures read;

    assert_int_equal(tally_k_heap_figures_get(&heap, &read), 0);
    return read;
}

static size_t allocated(void)
{
    struct sys_memory_stats stats;

    assert_int_equal(sys_heap_runtime_stats_get(&heap.heap, &stats), 0);
    assert_true(sys_heap_validate(&heap.heap));
    return stats.allocated_bytes;
}

static void *wait_for_block(void *argument)
{
    struct waiter *waiter = argument;

    tally_thread_priority_set(waiter->priority);
    waiter->mem = waiter->old == NULL
                      ? k_heap_alloc(&heap, waiter->bytes, waiter->timeout)
                      : k_heap_realloc(&heap, waiter->old, waiter->bytes,
                                       waiter->timeout);
    __atomic_store_n(&waiter->is_done, true, __ATOMIC_RELEASE);
    return NULL;
}

/* Start a thread; it sleeps when this returns. */
static void begin(unsigned number, int priority, size_t bytes,
                  k_timeout_t timeout)
{
    struct waiter *waiter = &waiters[number];
    unsigned sleepers = fake_port_sleepers();

    waiter->priority = priority;
    waiter->bytes = bytes;
    waiter->timeout = timeout;
    assert_int_equal(
        pthread_create(&waiter->pthread, NULL, wait_for_block, waiter), 0);
    fake_port_await_sleepers(sleepers + 1);
}

static void *end(unsigned number)
{
    assert_int_equal(pthread_join(waiters[number].pthread, NULL), 0);
    return waiters[number].mem;
}

static bool is_done(unsigned number)
{
    return __atomic_load_n(&waiters[number].is_done, __ATOMIC_ACQUIRE);
}

static void *fill(size_t bytes)
{
    void *mem = k_heap_alloc(&heap, bytes, K_NO_WAIT);

    assert_non_null(mem);
    return mem;
}

static void blocks_come_and_go(void **state)
{
    unsigned char *one, *two;

    (void)state;
    one = fill(100);
    two = k_heap_aligned_alloc(&heap, 64, 10, K_NO_WAIT);
    assert_int_equal((uintptr_t)two % 64, 0);
    memset(two, 0xff, 10);
    k_heap_free(&heap, two);
    k_heap_free(&heap, NULL);
    two = k_heap_calloc(&heap, 5, 7, K_NO_WAIT);
    for (unsigned i = 0; i < 35; i++)
        assert_int_equal(two[i], 0);
    memset(one, 0x5a, 100);
    one = k_heap_realloc(&heap, one, 600, K_NO_WAIT);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(one[i], 0x5a);
    assert_null(k_heap_realloc(&heap, one, 0, K_FOREVER));
    k_heap_free(&heap, two);
    assert_int_equal(allocated(), 0);
    assert_non_null(k_heap_realloc(&heap, NULL, 8, K_NO_WAIT));
    assert_int_equal(allocated(), 16);
}

static void what_cannot_be_had_is_refused_at_once(void **state)
{
    (void)state;
    assert_null(k_heap_alloc(&heap, 0, K_FOREVER));
    assert_null(k_heap_alloc(&heap, REGION, K_FOREVER));
    assert_null(k_heap_alloc(&heap, SIZE_MAX, K_FOREVER));
    assert_null(k_heap_calloc(&heap, SIZE_MAX / 2, 3, K_FOREVER));
    assert_null(k_heap_aligned_alloc(&heap, 3, 8, K_FOREVER));
    fill(8);
    assert_null(k_heap_aligned_alloc(&heap, 3, 8, K_FOREVER));
    assert_null(k_heap_alloc(&heap, REGION + 1, K_FOREVER));
    assert_null(k_heap_realloc(&heap, region + 3, 8, K_FOREVER));
    assert_int_equal(figures().waiting, 0);
    assert_int_equal(tally_k_heap_figures_get(NULL, NULL), -EINVAL);
}

static void without_waiting_a_full_heap_refuses(void **state)
{
    void *most = fill(1800);

    (void)state;
    assert_null(k_heap_alloc(&heap, 300, K_NO_WAIT));
    fake_port_set_may_wait(false);
    assert_null(k_heap_alloc(&heap, 300, K_FOREVER));
    fake_port_set_may_wait(true);
    assert_int_equal(figures().refused, 2);
    k_heap_free(&heap, most);
    assert_int_equal(allocated(), 0);
}

static void a_free_serves_who_waits(void **state)
{
    void *most = fill(1800);

    (void)state;
    begin(0, 0, 300, K_FOREVER);
    assert_int_equal(figures().waiting, 1);
    fake_port_set_time_ns(5000);
    k_heap_free(&heap, most);
    assert_non_null(end(0));
    assert_int_equal(figures().waiting, 0);
    assert_int_equal(figures().longest_wait_ns, 5000);
    k_heap_free(&heap, waiters[0].mem);
    assert_int_equal(allocated(), 0);
}

static void one_free_serves_as_many_as_fit(void **state)
{
    void *most = fill(1800);

    (void)state;
    begin(0, 0, 300, K_FOREVER);
    begin(1, 0, 400, K_FOREVER);
    begin(2, 0, 1700, K_FOREVER);
    begin(3, 0, 200, K_FOREVER);
    k_heap_free(&heap, most);
    assert_non_null(end(0));
    assert_non_null(end(1));
    assert_non_null(end(3));
    assert_false(is_done(2));
    k_heap_free(&heap, waiters[0].mem);
    k_heap_free(&heap, waiters[1].mem);
    assert_false(is_done(2));
    k_heap_free(&heap, waiters[3].mem);
    assert_non_null(end(2));
}

static void the_most_urgent_is_served_first(void **state)
{
    void *most = fill(1800);

    (void)state;
    begin(0, 2, 1700, K_FOREVER);
    begin(1, 1, 1700, K_FOREVER);
    begin(2, 1, 1700, K_FOREVER);
    k_heap_free(&heap, most);
    assert_non_null(end(1));
    assert_false(is_done(0) || is_done(2));
    k_heap_free(&heap, waiters[1].mem);
    assert_non_null(end(2));
    k_heap_free(&heap, waiters[2].mem);
    assert_non_null(end(0));
}

static void a_timeout_ends_the_wait(void **state)
{
    void *most = fill(1800);

    (void)state;
    begin(0, 0, 300, K_MSEC(2));
    fake_port_set_time_ns(2 * MS - 1);
    assert_false(is_done(0));
    fake_port_set_time_ns(2 * MS);
    assert_null(end(0));
    assert_int_equal(figures().timed_out, 1);
    assert_int_equal(figures().waiting, 0);
    k_heap_free(&heap, most);
    assert_int_equal(allocated(), 0);
}

static void a_block_grows_when_there_is_room(void **state)
{
    unsigned char *old = fill(400);
    void *rest = fill(1300);

    (void)state;
    memset(old, 0x77, 400);
    waiters[0].old = old;
    begin(0, 0, 1000, K_FOREVER);
    k_heap_free(&heap, rest);
    old = end(0);
    assert_non_null(old);
    for (unsigned i = 0; i < 400; i++)
        assert_int_equal(old[i], 0x77);
    k_heap_free(&heap, old);
    assert_int_equal(allocated(), 0);
}

static void a_block_that_shrinks_makes_room(void **state)
{
    void *most = fill(1800);

    (void)state;
    begin(0, 0, 1000, K_FOREVER);
    assert_ptr_equal(k_heap_realloc(&heap, most, 100, K_NO_WAIT), most);
    assert_non_null(end(0));
}

static void a_block_that_moves_makes_room(void **state)
{
    void *left = fill(500), *old = fill(400), *right = fill(16);
    void *rest = fill(600), *end_of_heap = fill(300);

    (void)state;
    k_heap_free(&heap, left);
    begin(0, 0, 800, K_FOREVER);
    k_heap_free(&heap, rest);
    assert_false(is_done(0));
    assert_non_null(k_heap_realloc(&heap, old, 600, K_NO_WAIT));
    assert_non_null(end(0));
    k_heap_free(&heap, right);
    k_heap_free(&heap, end_of_heap);
}

static void a_waiter_whose_block_moves_makes_room(void **state)
{
    void *left = fill(400), *rest;

    (void)state;
    waiters[1].old = fill(600);
    fill(16);
    rest = fill(800);
    begin(0, 0, 950, K_FOREVER);
    begin(1, 1, 700, K_FOREVER);
    k_heap_free(&heap, left);
    assert_int_equal(figures().waiting, 2);
    k_heap_free(&heap, rest);
    assert_non_null(end(1));
    assert_non_null(end(0));
}

static void a_block_shrinks_while_memory_is_kept(void **state)
{
    void *large = fill(1000), *small = fill(300);

    (void)state;
    begin(0, 0, 1800, K_MSEC(1));
    for (unsigned i = 0; i < TALLY_K_HEAP_PASSES; i++) {
        k_heap_free(&heap, small);
        small = fill(300);
    }
    fake_port_await_sleepers(1);
    assert_null(k_heap_alloc(&heap, 8, K_NO_WAIT));
    assert_ptr_equal(k_heap_realloc(&heap, large, 900, K_NO_WAIT), large);
    fake_port_set_time_ns(MS);
    assert_null(end(0));
}

static void realloc_of_a_waiter_fails_when_nothing_can_help(void **state)
{
    unsigned char *old = fill(1000);
    void *rest = fill(600);

    (void)state;
    waiters[0].old = old;
    begin(0, 0, 2000, K_FOREVER);
    k_heap_free(&heap, rest);
    assert_null(end(0));
    k_heap_free(&heap, old);
    assert_int_equal(allocated(), 0);
}

/* Small blocks come and go continuously; the large request never fits. */
static void a_large_request_does_not_starve(void **state)
{
    void *small[8];
    unsigned refused = 0, rounds = 0;

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        small[i] = fill(200);
    begin(0, 0, 1000, K_FOREVER);
    while (!is_done(0) && rounds < 1000) {
        unsigned i = rounds++ % 8;

        k_heap_free(&heap, small[i]);
        small[i] = k_heap_alloc(&heap, 200, K_NO_WAIT);
        refused += small[i] == NULL;
        fake_port_set_time_ns(rounds * (MS / 20));
        if (figures().waiting == 0)
            break;
    }
    assert_non_null(end(0));
    assert_true(refused >= 4 && refused <= 8);
    assert_true(rounds < 100);
}

static void memory_is_not_kept_for_ever(void **state)
{
    void *large = fill(1000), *small = fill(300);

    (void)state;
    begin(0, 0, 1800, K_FOREVER);
    for (unsigned i = 0; i < TALLY_K_HEAP_PASSES; i++) {
        k_heap_free(&heap, small);
        small = k_heap_alloc(&heap, 300, K_NO_WAIT);
        assert_non_null(small);
    }
    fake_port_await_sleepers(1);
    begin(1, 0, 300, K_FOREVER);
    assert_null(k_heap_alloc(&heap, 8, K_NO_WAIT));
    assert_false(is_done(1));
    fake_port_set_time_ns(MS);
    assert_non_null(end(1));
    assert_false(is_done(0));
    k_heap_free(&heap, waiters[1].mem);
    k_heap_free(&heap, small);
    k_heap_free(&heap, large);
    assert_non_null(end(0));
}

static void the_more_urgent_are_not_kept_out(void **state)
{
    void *most = fill(1000), *urgent;

    (void)state;
    begin(0, 0, 1800, K_FOREVER);
    for (unsigned i = 0; i < TALLY_K_HEAP_PASSES; i++)
        k_heap_free(&heap, fill(100));
    assert_null(k_heap_alloc(&heap, 100, K_NO_WAIT));
    tally_thread_priority_set(-1);
    urgent = fill(100);
    tally_thread_priority_set(0);
    k_heap_free(&heap, urgent);
    k_heap_free(&heap, most);
    assert_non_null(end(0));
}

static void static_heaps_are_ready_and_listed(void **state)
{
    const struct sys_heap *found = NULL;
    unsigned times = 0;

    (void)state;
    while ((found = tally_heap_next(found)) != NULL)
        times += found == &of_file.heap || found == &smallest.heap;
    assert_int_equal(times, 2);
    assert_non_null(k_heap_alloc(&of_file, 400, K_NO_WAIT));
    assert_non_null(k_heap_alloc(&smallest, 1, K_NO_WAIT));
    while (k_heap_alloc(&smallest, 1, K_NO_WAIT) != NULL)
        assert_true(times++ < 5);
}

static void random_operations_leave_it_whole(void **state)
{
    struct random_sequence random = { 7 };
    void *blocks[40] = { 0 };

    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        uint32_t at = random_below(&random, 40);
        uint32_t bytes = random_below(&random, 200);

        if (blocks[at] == NULL) {
            blocks[at] = k_heap_alloc(&heap, bytes, K_NO_WAIT);
        } else if (bytes % 3 == 0 && bytes > 0) {
            void *moved = k_heap_realloc(&heap, blocks[at], bytes, K_NO_WAIT);

            blocks[at] = moved == NULL ? blocks[at] : moved;
        } else {
            k_heap_free(&heap, blocks[at]);
            blocks[at] = NULL;
        }
        if (i % 64 == 0)
            assert_true(sys_heap_validate(&heap.heap));
    }
    for (unsigned i = 0; i < 40; i++)
        k_heap_free(&heap, blocks[i]);
    assert_int_equal(allocated(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(blocks_come_and_go, open_heap),
        cmocka_unit_test_setup(what_cannot_be_had_is_refused_at_once,
                               open_heap),
        cmocka_unit_test_setup(without_waiting_a_full_heap_refuses, open_heap),
        cmocka_unit_test_setup(a_free_serves_who_waits, open_heap),
        cmocka_unit_test_setup(one_free_serves_as_many_as_fit, open_heap),
        cmocka_unit_test_setup(the_most_urgent_is_served_first, open_heap),
        cmocka_unit_test_setup(a_timeout_ends_the_wait, open_heap),
        cmocka_unit_test_setup(a_block_grows_when_there_is_room, open_heap),
        cmocka_unit_test_setup(a_block_that_shrinks_makes_room, open_heap),
        cmocka_unit_test_setup(a_block_that_moves_makes_room, open_heap),
        cmocka_unit_test_setup(a_waiter_whose_block_moves_makes_room,
                               open_heap),
        cmocka_unit_test_setup(a_block_shrinks_while_memory_is_kept, open_heap),
        cmocka_unit_test_setup(realloc_of_a_waiter_fails_when_nothing_can_help,
                               open_heap),
        cmocka_unit_test_setup(a_large_request_does_not_starve, open_heap),
        cmocka_unit_test_setup(memory_is_not_kept_for_ever, open_heap),
        cmocka_unit_test_setup(the_more_urgent_are_not_kept_out, open_heap),
        cmocka_unit_test_setup(static_heaps_are_ready_and_listed, open_heap),
        cmocka_unit_test_setup(random_operations_leave_it_whole, open_heap),
    };

    return cmocka_run_group_tests_name("k_heap", tests, NULL, NULL);
}
