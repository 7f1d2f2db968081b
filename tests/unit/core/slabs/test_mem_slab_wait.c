/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_slab_wait.c - waiting and serving, with a clock that stands still
 *
 * Each waiter is a thread that starts when all earlier ones sleep, so the order
 * of arrival is known, and so is the order of service.
 */
#include "tally/mem_slab.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"
#include "tests/fakes/random_sequence.h"

enum { BLOCK = 16, BLOCKS = 2, WAITERS = 32 };

static unsigned char buffer[BLOCK * BLOCKS] __aligned(4);
static struct k_mem_slab slab;
static void *blocks[BLOCKS];

struct waiter {
    pthread_t pthread;
    struct tally_thread *thread;
    int priority;
    k_timeout_t timeout;
    int result;
    void *mem;
    unsigned turn; /* the first one served has 1 */
    bool is_done;
};

static struct waiter waiters[WAITERS];
static unsigned turns;

static int open_slab(void **state)
{
    (void)state;
    fake_port_set_time_ns(0);
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, BLOCKS), 0);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_equal(k_mem_slab_alloc(&slab, &blocks[i], K_NO_WAIT), 0);
    memset(waiters, 0, sizeof waiters);
    turns = 0;
    return 0;
}

static struct tally_slab_figures figures(void)
{
    struct tally_slab_figures read;

    assert_int_equal(tally_mem_slab_figures_get(&slab, &read), 0);
    return read;
}

static void *wait_for_block(void *argument)
{
    struct waiter *waiter = argument;

    tally_thread_priority_set(waiter->priority);
    __atomic_store_n(&waiter->thread, tally_thread_current(), __ATOMIC_RELEASE);
    waiter->mem = buffer + 1;
    waiter->result = k_mem_slab_alloc(&slab, &waiter->mem, waiter->timeout);
    waiter->turn = __atomic_add_fetch(&turns, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&waiter->is_done, true, __ATOMIC_RELEASE);
    return NULL;
}

/* Start a thread; it sleeps when this returns. */
static void begin(unsigned number, int priority, k_timeout_t timeout)
{
    struct waiter *waiter = &waiters[number];
    unsigned sleepers = fake_port_sleepers();

    waiter->priority = priority;
    waiter->timeout = timeout;
    assert_int_equal(
        pthread_create(&waiter->pthread, NULL, wait_for_block, waiter), 0);
    fake_port_await_sleepers(sleepers + 1);
}

static void end(unsigned number)
{
    assert_int_equal(pthread_join(waiters[number].pthread, NULL), 0);
}

static bool is_done(unsigned number)
{
    return __atomic_load_n(&waiters[number].is_done, __ATOMIC_ACQUIRE);
}

static void a_freed_block_goes_to_the_waiter(void **state)
{
    (void)state;
    begin(0, 0, K_FOREVER);
    assert_int_equal(figures().waiting, 1);
    k_mem_slab_free(&slab, blocks[1]);
    end(0);
    assert_int_equal(waiters[0].result, 0);
    assert_ptr_equal(waiters[0].mem, blocks[1]);
    assert_int_equal(k_mem_slab_num_used_get(&slab), BLOCKS);
    assert_int_equal(k_mem_slab_max_used_get(&slab), BLOCKS);
    assert_int_equal(figures().waiting, 0);

    k_mem_slab_free(&slab, waiters[0].mem);
    assert_int_equal(k_mem_slab_num_used_get(&slab), BLOCKS - 1);
    assert_int_equal(figures().faults[TALLY_SLAB_NOT_OUT], 0);
}

static void nobody_else_gets_a_block_that_is_waited_for(void **state)
{
    void *mem = buffer;

    (void)state;
    begin(0, 0, K_FOREVER);
    begin(1, 0, K_FOREVER);
    k_mem_slab_free(&slab, blocks[0]);
    assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_NO_WAIT), -ENOMEM);
    assert_null(mem);
    end(0);
    assert_ptr_equal(waiters[0].mem, blocks[0]);
    assert_false(is_done(1));
    k_mem_slab_free(&slab, blocks[1]);
    end(1);
    assert_ptr_equal(waiters[1].mem, blocks[1]);
}

static void a_timeout_leaves_the_pointer(void **state)
{
    (void)state;
    begin(0, 0, K_MSEC(100));
    fake_port_set_time_ns(99999999);
    assert_false(is_done(0));
    fake_port_set_time_ns(100000000);
    end(0);
    assert_int_equal(waiters[0].result, -EAGAIN);
    assert_ptr_equal(waiters[0].mem, buffer + 1);
    assert_int_equal(figures().timed_out, 1);
    assert_int_equal(figures().waiting, 0);
    assert_int_equal(figures().longest_wait_ns, 100000000);

    k_mem_slab_free(&slab, blocks[0]);
    assert_int_equal(k_mem_slab_num_used_get(&slab), BLOCKS - 1);
    assert_int_equal(k_mem_slab_alloc(&slab, &blocks[0], K_NO_WAIT), 0);
}

