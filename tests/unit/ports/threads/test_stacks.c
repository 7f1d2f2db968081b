/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_stacks.c - stacks of threads, and libc's arenas, with known contents
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally/port.h"

enum { PAGE = 4096, STACK = 1 << 20, DEEP = 50 * PAGE, MOST = 64 };

static uint32_t own_asked; /* kinds, as bits */

/* The core's heaps and slabs, which are not linked here. */
void tally_own_regions(enum zpl_memory_region kind, tally_port_region_fn tell,
                       void *context)
{
    own_asked |= 1u << kind;
    tell(context, &(struct tally_port_region){
                      .address = kind, .kind = kind, .name = "own" });
}

struct found {
    struct tally_port_region stacks[MOST];
    char names[MOST][16];
    size_t count;
};

static void take_stack(void *context, const struct tally_port_region *stack)
{
    struct found *found = context;

    assert_true(found->count < MOST);
    found->stacks[found->count] = *stack;
    strncpy(found->names[found->count], stack->name == NULL ? "" : stack->name,
            15);
    found->count++;
}

static const struct tally_port_region *find(struct found *found,
                                            uint32_t thread)
{
    memset(found, 0, sizeof *found);
    tally_port_each_region(ZPL_STACK, take_stack, found);
    for (size_t i = 0; i < found->count; i++) {
        if (found->stacks[i].thread == thread)
            return &found->stacks[i];
    }
    return NULL;
}

struct worker {
    pthread_t thread;
    pthread_barrier_t barrier;
    uint32_t id;
    size_t bytes; /* bytes to write on the stack */
};

static __attribute__((noinline)) void write_to_stack(size_t size)
{
    volatile char *bytes = __builtin_alloca(size);

    for (size_t i = size; i > 0; i -= i < PAGE ? i : PAGE)
        bytes[i - 1] = 1;
}

static void *work(void *context)
{
    struct worker *worker = context;

    worker->id = (uint32_t)syscall(SYS_gettid);
    pthread_setname_np(pthread_self(), "worker");
    pthread_barrier_wait(&worker->barrier);
    pthread_barrier_wait(&worker->barrier);
    write_to_stack(worker->bytes);
    pthread_barrier_wait(&worker->barrier);
    pthread_barrier_wait(&worker->barrier);
    return NULL;
}

static void start(struct worker *worker, size_t bytes, void *stack)
{
    pthread_attr_t attributes;

    worker->bytes = bytes;
    pthread_barrier_init(&worker->barrier, NULL, 2);
    pthread_attr_init(&attributes);
    if (stack != NULL)
        pthread_attr_setstack(&attributes, stack, STACK);
    else
        pthread_attr_setstacksize(&attributes, STACK);
    assert_int_equal(pthread_create(&worker->thread, &attributes, work, worker),
                     0);
    pthread_attr_destroy(&attributes);
    pthread_barrier_wait(&worker->barrier);
}

static void go_on(struct worker *worker)
{
    pthread_barrier_wait(&worker->barrier);
}

static void end(struct worker *worker)
{
    pthread_join(worker->thread, NULL);
    pthread_barrier_destroy(&worker->barrier);
}

static void the_cores_regions_are_among_them(void **state)
{
    struct found found = { 0 };

    (void)state;
    own_asked = 0;
    tally_port_each_region(ZPL_K_HEAP, take_stack, &found);
    tally_port_each_region(ZPL_MEM_SLAB, take_stack, &found);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.stacks[0].kind, ZPL_K_HEAP);
    assert_string_equal(found.names[1], "own");
    found.count = 0;
    tally_port_each_region(ZPL_HEAP, take_stack, &found);
    assert_true(found.count > 0);
    assert_string_equal(found.names[found.count - 1], "own");
    assert_int_equal(own_asked,
                     1u << ZPL_HEAP | 1u << ZPL_K_HEAP | 1u << ZPL_MEM_SLAB);
}

static void depth_is_told_of_threads_that_sleep(void **state)
{
    struct worker worker;
    struct found found;
    size_t depth = 0;

    (void)state;
    start(&worker, 0, NULL);
    assert_non_null(find(&found, worker.id));
    for (unsigned i = 0; depth == 0 && i < 1000; i++) {
        depth = tally_port_stack_depth(worker.id); /* until it waits */
        usleep(1000);
    }
    assert_in_range(depth, 64, STACK);
    assert_in_range(tally_port_stack_depth((uint32_t)getpid()), 64,
                    8 * 1024 * 1024);
    assert_int_equal(tally_port_stack_depth(1), 0);
    for (unsigned i = 0; i < 3; i++)
        go_on(&worker);
    end(&worker);
}

