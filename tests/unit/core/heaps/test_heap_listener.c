/* SPDX-License-Identifier: Apache-2.0 */
/* test_heap_listener.c - calls of listeners, and their sums */
#include "tally/heap_listener.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tally/sys_heap.h"
#include "tests/fakes/fake_port.h"

enum { EVENTS = 16 };

struct event {
    enum heap_event_types type;
    void *mem;
    size_t bytes;
};

static struct sys_heap watched, other;
static _Alignas(8) unsigned char memory[2][1024];
static struct event events[EVENTS];
static unsigned count;

static void note(uintptr_t heap_id, enum heap_event_types type, void *mem,
                 size_t bytes)
{
    assert_int_equal(heap_id, HEAP_ID_FROM_POINTER(&watched));
    assert_in_range(count, 0, EVENTS - 1);
    events[count++] = (struct event){ type, mem, bytes };
}

static void on_alloc(uintptr_t heap_id, void *mem, size_t bytes)
{
    note(heap_id, HEAP_ALLOC, mem, bytes);
}

static void on_free(uintptr_t heap_id, void *mem, size_t bytes)
{
    note(heap_id, HEAP_FREE, mem, bytes);
}

static void on_resize(uintptr_t heap_id, void *old_heap_end, void *new_heap_end)
{
    (void)old_heap_end;
    note(heap_id, HEAP_RESIZE, new_heap_end, 0);
}

static HEAP_LISTENER_ALLOC_DEFINE(allocs, HEAP_ID_FROM_POINTER(&watched),
                                  on_alloc);
static HEAP_LISTENER_FREE_DEFINE(frees, HEAP_ID_FROM_POINTER(&watched),
                                 on_free);
static HEAP_LISTENER_RESIZE_DEFINE(resizes, HEAP_ID_FROM_POINTER(&watched),
                                   on_resize);

static int register_all(void **state)
{
    (void)state;
    sys_heap_init(&watched, memory[0], sizeof memory[0]);
    sys_heap_init(&other, memory[1], sizeof memory[1]);
    heap_listener_register(&allocs);
    heap_listener_register(&frees);
    heap_listener_register(&resizes);
    count = 0;
    return 0;
}

static int unregister_all(void **state)
{
    (void)state;
    heap_listener_unregister(&allocs);
    heap_listener_unregister(&frees);
    heap_listener_unregister(&resizes);
    assert_int_equal(fake_port_lock_depth(), 0);
    return 0;
}

static void assert_event(unsigned index, enum heap_event_types type, void *mem,
                         size_t bytes)
{
    assert_in_range(index, 0, count - 1);
    assert_int_equal(events[index].type, type);
    assert_ptr_equal(events[index].mem, mem);
    assert_int_equal(events[index].bytes, bytes);
}

static void only_the_heap_that_is_watched_tells(void **state)
{
    void *mem = sys_heap_alloc(&watched, 100);

    (void)state;
    sys_heap_free(&other, sys_heap_alloc(&other, 100));
    sys_heap_free(&watched, mem);
    assert_null(sys_heap_alloc(&watched, 5000));
    assert_int_equal(count, 2);
    assert_event(0, HEAP_ALLOC, mem, 112);
    assert_event(1, HEAP_FREE, mem, 112);
}

static void a_realloc_is_an_alloc_and_then_a_free(void **state)
{
    void *mem = sys_heap_alloc(&watched, 24);
    void *next = sys_heap_alloc(&watched, 8);
    void *moved;

    (void)state;
    assert_ptr_equal(sys_heap_realloc(&watched, next, 56), next);
    assert_ptr_equal(sys_heap_realloc(&watched, next, 50), next);
    moved = sys_heap_realloc(&watched, mem, 32);
    assert_int_equal(count, 6);
    assert_event(2, HEAP_ALLOC, next, 64);
    assert_event(3, HEAP_FREE, next, 16);
    assert_event(4, HEAP_ALLOC, moved, 40);
    assert_event(5, HEAP_FREE, mem, 32);
}

static void the_sum_over_all_events_is_what_is_allocated(void **state)
{
    struct sys_memory_stats stats;
    size_t sum = 0;
    void *mem = sys_heap_alloc(&watched, 1);

    (void)state;
    (void)sys_heap_aligned_alloc(&watched, 128, 77);
    (void)sys_heap_realloc(&watched, mem, 300);
    assert_int_equal(sys_heap_runtime_stats_get(&watched, &stats), 0);
    for (unsigned i = 0; i < count; i++)
        sum += events[i].type == HEAP_ALLOC ? events[i].bytes
                                            : 0 - events[i].bytes;
    assert_int_equal(sum, stats.allocated_bytes);
}

static void registering_twice_is_registering_once(void **state)
{
    (void)state;
    heap_listener_register(&allocs);
    (void)sys_heap_alloc(&watched, 8);
    assert_int_equal(count, 1);
    heap_listener_unregister(&allocs);
    heap_listener_unregister(&allocs);
    (void)sys_heap_alloc(&watched, 8);
    assert_int_equal(count, 1);
}

static void other_allocators_can_tell(void **state)
{
    (void)state;
    heap_listener_notify_alloc(HEAP_ID_LIBC, memory, 8);
    heap_listener_notify_alloc(HEAP_ID_FROM_POINTER(&watched), memory, 8);
    heap_listener_notify_free(HEAP_ID_FROM_POINTER(&watched), memory, 9);
    heap_listener_notify_resize(HEAP_ID_FROM_POINTER(&watched), NULL, memory);
    assert_int_equal(count, 3);
    assert_event(0, HEAP_ALLOC, memory, 8);
    assert_event(1, HEAP_FREE, memory, 9);
    assert_event(2, HEAP_RESIZE, memory, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define LISTENER_TEST(name) \
    cmocka_unit_test_setup_teardown(name, register_all, unregister_all)
        LISTENER_TEST(only_the_heap_that_is_watched_tells),
        LISTENER_TEST(a_realloc_is_an_alloc_and_then_a_free),
        LISTENER_TEST(the_sum_over_all_events_is_what_is_allocated),
        LISTENER_TEST(registering_twice_is_registering_once),
        LISTENER_TEST(other_allocators_can_tell),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
