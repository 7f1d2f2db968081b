/* SPDX-License-Identifier: Apache-2.0 */
/* test_tell.c - operations of slabs and heaps are one event each */
#include "core/observers/tell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tally/k_heap.h"
#include "tally/mem_slab.h"
#include "tally/sys_heap.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/run_alone.h"

enum { BLOCK = 32, MOST = 8 };

K_MEM_SLAB_DEFINE_STATIC(slab, BLOCK, 2, 8);
K_HEAP_DEFINE(shared, 1024);
static char region[1024] __attribute__((aligned(16)));
static struct sys_heap heap;

struct event {
    uint8_t op;
    void *res, *ptr;
    size_t count, size;
};

static struct event events[MOST];
static unsigned count;

static void keep(uint8_t op, void *res, void *caller, ...)
{
    struct event event = { .op = op, .res = res };
    va_list given;

    assert_non_null(caller);
    va_start(given, caller);
    if (op == MBED_MEM_TRACE_REALLOC || op == MBED_MEM_TRACE_FREE)
        event.ptr = va_arg(given, void *);
    if (op == MBED_MEM_TRACE_CALLOC)
        event.count = va_arg(given, size_t);
    if (op != MBED_MEM_TRACE_FREE)
        event.size = va_arg(given, size_t);
    va_end(given);
    assert_in_range(count, 0, MOST - 1);
    events[count++] = event;
}

/* The only event since. */
static void assert_told(uint8_t op, void *res, void *ptr, size_t number,
                        size_t size)
{
    assert_int_equal(count, 1);
    assert_int_equal(events[0].op, op);
    assert_ptr_equal(events[0].res, res);
    assert_ptr_equal(events[0].ptr, ptr);
    assert_int_equal(events[0].count, number);
    assert_int_equal(events[0].size, size);
    count = 0;
}

static void slabs_tell(void **state)
{
    void *one, *two, *none;

    (void)state;
    mbed_mem_trace_set_callback(keep);
    assert_int_equal(k_mem_slab_alloc(&slab, &one, K_NO_WAIT), 0);
    assert_told(MBED_MEM_TRACE_MALLOC, one, NULL, 0, BLOCK);
    assert_int_equal(k_mem_slab_alloc(&slab, &two, K_FOREVER), 0);
    assert_told(MBED_MEM_TRACE_MALLOC, two, NULL, 0, BLOCK);
    assert_int_not_equal(k_mem_slab_alloc(&slab, &none, K_NO_WAIT), 0);
    assert_told(MBED_MEM_TRACE_MALLOC, NULL, NULL, 0, BLOCK);
    k_mem_slab_free(&slab, one);
    assert_told(MBED_MEM_TRACE_FREE, NULL, one, 0, 0);
    k_mem_slab_free(&slab, two);
    assert_told(MBED_MEM_TRACE_FREE, NULL, two, 0, 0);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
}

static void sys_heaps_tell(void **state)
{
    void *block, *moved;

    (void)state;
    sys_heap_init(&heap, region, sizeof region);
    mbed_mem_trace_set_callback(keep);
    block = sys_heap_alloc(&heap, 40);
    assert_told(MBED_MEM_TRACE_MALLOC, block, NULL, 0, 40);
    moved = sys_heap_realloc(&heap, block, 200);
    assert_told(MBED_MEM_TRACE_REALLOC, moved, block, 0, 200);
    assert_null(sys_heap_realloc(&heap, moved, 0));
    assert_told(MBED_MEM_TRACE_REALLOC, NULL, moved, 0, 0);
    block = sys_heap_realloc(&heap, NULL, 50);
    assert_told(MBED_MEM_TRACE_REALLOC, block, NULL, 0, 50);
    sys_heap_free(&heap, block);
    assert_told(MBED_MEM_TRACE_FREE, NULL, block, 0, 0);
    block = sys_heap_aligned_alloc(&heap, 64, 10);
    assert_told(MBED_MEM_TRACE_MALLOC, block, NULL, 0, 10);
    assert_null(sys_heap_alloc(&heap, 100000));
    assert_told(MBED_MEM_TRACE_MALLOC, NULL, NULL, 0, 100000);
    sys_heap_free(&heap, NULL);
    assert_told(MBED_MEM_TRACE_FREE, NULL, NULL, 0, 0);
}

