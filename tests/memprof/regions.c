/* SPDX-License-Identifier: Apache-2.0 */
/* regions.c - slabs and heaps are sampled like malloc */
#include <errno.h>
#include <stdlib.h>

#include "tally/k_heap.h"
#include "tally/mem_slab.h"
#include "tally/sys_heap.h"
#include "tests/memprof/tracker.h"

K_MEM_SLAB_DEFINE_STATIC(slab, 64, 4, 8);
K_HEAP_DEFINE(shared, 65536);
static char region[65536] __attribute__((aligned(16)));
static struct sys_heap heap;

static void expect_last(size_t bytes)
{
    CHECK_IS(last.bytes, bytes);
    CHECK_IS(last.n_samples, (bytes + 7) / 8 + 1);
    CHECK_IS(last.source, MEMPROF_NORMAL);
}

static void check_slab(void)
{
    void *block, *others[4];

    CHECK_IS(k_mem_slab_alloc(&slab, &block, K_NO_WAIT), 0);
    expect_last(64);
    expect("slab", 1, 0, 0, 0, 0);
    memprof_advance();
    k_mem_slab_free(&slab, block);
    expect("slab freed", 0, 0, 1, 0, 1);
    for (int i = 0; i < 4; i++)
        CHECK_IS(k_mem_slab_alloc(&slab, &others[i], K_NO_WAIT), 0);
    CHECK(k_mem_slab_alloc(&slab, &block, K_NO_WAIT) != 0);
    for (int i = 0; i < 4; i++)
        k_mem_slab_free(&slab, others[i]);
    expect("a full slab", 4, 0, 0, 4, 0);
}

static void check_k_heap(void)
{
    void *block = k_heap_alloc(&shared, 100, K_NO_WAIT), *moved;

    expect_last(100);
    moved = k_heap_realloc(&shared, block, 5000, K_NO_WAIT);
    expect_last(5000);
    expect("k_heap", 1, 1, 0, 1, 0);
    CHECK(k_heap_realloc(&shared, moved, 1000000, K_NO_WAIT) == NULL);
    CHECK(k_heap_alloc(&shared, 1000000, K_NO_WAIT) == NULL);
    expect("k_heap refused", 0, 0, 0, 0, 0);
    k_heap_free(&shared, moved);
    k_heap_free(&shared, NULL);
    expect("k_heap freed", 0, 0, 0, 0, 1);
    k_heap_free(&shared, k_heap_calloc(&shared, 3, 10, K_NO_WAIT));
    expect_last(30);
    k_heap_free(&shared, k_heap_aligned_alloc(&shared, 64, 7, K_NO_WAIT));
    expect_last(7);
    expect("other forms", 2, 0, 0, 2, 0);
}

static void check_sys_heap(void)
{
    void *block = sys_heap_alloc(&heap, 100);

    expect_last(100);
    block = sys_heap_realloc(&heap, block, 200);
    expect_last(200);
    sys_heap_free(&heap, block);
    expect("sys_heap", 2, 0, 0, 2, 0);
    block = sys_heap_realloc(&heap, NULL, 40);
    expect_last(40);
    CHECK(sys_heap_realloc(&heap, block, 0) == NULL);
    expect("sys_heap, as malloc and free", 1, 0, 0, 1, 0);
}

/* The program's call comes first; without the recorder there are no stacks. */
static uintptr_t frames[4];
static volatile size_t frame_count;

static void *keep_frames(const struct memprof_allocation *allocation,
                         void *context)
{
    (void)context;
    frame_count = allocation->callstack_size;
    if (frame_count >= 2)
        memcpy(frames, allocation->callstack, 2 * sizeof frames[0]);
    return NULL;
}

enum { FORMS = 9, FUNCTION_BYTES = 1024 };

static __attribute__((noinline)) void *allocate(int form)
{
    void *block = NULL;

    switch (form) {
    case 0:
        k_mem_slab_alloc(&slab, &block, K_NO_WAIT);
        break;
    case 1:
        block = k_heap_alloc(&shared, 10, K_NO_WAIT);
        break;
    case 2:
        block = k_heap_calloc(&shared, 1, 10, K_NO_WAIT);
        break;
    case 3:
        block = k_heap_aligned_alloc(&shared, 64, 10, K_NO_WAIT);
        break;
    case 4:
        block = k_heap_realloc(&shared, NULL, 10, K_NO_WAIT);
        break;
    case 5:
        block = sys_heap_alloc(&heap, 10);
        break;
    case 6:
        block = sys_heap_aligned_alloc(&heap, 64, 10);
        break;
    case 7:
        block = sys_heap_realloc(&heap, NULL, 10);
        break;
    default:
        block =
            sys_heap_aligned_realloc(&heap, sys_heap_alloc(&heap, 10), 64, 100);
    }
    return block;
}

static void give_back(int form, void *block)
{
    if (form == 0)
        k_mem_slab_free(&slab, block);
    else if (form < 5)
        k_heap_free(&shared, block);
    else
        sys_heap_free(&heap, block);
}

static void check_stacks(void)
{
    const struct memprof_tracker keeping = { .alloc_minor = keep_frames };
    struct memprof *profile;

    CHECK_IS(memprof_start(1, INT_MAX, &keeping, &profile), 0);
    for (int form = 0; form < FORMS; form++) {
        void *block;

        frame_count = 0;
        block = allocate(form);
        CHECK(block != NULL);
        if (frame_count != 0) {
            CHECK(frame_count >= 3);
            CHECK(frames[0] - (uintptr_t)allocate < FUNCTION_BYTES);
            CHECK(frames[1] - (uintptr_t)check_stacks < FUNCTION_BYTES);
        }
        CHECK(frame_count != 0 || getenv("LD_PRELOAD") == NULL);
        give_back(form, block);
    }
    end(profile);
}

static void *reject(const struct memprof_allocation *allocation, void *context)
{
    (void)allocation;
    (void)context;
    return MEMPROF_REJECT;
}

static void check_reject(void)
{
    const struct memprof_tracker rejecting = { .alloc_minor = reject };
    struct memprof *profile;
    void *block;

    CHECK_IS(memprof_start(1, 0, &rejecting, &profile), 0);
    CHECK_IS(k_mem_slab_alloc(&slab, &block, K_NO_WAIT), -ENOMEM);
    CHECK(block == NULL);
    CHECK(k_heap_alloc(&shared, 10, K_NO_WAIT) == NULL);
    CHECK(sys_heap_alloc(&heap, 10) == NULL);
    end(profile);
    CHECK_IS(k_mem_slab_num_used_get(&slab), 0);
}

int main(void)
{
    struct memprof *profile;

    setvbuf(stderr, NULL, _IONBF, 0);
    sys_heap_init(&heap, region, sizeof region);
    profile = start_at(1);
    forget_all();
    check_slab();
    check_k_heap();
    check_sys_heap();
    end(profile);
    check_stacks();
    check_reject();
    return end_of_test();
}
