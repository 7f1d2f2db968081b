/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_forks.c - a child continues with slabs and heaps that threads were using
 *
 * Threads of the parent held guards, waited, or were about to. Each child uses
 * all slabs and heaps, and exits; an alarm ends a child that hangs.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally/k_heap.h"
#include "tally/mem_slab.h"
#include "tests/fakes/random_sequence.h"

enum { THREADS = 6, FORKS = 150, BLOCKS = 3, PATIENCE_S = 20, WRONG = 1 };

K_MEM_SLAB_DEFINE_STATIC(slab, 16, BLOCKS, 8);
K_HEAP_DEFINE(heap, 1000);
K_HEAP_DEFINE(other_heap, 4000);

static pthread_t threads[THREADS];
static bool is_over;

/* Wait for more blocks of both than there are. */
static void *use_all(void *argument)
{
    struct random_sequence random = { (uintptr_t)argument };

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        void *mem, *block, *grown;

        if (k_mem_slab_alloc(&slab, &mem, K_USEC(200)) == 0)
            k_mem_slab_free(&slab, mem);
        block =
            k_heap_alloc(&heap, 100 + random_below(&random, 500), K_USEC(100));
        k_heap_free(&heap, block);
        block = k_heap_alloc(&other_heap, 8, K_NO_WAIT);
        grown = k_heap_realloc(&other_heap, block, 80, K_NO_WAIT);
        k_heap_free(&other_heap, grown == NULL ? block : grown);
    }
    return NULL;
}

static void begin_all(void *(*run)(void *argument))
{
    is_over = false;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, run, (void *)(i + 1)), 0);
}

static void end_all(void)
{
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static bool can_use_heap(struct k_heap *used)
{
    void *block = k_heap_alloc(used, 16, K_MSEC(1));
    struct tally_k_heap_figures figures;

    if (!sys_heap_validate(&used->heap))
        return false;
    k_heap_free(used, block);
    return sys_heap_validate(&used->heap) &&
           tally_k_heap_figures_get(used, &figures) == 0 &&
           figures.waiting == 0;
}

/* Blocks of lost threads stay used; the rest can be allocated and freed. */
static bool can_use_slab(void)
{
    struct tally_slab_figures figures;
    void *mem[BLOCKS + 1];
    unsigned got = 0;

    while (got <= BLOCKS && k_mem_slab_alloc(&slab, &mem[got], K_MSEC(1)) == 0)
        got++;
    if (got > BLOCKS)
        return false;
    for (unsigned i = 0; i < got; i++)
        k_mem_slab_free(&slab, mem[i]);
    if (tally_mem_slab_figures_get(&slab, &figures) != 0 ||
        figures.waiting != 0 || figures.used != BLOCKS - got)
        return false;
    for (unsigned i = 0; i < got; i++) {
        if (k_mem_slab_alloc(&slab, &mem[i], K_NO_WAIT) != 0)
            return false;
    }
    return true;
}

static bool can_make_new_ones(void)
{
    static unsigned char memory[256] __aligned(8), region[1024] __aligned(8);
    static struct k_mem_slab made;
    static struct sys_heap heap_made;
    void *mem;

    if (k_mem_slab_init(&made, memory, 16, 2) != 0 ||
        k_mem_slab_alloc(&made, &mem, K_NO_WAIT) != 0)
        return false;
    k_mem_slab_free(&made, mem);
    sys_heap_init(&heap_made, region, sizeof region);
    mem = sys_heap_alloc(&heap_made, 100);
    sys_heap_free(&heap_made, mem);
    return mem != NULL && sys_heap_validate(&heap_made) &&
           tally_heap_next(NULL) != NULL && tally_mem_slab_next(NULL) != NULL;
}

static bool can_use_all(void)
{
    return can_use_slab() && can_use_heap(&heap) && can_use_heap(&other_heap) &&
           can_make_new_ones();
}

/* Fork a child that checks `is_right` and exits. */
static void fork_and_check(bool (*is_right)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        alarm(PATIENCE_S);
        _exit(is_right() ? 0 : WRONG);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void children_of_a_storm_use_everything(void **state)
{
    (void)state;
    begin_all(use_all);
    for (unsigned i = 0; i < FORKS; i++)
        fork_and_check(can_use_all);
    end_all();
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
    assert_true(can_use_all());
}

static void *taken[BLOCKS];

static void *wait_for_block(void *unused)
{
    void *mem;

    (void)unused;
    assert_int_equal(k_mem_slab_alloc(&slab, &mem, K_FOREVER), 0);
    k_mem_slab_free(&slab, mem);
    return NULL;
}

/* Freed blocks are not given to lost threads. */
static bool blocks_come_back(void)
{
    struct tally_slab_figures figures;
    void *mem;

    for (unsigned i = 0; i < BLOCKS; i++)
        k_mem_slab_free(&slab, taken[i]);
    tally_mem_slab_figures_get(&slab, &figures);
    if (figures.used != 0 || figures.waiting != 0)
        return false;
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (k_mem_slab_alloc(&slab, &mem, K_NO_WAIT) != 0)
            return false;
    }
    return k_mem_slab_alloc(&slab, &mem, K_NO_WAIT) == -ENOMEM;
}

static void await_waiting(uint32_t count)
{
    struct tally_slab_figures figures;
    struct timespec pause = { .tv_nsec = 100000 };

    do {
        nanosleep(&pause, NULL);
        tally_mem_slab_figures_get(&slab, &figures);
    } while (figures.waiting != count);
}

static void a_child_has_none_of_the_waiters(void **state)
{
    (void)state;
    assert_int_equal(k_mem_slab_init(&slab, slab.buffer, 16, BLOCKS), 0);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_equal(k_mem_slab_alloc(&slab, &taken[i], K_NO_WAIT), 0);
    begin_all(wait_for_block);
    await_waiting(THREADS);
    fork_and_check(blocks_come_back);
    for (unsigned i = 0; i < BLOCKS; i++)
        k_mem_slab_free(&slab, taken[i]);
    end_all();
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
}

static bool a_heap_serves_itself(void)
{
    void *most = k_heap_alloc(&heap, 600, K_NO_WAIT);

    if (most == NULL)
        return false;
    k_heap_free(&heap, most);
    return can_use_heap(&heap);
}

static void fork_in_handler(struct sys_heap *of, const void *mem,
                            enum tally_heap_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
    fork_and_check(a_heap_serves_itself);
}

/* A thread that holds the guard when it forks holds it in both processes. */
static bool a_handler_forks(void)
{
    tally_heap_on_fault(fork_in_handler);
    sys_heap_free(&other_heap.heap, &heap); /* not a block of it */
    k_heap_free(&other_heap, &heap);
    return can_use_heap(&other_heap);
}

static void a_fault_handler_may_fork(void **state)
{
    (void)state;
    fork_and_check(a_handler_forks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_of_a_storm_use_everything),
        cmocka_unit_test(a_child_has_none_of_the_waiters),
        cmocka_unit_test(a_fault_handler_may_fork),
    };

    return cmocka_run_group_tests_name("forks", tests, NULL, NULL);
}
