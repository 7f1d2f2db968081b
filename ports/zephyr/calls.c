/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - the program's allocations and frees, found by the linker's --wrap
 *
 * A free is told before it happens and an allocation afterwards, so that the
 * events of a block are in order without a lock around calls that wait. Other
 * threads do not run between a realloc and its event.
 *
 * k_malloc() and its relatives call functions of k_heap: only the outer call is
 * told, since its caller and size are the program's. Nor are calls told that a
 * trace callback makes. While is_inside is true for threads, the scheduler is
 * locked, so that the thread that runs is the one inside.
 */
#include "ports/zephyr/calls.h"

#include <zephyr/kernel.h>

#include "ports/zephyr/kernel_version.h"

#if KERNEL_VERSION_NUMBER >= 0x30500
typedef void *slab_block;
#define BLOCK_OF(given)   (given)
#define BLOCK_BYTES(slab) (slab)->info.block_size
#else
typedef void **slab_block;
#define BLOCK_OF(given)   (*(given))
#define BLOCK_BYTES(slab) (slab)->block_size
#endif

#define CALLER __builtin_return_address(0)

/* Bits of a call's state beside its operation; 0: the call is not told. */
enum {
    TOLD = 1 << 2,
    LOCKS = 1 << 3,  /* no other thread runs during the call, unless it waits */
    INSIDE = 1 << 4, /* it calls wrapped functions */
};

static bool is_inside[2]; /* threads; contexts that none of them preempts */

/* Return true before there are threads, and in interrupts. */
static bool is_alone(void)
{
    return k_is_pre_kernel() || k_is_in_isr();
}

static unsigned begin(unsigned state)
{
    bool alone = is_alone();

    if (is_inside[alone])
        return 0;
    if ((state & LOCKS) != 0 && !alone)
        k_sched_lock();
    is_inside[alone] = (state & INSIDE) != 0;
    return state | TOLD;
}

static void leave(void)
{
    bool alone = is_alone();

    is_inside[alone] = false;
    if (!alone)
        k_sched_unlock();
}

static void *end(void *result, uintptr_t first, uintptr_t second, void *caller,
                 unsigned state)
{
    const uint8_t op = state % TOLD;

    if (state == 0)
        return result;
    if ((state & LOCKS) == 0)
        begin(LOCKS | INSIDE);
    is_inside[is_alone()] = true;
    if (IS_ENABLED(CONFIG_TALLY_CODE_TAGS))
        tally_calls_charge(op, result, first, second);
    if (IS_ENABLED(CONFIG_TALLY_MEM_TRACE) && tally_calls_traced_by != NULL)
        tally_calls_traced_by(op, result, caller, first, second);
    leave();
    return result;
}

#define WRAP(op, bits, name, parameters, arguments, first, second)      \
    WRAPPED(void *, name, parameters)                                   \
    {                                                                   \
        unsigned state = begin(MBED_MEM_TRACE_##op | (bits));           \
                                                                        \
        return end(__real_##name arguments, (uintptr_t)(first), second, \
                   CALLER, state);                                      \
    }

#define TELL_FREE(block) \
    end(NULL, (uintptr_t)(block), 0, CALLER, begin(MBED_MEM_TRACE_FREE))

#define WRAP_FREE(name, parameters, arguments, block) \
    WRAPPED(void, name, parameters)                   \
    {                                                 \
        TELL_FREE(block);                             \
        __real_##name arguments;                      \
    }

WRAP(MALLOC, LOCKS | INSIDE, k_malloc, (size_t size), (size), size, 1)
WRAP(CALLOC, LOCKS | INSIDE, k_calloc, (size_t count, size_t size),
     (count, size), count, size)
WRAP(MALLOC, LOCKS | INSIDE, k_aligned_alloc, (size_t align, size_t size),
     (align, size), size, 1)
WRAP(REALLOC, LOCKS | INSIDE, k_realloc, (void *old, size_t size), (old, size),
     old, size)
/* blocks of k_queue_alloc_append() and its like, which k_free() frees */
WRAP(MALLOC, LOCKS | INSIDE, z_thread_aligned_alloc,
     (size_t align, size_t size), (align, size), size, 1)
WRAP(MALLOC, LOCKS | INSIDE, z_thread_malloc, (size_t size), (size), size, 1)

WRAPPED(void, k_free, (void *block))
{
    unsigned state;

    TELL_FREE(block);
    state = begin(MBED_MEM_TRACE_FREE | LOCKS | INSIDE);
    __real_k_free(block);
    if (state != 0)
        leave();
}

WRAP(MALLOC, 0, k_heap_alloc,
     (struct k_heap * heap, size_t size, k_timeout_t timeout),
     (heap, size, timeout), size, 1)
WRAP(MALLOC, 0, k_heap_aligned_alloc,
     (struct k_heap * heap, size_t align, size_t size, k_timeout_t timeout),
     (heap, align, size, timeout), size, 1)
WRAP(CALLOC, 0, k_heap_calloc,
     (struct k_heap * heap, size_t count, size_t size, k_timeout_t timeout),
     (heap, count, size, timeout), count, size)
WRAP(REALLOC, LOCKS, k_heap_realloc,
     (struct k_heap * heap, void *old, size_t size, k_timeout_t timeout),
     (heap, old, size, timeout), old, size)
WRAP_FREE(k_heap_free, (struct k_heap * heap, void *block), (heap, block),
          block)

WRAPPED(int, k_mem_slab_alloc,
        (struct k_mem_slab * slab, void **block, k_timeout_t timeout))
{
    unsigned state = begin(MBED_MEM_TRACE_MALLOC);
    int error = __real_k_mem_slab_alloc(slab, block, timeout);

    end(error == 0 ? *block : NULL, BLOCK_BYTES(slab), 1, CALLER, state);
    return error;
}

WRAP_FREE(k_mem_slab_free, (struct k_mem_slab * slab, slab_block block),
          (slab, block), BLOCK_OF(block))

WRAP(MALLOC, 0, malloc, (size_t size), (size), size, 1)
WRAP(MALLOC, 0, aligned_alloc, (size_t align, size_t size), (align, size), size,
     1)
WRAP(CALLOC, 0, calloc, (size_t count, size_t size), (count, size), count, size)
WRAP(REALLOC, LOCKS, realloc, (void *old, size_t size), (old, size), old, size)
WRAP_FREE(free, (void *block), (block), block)
