/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_slab_alone.c - a slab of a process with one thread and signal
 * handlers
 *
 * A timer interrupts the thread anywhere; its handler allocates and frees
 * blocks, too. No thread is created until the last test.
 */
#include "tally/mem_slab.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { BLOCK = 16, MOST = 40000, HELD = 6, SIGNALS = 4000, TICK_US = 40 };

static unsigned char buffer[BLOCK * MOST] __aligned(4);
static struct k_mem_slab slab;
static unsigned broken;
static volatile sig_atomic_t signals;

/* Blocks of an owner, whose number is in each word of them. */
struct holder {
    struct random_sequence random;
    uint32_t number;
    uint32_t *blocks[HELD];
};

static struct holder program = { .random = { 1 }, .number = 0x11111111 };
static struct holder handler = { .random = { 2 }, .number = 0x22222222 };
static struct holder other = { .random = { 3 }, .number = 0x33333333 };

static void count_broken(void)
{
    __atomic_fetch_add(&broken, 1, __ATOMIC_RELAXED);
}

static void only_count(struct k_mem_slab *of, const void *mem,
                       enum tally_slab_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
    count_broken();
}

/* Allocate a block, or free one after checking its contents. */
static void step(struct holder *holder)
{
    uint32_t **slot = &holder->blocks[random_below(&holder->random, HELD)];
    void *mem;

    if (*slot != NULL) {
        for (unsigned i = 0; i < BLOCK / 4; i++) {
            if ((*slot)[i] != holder->number)
                count_broken();
        }
        k_mem_slab_free(&slab, *slot);
        *slot = NULL;
    } else if (k_mem_slab_alloc(&slab, &mem, K_NO_WAIT) == 0) {
        *slot = mem;
        for (unsigned i = 0; i < BLOCK / 4; i++)
            (*slot)[i] = holder->number;
    }
}

static void give_all(struct holder *holder)
{
    for (unsigned i = 0; i < HELD; i++) {
        if (holder->blocks[i] != NULL)
            k_mem_slab_free(&slab, holder->blocks[i]);
        holder->blocks[i] = NULL;
    }
}

static void on_timer(int number)
{
    (void)number;
    for (unsigned i = 0; i < 8; i++)
        step(&handler);
    signals++;
}

static void set_timer(unsigned microseconds)
{
    struct itimerval timer = {
        .it_interval.tv_usec = microseconds,
        .it_value.tv_usec = microseconds,
    };

    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void run_with_timer(uint32_t blocks)
{
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, blocks), 0);
    tally_mem_slab_on_fault(only_count);
    broken = 0;
    signals = 0;
    signal(SIGALRM, on_timer);
    set_timer(TICK_US);
    while (signals < SIGNALS)
        step(&program);
    set_timer(0);
    give_all(&program);
    give_all(&handler);
    assert_int_equal(broken, 0);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
}

/* All blocks are there, once each. */
static void take_all(uint32_t blocks)
{
    static bool is_out[MOST];
    void *mem;

    memset(is_out, 0, sizeof is_out);
    for (uint32_t i = 0; i < blocks; i++) {
        size_t at;

        assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_NO_WAIT), 0);
        at = (size_t)((unsigned char *)mem - buffer) / BLOCK;
        assert_false(is_out[at]);
        is_out[at] = true;
    }
    assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_NO_WAIT), -ENOMEM);
    assert_int_equal(broken, 0);
}

static void a_handler_shares_few_blocks(void **state)
{
    (void)state;
    run_with_timer(HELD);
    take_all(HELD);
}

static void a_handler_shares_many_blocks(void **state)
{
    (void)state;
    run_with_timer(MOST);
    take_all(MOST);
}

static void a_block_freed_twice_is_refused(void **state)
{
    void *mem;

    (void)state;
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, 2), 0);
    assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_NO_WAIT), 0);
    broken = 0;
    k_mem_slab_free(&slab, mem);
    assert_int_equal(broken, 0);
    k_mem_slab_free(&slab, mem);
    assert_int_equal(broken, 1);
    broken = 0;
    take_all(2);
}

static void *work(void *argument)
{
    struct holder *holder = argument;

    for (unsigned i = 0; i < 200000; i++)
        step(holder);
    give_all(holder);
    return NULL;
}

/* The last test: from now on the process has had a second thread. */
static void a_thread_that_comes_later_shares_them_too(void **state)
{
    pthread_t thread;
    void *mem;

    (void)state;
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, HELD), 0);
    assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_NO_WAIT), 0);
    broken = 0;
    assert_int_equal(pthread_create(&thread, NULL, work, &other), 0);
    work(&program);
    assert_int_equal(pthread_join(thread, NULL), 0);
    k_mem_slab_free(&slab, mem);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
    take_all(HELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_shares_few_blocks),
        cmocka_unit_test(a_handler_shares_many_blocks),
        cmocka_unit_test(a_block_freed_twice_is_refused),
        cmocka_unit_test(a_thread_that_comes_later_shares_them_too),
    };

    return cmocka_run_group_tests_name("mem_slab_alone", tests, NULL, NULL);
}
