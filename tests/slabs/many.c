/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many.c - hundreds of thousands of slabs and heaps, in structs of any contents
 *
 * Each init, walk and removal takes as long as the first. If their time grew
 * with the number of slabs, this would take minutes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/mem_slab.h>
#include <tally/sys_heap.h>

enum { COUNT = 200000, BLOCK = 16, ROUNDS = 4, HEAP_BYTES = 64 };

#define CHECK(what)                                                   \
    do {                                                              \
        if (!(what)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

static struct k_mem_slab slabs[COUNT];
static struct sys_heap heaps[COUNT];
static char blocks[COUNT][BLOCK] __aligned(8);
static char regions[COUNT][HEAP_BYTES] __aligned(8);

static void open_all(int garbage)
{
    memset(slabs, garbage, sizeof slabs);
    memset(heaps, garbage, sizeof heaps);
    for (unsigned i = 0; i < COUNT; i++) {
        CHECK(k_mem_slab_init(&slabs[i], blocks[i], BLOCK, 1) == 0);
        sys_heap_init(&heaps[i], regions[i], HEAP_BYTES);
    }
}

/* All are listed, once each, in the order of their first init. */
static void check_all(void)
{
    struct k_mem_slab *slab = NULL;
    struct sys_heap *heap = NULL;
    void *block;

    for (unsigned i = 0; i < COUNT; i++) {
        slab = tally_mem_slab_next(slab);
        heap = tally_heap_next(heap);
        CHECK(slab == &slabs[i] && heap == &heaps[i]);
        CHECK(k_mem_slab_num_free_get(slab) == 1);
        CHECK(k_mem_slab_alloc(slab, &block, K_NO_WAIT) == 0);
        CHECK(block == blocks[i]);
        CHECK(sys_heap_alloc(heap, 1) != NULL);
    }
    CHECK(tally_mem_slab_next(slab) == NULL);
    CHECK(tally_heap_next(heap) == NULL);
}

/* A frame whose slab goes away with it, where another slab lay at an offset. */
static __attribute__((noinline)) void on_the_stack(unsigned offset)
{
    _Alignas(16) unsigned char frame[2 * sizeof(struct k_mem_slab)];
    static char buffer[BLOCK] __aligned(8);
    struct k_mem_slab *slab = (struct k_mem_slab *)(void *)(frame + offset);

    memset(frame, (int)offset, sizeof frame);
    CHECK(k_mem_slab_init(slab, buffer, BLOCK, 1) == 0);
    CHECK(k_mem_slab_init(slab, buffer, BLOCK, 1) == 0);
    CHECK(k_mem_slab_num_used_get(slab) == 0);
}

int main(void)
{
    unsigned left = 0;

    for (int round = 0; round < ROUNDS; round++) {
        open_all(round == 0 ? 0 : 0x5a + round);
        check_all();
    }
    for (unsigned i = 0; i < 100000; i++)
        on_the_stack(i * 8 % (sizeof(struct k_mem_slab) + 8));
    for (struct k_mem_slab *slab = NULL; (slab = tally_mem_slab_next(slab));)
        left++;
    CHECK(left == COUNT + 1);
    for (unsigned i = 0; i < COUNT; i += 2) {
        tally_mem_slab_forget(&slabs[i]);
        tally_heap_forget(&heaps[i]);
    }
    for (unsigned i = 0; i < COUNT; i += 2)
        CHECK(tally_mem_slab_name(&slabs[i]) == NULL);
    left = 0;
    for (struct sys_heap *heap = NULL; (heap = tally_heap_next(heap));)
        CHECK(heap == &heaps[2 * left++ + 1]);
    CHECK(left == COUNT / 2);
    for (unsigned i = 0; i < COUNT; i += 2)
        CHECK(k_mem_slab_init(&slabs[i], blocks[i], BLOCK, 1) == 0);
    printf("%d slabs, %d heaps\n", COUNT, COUNT / 2);
    return 0;
}