static void a_stack_of_the_programs_own_is_found(void **state)
{
    static _Alignas(PAGE) char memory[STACK];
    struct worker worker;
    struct found found;
    const struct tally_port_region *stack;

    (void)state;
    start(&worker, DEEP, memory);
    stack = find(&found, worker.id);
    assert_non_null(stack);
    /* The mapping is larger than the stack: it has other data of the
       program. */
    assert_true(stack->address <= (uintptr_t)memory);
    assert_int_equal(stack->address + stack->used + stack->unused,
                     (uintptr_t)memory + STACK);
    for (unsigned i = 0; i < 3; i++)
        go_on(&worker);
    end(&worker);
}

static void the_first_threads_grows(void **state)
{
    struct found found;
    const struct tally_port_region *stack;
    size_t before;

    (void)state;
    stack = find(&found, (uint32_t)getpid());
    assert_non_null(stack);
    before = stack->used;
    write_to_stack(before + DEEP);
    stack = find(&found, (uint32_t)getpid());
    assert_non_null(stack);
    assert_in_range(stack->used, before + DEEP, before + 2 * DEEP);
    assert_true((uintptr_t)&before - stack->address <
                stack->used + stack->unused);
}

/* Sanitizers have their own allocator, and use more stack. */
#if !IS_SANITIZED

static void a_threads_stack_shows_what_it_used(void **state)
{
    struct worker worker;
    struct found found;
    const struct tally_port_region *stack;
    size_t before;

    (void)state;
    start(&worker, DEEP, NULL);
    stack = find(&found, worker.id);
    assert_non_null(stack);
    assert_string_equal(found.names[stack - found.stacks], "worker");
    assert_in_range(stack->used + stack->unused, STACK - PAGE, STACK);
    before = stack->used;
    assert_in_range(before, PAGE, 8 * PAGE);
    go_on(&worker);
    go_on(&worker);
    stack = find(&found, worker.id);
    assert_non_null(stack);
    assert_in_range(stack->used, DEEP, DEEP + before);
    assert_int_equal(stack->used % PAGE, 0);
    go_on(&worker);
    end(&worker);
    /* The kernel lists a thread a little longer than it can be joined. */
    for (int i = 0; i < 1000 && find(&found, worker.id) != NULL; i++)
        usleep(1000);
    assert_null(find(&found, worker.id));
}

struct heaps {
    struct tally_port_region heaps[MOST];
    size_t count;
};

static void take_heap(void *context, const struct tally_port_region *heap)
{
    struct heaps *heaps = context;

    if (heap->name != NULL && strcmp(heap->name, "own") == 0)
        return;
    assert_true(heaps->count < MOST);
    heaps->heaps[heaps->count++] = *heap;
}

static void read_heaps(struct heaps *heaps)
{
    heaps->count = 0;
    tally_port_each_region(ZPL_HEAP, take_heap, heaps);
}

static void an_arena_shows_what_is_allocated(void **state)
{
    enum { BLOCKS = 50, BYTES = 2000, CHUNK = 2016 };
    static void *blocks[BLOCKS];
    struct heaps before, after;

    (void)state;
    read_heaps(&before); /* its own allocations are done now */
    read_heaps(&before);
    assert_true(before.count >= 1);
    for (unsigned i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(BYTES);
    read_heaps(&after);
    assert_int_equal(after.heaps[0].address, before.heaps[0].address);
    assert_int_equal(after.heaps[0].used - before.heaps[0].used,
                     BLOCKS * CHUNK);
    for (unsigned i = 0; i < BLOCKS; i++)
        free(blocks[i]);
}

static void a_mapped_block_is_a_region(void **state)
{
    struct heaps heaps;
    void *volatile block;

    (void)state;
    block = malloc(1 << 22);
    read_heaps(&heaps);
    assert_int_equal(heaps.heaps[heaps.count - 1].used, (1 << 22) + PAGE);
    assert_int_equal(heaps.heaps[heaps.count - 1].unused, 0);
    free(block);
}

#endif /* !IS_SANITIZED */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cores_regions_are_among_them),
        cmocka_unit_test(depth_is_told_of_threads_that_sleep),
        cmocka_unit_test(a_stack_of_the_programs_own_is_found),
        cmocka_unit_test(the_first_threads_grows),
#if !IS_SANITIZED
        cmocka_unit_test(a_threads_stack_shows_what_it_used),
        cmocka_unit_test(an_arena_shows_what_is_allocated),
        cmocka_unit_test(a_mapped_block_is_a_region),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