static void the_longest_wait_is_kept(void **state)
{
    (void)state;
    fake_port_set_time_ns(1000);
    begin(0, 0, K_FOREVER);
    fake_port_set_time_ns(6000);
    begin(1, 0, K_FOREVER);
    k_mem_slab_free(&slab, blocks[0]);
    fake_port_set_time_ns(7000);
    k_mem_slab_free(&slab, blocks[1]);
    end(0);
    end(1);
    assert_int_equal(figures().longest_wait_ns, 5000);
    assert_int_equal(figures().timed_out, 0);
}

/* Serve every `step`-th waiter from `first` on, in the expected order: by
   priority, of equals by number. */
static void serve_all(unsigned first, unsigned step, unsigned count)
{
    unsigned before = turns;

    for (unsigned turn = 1; turn <= count; turn++) {
        unsigned best = WAITERS;

        for (unsigned i = first; i < first + count * step; i += step) {
            if (waiters[i].turn == 0 &&
                (best == WAITERS ||
                 waiters[i].priority < waiters[best].priority))
                best = i;
        }
        k_mem_slab_free(&slab, blocks[0]);
        end(best);
        assert_int_equal(waiters[best].result, 0);
        assert_int_equal(waiters[best].turn, before + turn);
        assert_ptr_equal(waiters[best].mem, blocks[0]);
    }
}

static void the_most_urgent_is_served_then_who_waited_longest(void **state)
{
    struct random_sequence random = { 32 };

    (void)state;
    for (unsigned i = 0; i < WAITERS; i++)
        begin(i, (int)random_below(&random, 5) - 2, K_FOREVER);
    assert_int_equal(figures().waiting, WAITERS);
    serve_all(0, 1, WAITERS);
    assert_int_equal(figures().waiting, 0);
    assert_int_equal(k_mem_slab_num_used_get(&slab), BLOCKS);
}

static void those_who_timed_out_are_passed_over(void **state)
{
    enum { HALF = WAITERS / 2 };

    (void)state;
    for (unsigned i = 0; i < WAITERS; i++)
        begin(i, (int)(i % 3), i % 2 == 0 ? K_USEC(10) : K_FOREVER);
    fake_port_set_time_ns(10000);
    for (unsigned i = 0; i < WAITERS; i += 2) {
        end(i);
        assert_int_equal(waiters[i].result, -EAGAIN);
    }
    assert_int_equal(figures().waiting, HALF);
    assert_int_equal(figures().timed_out, HALF);
    serve_all(1, 2, HALF);
    assert_int_equal(figures().waiting, 0);
    assert_int_equal(figures().timed_out, HALF);
}

static void a_change_of_priority_counts_at_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        begin(i, 5, K_FOREVER);
    tally_thread_priority_change(waiters[2].thread, -1);
    waiters[2].priority = -1;
    tally_thread_priority_change(waiters[0].thread, 9);
    waiters[0].priority = 9;
    serve_all(0, 1, 4);
    assert_int_equal(waiters[2].turn, 1);
    assert_int_equal(waiters[0].turn, 4);
}

static void a_second_init_serves_who_waits(void **state)
{
    (void)state;
    begin(0, 3, K_FOREVER);
    begin(1, 1, K_FOREVER);
    begin(2, 2, K_FOREVER);
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, BLOCKS), 0);
    end(1);
    end(2);
    assert_ptr_equal(waiters[1].mem, buffer);
    assert_ptr_equal(waiters[2].mem, buffer + BLOCK);
    assert_false(is_done(0));
    assert_int_equal(figures().waiting, 1);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 2);
    k_mem_slab_free(&slab, buffer);
    end(0);
    assert_ptr_equal(waiters[0].mem, buffer);
}

static void a_negative_timeout_of_a_macro_does_not_wait(void **state)
{
    void *mem = buffer;

    (void)state;
    assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_MSEC(-1)), -ENOMEM);
    assert_null(mem);
    assert_int_equal(figures().waiting, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_freed_block_goes_to_the_waiter, open_slab),
        cmocka_unit_test_setup(nobody_else_gets_a_block_that_is_waited_for,
                               open_slab),
        cmocka_unit_test_setup(a_timeout_leaves_the_pointer, open_slab),
        cmocka_unit_test_setup(the_longest_wait_is_kept, open_slab),
        cmocka_unit_test_setup(
            the_most_urgent_is_served_then_who_waited_longest, open_slab),
        cmocka_unit_test_setup(those_who_timed_out_are_passed_over, open_slab),
        cmocka_unit_test_setup(a_change_of_priority_counts_at_once, open_slab),
        cmocka_unit_test_setup(a_second_init_serves_who_waits, open_slab),
        cmocka_unit_test_setup(a_negative_timeout_of_a_macro_does_not_wait,
                               open_slab),
    };

    return cmocka_run_group_tests_name("mem_slab_wait", tests, NULL, NULL);
}