static void k_heaps_tell(void **state)
{
    void *block, *moved;

    (void)state;
    mbed_mem_trace_set_callback(keep);
    block = k_heap_alloc(&shared, 40, K_NO_WAIT);
    assert_told(MBED_MEM_TRACE_MALLOC, block, NULL, 0, 40);
    moved = k_heap_realloc(&shared, block, 90, K_FOREVER);
    assert_told(MBED_MEM_TRACE_REALLOC, moved, block, 0, 90);
    block = k_heap_realloc(&shared, moved, 30, K_NO_WAIT);
    assert_told(MBED_MEM_TRACE_REALLOC, block, moved, 0, 30);
    assert_null(k_heap_realloc(&shared, block, 0, K_NO_WAIT));
    assert_told(MBED_MEM_TRACE_REALLOC, NULL, block, 0, 0);
    block = k_heap_calloc(&shared, 3, 7, K_NO_WAIT);
    assert_told(MBED_MEM_TRACE_CALLOC, block, NULL, 3, 7);
    k_heap_free(&shared, block);
    assert_told(MBED_MEM_TRACE_FREE, NULL, block, 0, 0);
    assert_null(k_heap_calloc(&shared, SIZE_MAX, 2, K_NO_WAIT));
    assert_told(MBED_MEM_TRACE_CALLOC, NULL, NULL, SIZE_MAX, 2);
    assert_null(k_heap_aligned_alloc(&shared, 64, 100000, K_NO_WAIT));
    assert_told(MBED_MEM_TRACE_MALLOC, NULL, NULL, 0, 100000);
    k_heap_free(&shared, NULL);
    assert_told(MBED_MEM_TRACE_FREE, NULL, NULL, 0, 0);
}

static void nobody_is_told_without_a_callback(void **state)
{
    void *block;

    (void)state;
    mbed_mem_trace_set_callback(keep);
    mbed_mem_trace_set_callback(NULL);
    assert_int_equal(k_mem_slab_alloc(&slab, &block, K_NO_WAIT), 0);
    k_mem_slab_free(&slab, block);
    k_heap_free(&shared, k_heap_alloc(&shared, 1, K_NO_WAIT));
    assert_int_equal(count, 0);
}

static unsigned used_in_callback;

static void uses_all(uint8_t op, void *res, void *caller, ...)
{
    void *block;

    (void)op;
    (void)res;
    (void)caller;
    used_in_callback++;
    if (k_mem_slab_alloc(&slab, &block, K_NO_WAIT) == 0)
        k_mem_slab_free(&slab, block);
    k_heap_free(&shared, k_heap_alloc(&shared, 9, K_NO_WAIT));
    sys_heap_free(&heap, sys_heap_alloc(&heap, 9));
}

static void callback_may_use_them(void **state)
{
    void *block;

    (void)state;
    sys_heap_init(&heap, region, sizeof region);
    mbed_mem_trace_set_callback(uses_all);
    assert_int_equal(k_mem_slab_alloc(&slab, &block, K_NO_WAIT), 0);
    k_mem_slab_free(&slab, block);
    k_heap_free(&shared, k_heap_alloc(&shared, 9, K_NO_WAIT));
    sys_heap_free(&heap, sys_heap_alloc(&heap, 9));
    assert_int_equal(used_in_callback, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_tell),
        cmocka_unit_test(sys_heaps_tell),
        cmocka_unit_test(k_heaps_tell),
        cmocka_unit_test(nobody_is_told_without_a_callback),
        cmocka_unit_test(callback_may_use_them),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
