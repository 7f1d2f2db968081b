/* SPDX-License-Identifier: Apache-2.0 */
/* own_memory.c - memory of Tally itself */
#include "core/base/own_memory.h"

#if TALLY_HAS(OS)
static struct own_memory *first;

/* Order a thread that gets pages after the thread that freed them. The kernel
   ensures it, but race detectors do not see the kernel. */
static void come_after(void)
{
    static uint32_t turns;

    __atomic_fetch_add(&turns, 1, __ATOMIC_ACQ_REL);
}

static void enter(struct own_memory *own)
{
    uint32_t before =
        __atomic_fetch_or(&own->tag.flags, ALLOC_TAG_LISTED, __ATOMIC_ACQ_REL);
    struct own_memory *head = __atomic_load_n(&first, __ATOMIC_ACQUIRE);

    if ((before & ALLOC_TAG_LISTED) != 0)
        return;
    do {
        own->next = head;
    } while (!__atomic_compare_exchange_n(&first, &head, own, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

void *own_memory_alloc(struct own_memory *own, size_t size)
{
    void *pages = tally_port_pages_alloc(size);

    if (pages == NULL)
        return NULL;
    tally_port_pages_fill(pages, size);
    come_after();
    enter(own);
    __atomic_fetch_add(&own->live_bytes, size, __ATOMIC_RELAXED);
    __atomic_fetch_add(&own->live_calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&own->total_bytes, size, __ATOMIC_RELAXED);
    __atomic_fetch_add(&own->total_calls, 1, __ATOMIC_RELAXED);
    return pages;
}

void own_memory_free(struct own_memory *own, void *pages, size_t size)
{
    __atomic_fetch_sub(&own->live_bytes, size, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&own->live_calls, 1, __ATOMIC_RELAXED);
    come_after();
    tally_port_pages_free(pages, size);
}

void *own_memory_piece(struct own_memory *own, void **spare, size_t size)
{
    enum { PAGE = 4096 };
    unsigned char *page = NULL;
    void *piece;

    if (*spare == NULL)
        page = own_memory_alloc(own, PAGE);
    for (size_t i = 0; page != NULL && i < PAGE / size; i++) {
        *(void **)(void *)(page + i * size) = *spare;
        *spare = page + i * size;
    }
    piece = *spare;
    if (piece != NULL)
        *spare = *(void **)piece;
    return piece;
}

struct own_memory *own_memory_first(void)
{
    return __atomic_load_n(&first, __ATOMIC_ACQUIRE);
}
#else
typedef int own_memory_is_inline;
#endif
