/* SPDX-License-Identifier: Apache-2.0 */
/* test_tag_of_thread.c - the tag in force of a thread that preempts another */
#include "tally/alloc_tag.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tally/port.h"
#include "tally/sys_heap.h"
#include "tests/fakes/fake_port.h"

static struct alloc_tag mine = { __FILE__, "mine", NULL, 1, 0, 0, 0 };
static struct alloc_tag theirs = { __FILE__, "theirs", NULL, 2, 0, 0, 0 };
static unsigned char memory[4096];
static struct sys_heap heap;
static struct alloc_tag *first_seen, *last_seen; /* by the other thread */
static uint32_t is_released;

static void *preempt(void *unused)
{
    struct alloc_tag *outer;

    (void)unused;
    first_seen = tally_current_tag;
    sys_heap_alloc(&heap, 10); /* charged to none */
    outer = alloc_tag_save(&theirs);
    sys_heap_alloc(&heap, 200);
    while (__atomic_load_n(&is_released, __ATOMIC_ACQUIRE) == 0)
        tally_port_wait(&is_released, 0, TALLY_PORT_FOREVER);
    last_seen = tally_current_tag;
    sys_heap_alloc(&heap, 300);
    alloc_tag_restore(&theirs, outer);
    return NULL;
}

static void each_thread_has_its_own_tag(void **state)
{
    struct alloc_tag *outer = alloc_tag_save(&mine);
    pthread_t other;

    (void)state;
    sys_heap_init(&heap, memory, sizeof memory);
    first_seen = &mine;
    sys_heap_alloc(&heap, 20);
    assert_int_equal(pthread_create(&other, NULL, preempt, NULL), 0);
    fake_port_await_sleepers(1);
    assert_null(first_seen);
    assert_ptr_equal(tally_current_tag, &mine);
    sys_heap_alloc(&heap, 30);
    __atomic_store_n(&is_released, 1, __ATOMIC_RELEASE);
    tally_port_wake(&is_released);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_ptr_equal(last_seen, &theirs);
    assert_ptr_equal(tally_current_tag, &mine);
    alloc_tag_restore(&mine, outer);
    assert_null(tally_current_tag);
    assert_int_equal(alloc_tag_read(&mine).bytes, 50);
    assert_int_equal(alloc_tag_read(&mine).calls, 2);
    assert_int_equal(alloc_tag_read(&theirs).bytes, 500);
    assert_int_equal(alloc_tag_read(&theirs).calls, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_its_own_tag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
