/* SPDX-License-Identifier: Apache-2.0 */
/* k_heap.h - part of tally/k_heap.h: structures and static definitions */
#ifndef TALLY_PRIVATE_K_HEAP_H
#define TALLY_PRIVATE_K_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"
#include "tally/private/object_list.h"
#include "tally/private/sys_heap.h"

TALLY_BEGIN_DECLS

struct tally_waiter;

/* All fields but the first are private. */
struct k_heap {
    struct sys_heap heap;
    struct tally_waiter *waiters;
    uint32_t guard;
    uint32_t passes;        /* times that the first waiter was passed over
                               since the last reservation */
    uint64_t kept_until_ns; /* time until which memory is reserved for the first
                               waiter */
    uint64_t keep_ns;       /* length of the next reservation */
    uint32_t refused, timed_out, waiting;
    uint64_t longest_wait_ns;
};

struct tally_k_heap_item {
    struct k_heap *heap;
    const char *name;
};

void tally_k_heaps_enter(struct tally_k_heap_item *start,
                         struct tally_k_heap_item *stop);
void tally_k_heaps_leave(struct tally_k_heap_item *start,
                         struct tally_k_heap_item *stop);

#define TALLY_K_HEAP_BYTES(bytes)                                            \
    ((size_t)(bytes) < TALLY_HEAP_SMALLEST_BYTES ? TALLY_HEAP_SMALLEST_BYTES \
                                                 : (size_t)(bytes))

#define TALLY_K_HEAP_OF(memory, bytes)               \
    {                                                \
        { (memory),          (bytes), NULL, 0, 0, 0, \
          { 0, 0, 0, 0 },    0,       0,    0, 0, 0, \
          { 0, 0, 0, 0, 0 }, NULL },                 \
            NULL, 0, 0, 0, 0, 0, 0, 0, 0             \
    }

/* Hosts: place heaps side by side, for k_heap_array_get(). */
#if TALLY_HAS(OS)
#define TALLY_K_HEAP_PLACE \
    __attribute__((section("tally_k_heap_objects"), aligned(sizeof(void *))))
#else
#define TALLY_K_HEAP_PLACE
#endif

TALLY_OBJECT_LIST(tally_k_heaps, struct tally_k_heap_item);

#if TALLY_HAS(OS)
extern struct k_heap __start_tally_k_heap_objects[] TALLY_ONE_IN_OBJECT;
extern struct k_heap __stop_tally_k_heap_objects[] TALLY_ONE_IN_OBJECT;

static inline int k_heap_array_get(struct k_heap **heaps)
{
    struct k_heap *first = __start_tally_k_heap_objects;

    /* Hide the origin of the pointer: the compiler would take the section's
       bounds for objects other than the heaps. */
    __asm__("" : "+r"(first));
    *heaps = first;
    return (int)(__stop_tally_k_heap_objects - first);
}
#endif

#if !defined K_HEAP_MEM_POOL_SIZE && defined CONFIG_HEAP_MEM_POOL_SIZE
#define K_HEAP_MEM_POOL_SIZE CONFIG_HEAP_MEM_POOL_SIZE
#endif
#ifndef K_HEAP_MEM_POOL_SIZE
#define K_HEAP_MEM_POOL_SIZE 16384
#elif K_HEAP_MEM_POOL_SIZE > 0 && TALLY_HAS(OS)
/* Private: the program's definition takes precedence over the library's. */
extern size_t tally_k_heap_pool_size;
__attribute__((weak)) size_t tally_k_heap_pool_size = K_HEAP_MEM_POOL_SIZE;
#endif

TALLY_END_DECLS

#endif /* TALLY_PRIVATE_K_HEAP_H */
