/* SPDX-License-Identifier: Apache-2.0 */
/* charged_to_tags.c - blocks of slabs and heaps are charged to hooks */
#include <stdio.h>

#include <tally/alloc_tag.h>
#include <tally/k_heap.h>
#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE_STATIC(slab, 48, 4, 8);
K_HEAP_DEFINE(shared, 2048);
static struct sys_heap heap;
static unsigned char region[2048];

static int failures;

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition); \
            failures++;                                            \
        }                                                          \
    } while (0)

/* Tags as made by DEFINE_ALLOC_TAG() inside a function. */
#define TAG(name)                                                           \
    static struct alloc_tag name                                            \
        __attribute__((section("alloc_tags"), aligned(sizeof(void *)))) = { \
            __FILE__, #name, NULL, __LINE__, 0, 0, 0                        \
        }

TAG(of_slab);
TAG(of_heap);
TAG(of_shared);
TAG(later);

static void ignore(struct k_mem_slab *of, const void *mem,
                   enum tally_slab_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
}

static void check(const struct alloc_tag *tag, unsigned bytes, unsigned calls,
                  unsigned total)
{
    struct alloc_tag_counters counters = alloc_tag_read(tag);

    if (counters.bytes == bytes && counters.calls == calls &&
        counters.total_bytes == total)
        return;
    printf("line %u: %u bytes, %u calls, %u ever\n", tag->lineno,
           (unsigned)counters.bytes, (unsigned)counters.calls,
           (unsigned)counters.total_bytes);
    failures++;
}

static void slabs(void)
{
    void *one, *two, *nobodys;

    CHECK(k_mem_slab_alloc(&slab, &nobodys, K_NO_WAIT) == 0);
    CHECK(alloc_hooks_tag(&of_slab, k_mem_slab_alloc(&slab, &one, K_NO_WAIT)) ==
          0);
    CHECK(alloc_hooks_tag(&of_slab, k_mem_slab_alloc(&slab, &two, K_FOREVER)) ==
          0);
    check(&of_slab, 96, 2, 96);
    k_mem_slab_free(&slab, one);
    check(&of_slab, 48, 1, 96);
    k_mem_slab_free(&slab, one); /* refused */
    k_mem_slab_free(&slab, nobodys);
    check(&of_slab, 48, 1, 96);
    k_mem_slab_free(&slab, two);
    check(&of_slab, 0, 0, 96);
}

static void heaps(void)
{
    void *one, *two;

    sys_heap_init(&heap, region, sizeof region);
    one = alloc_hooks_tag(&of_heap, sys_heap_alloc(&heap, 100));
    two = alloc_hooks_tag(&of_heap, sys_heap_aligned_alloc(&heap, 64, 33));
    check(&of_heap, 133, 2, 133);
    one = alloc_hooks_tag(&later, sys_heap_realloc(&heap, one, 900));
    check(&of_heap, 33, 1, 133);
    check(&later, 900, 1, 900);
    two = sys_heap_realloc(&heap, two, 10);
    check(&of_heap, 0, 0, 133);
    sys_heap_free(&heap, one);
    sys_heap_free(&heap, two);
    check(&later, 0, 0, 900);
}

static void shared_heaps(void)
{
    void *one, *two;

    one = alloc_hooks_tag(&of_shared, k_heap_alloc(&shared, 10, K_NO_WAIT));
    two = alloc_hooks_tag(&of_shared, k_heap_calloc(&shared, 3, 7, K_NO_WAIT));
    check(&of_shared, 31, 2, 31);
    one = alloc_hooks_tag(&of_shared,
                          k_heap_realloc(&shared, one, 500, K_NO_WAIT));
    check(&of_shared, 521, 2, 531);
    CHECK(k_heap_realloc(&shared, two, 0, K_FOREVER) == NULL);
    k_heap_free(&shared, one);
    check(&of_shared, 0, 0, 531);
}

int main(void)
{
    tally_mem_slab_on_fault(ignore);
    slabs();
    heaps();
    shared_heaps();
    printf("%s\n", failures == 0 ? "done" : "failed");
    return failures != 0;
}
