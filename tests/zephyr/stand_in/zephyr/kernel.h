/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - the part of Zephyr's kernel that the module calls, for tests
 *
 * Written from Zephyr's documentation. Structs have the documented fields only,
 * and lists are arrays of the test.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <version.h>
#include <zephyr/sys/sys_heap.h>

#define ARG_UNUSED(x) ((void)(x))
#define ARRAY_SIZE(x) (sizeof(x) / sizeof(x)[0])
#define __aligned(x)  __attribute__((__aligned__(x)))

/* An option is 1 or undefined. */
#define IS_ENABLED(option)                  STAND_IN_IS(option)
#define STAND_IN_IS(value)                  STAND_IN_PAIR(STAND_IN_##value)
#define STAND_IN_PAIR(comma)                STAND_IN_PICK(comma 1, 0, 0)
#define STAND_IN_PICK(skipped, picked, ...) picked
#define STAND_IN_1                          0,

/* Zephyr's sections of objects are arrays here. */
#define STRUCT_SECTION_FOREACH(type, each)       \
    for (struct type *each = stand_in_##type##s; \
         each < stand_in_##type##s + stand_in_##type##_count; each++)

struct k_thread {
    struct {
        uintptr_t start;
        size_t size;
    } stack_info;
    const char *stand_in_name;
    size_t stand_in_unused; /* SIZE_MAX: unknown */
};
typedef struct k_thread *k_tid_t;
typedef void (*k_thread_user_cb_t)(const struct k_thread *thread, void *data);

struct k_spinlock {
    size_t stand_in_holders;
};
typedef struct {
    int unused;
} k_spinlock_key_t;

static inline k_spinlock_key_t k_spin_lock(struct k_spinlock *lock)
{
    lock->stand_in_holders++;
    return (k_spinlock_key_t){ 0 };
}

static inline void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key)
{
    (void)key;
    lock->stand_in_holders--;
}

/* The stand-in's statistics of a k_heap are torn unless its lock is held. */
struct k_heap {
    struct sys_heap heap;
    struct k_spinlock lock;
};

struct k_mem_slab {
    struct sys_memory_stats stand_in_stats;
#if KERNEL_VERSION_NUMBER >= 0x30500
    struct {
        size_t block_size;
    } info;
#else
    size_t block_size;
#endif
};

typedef struct {
    int64_t ticks;
} k_timeout_t;
#define K_NO_WAIT ((k_timeout_t){ 0 })
#define K_FOREVER ((k_timeout_t){ -1 })

extern struct k_heap stand_in_k_heaps[];
extern struct k_mem_slab stand_in_k_mem_slabs[];
extern const size_t stand_in_k_heap_count, stand_in_k_mem_slab_count;

unsigned int irq_lock(void);
void irq_unlock(unsigned int key);
uint32_t k_cycle_get_32(void);
uint64_t k_cyc_to_ns_floor64(uint64_t cycles);
int32_t k_msleep(int32_t ms);
void k_thread_foreach_unlocked(k_thread_user_cb_t call, void *data);
int k_thread_stack_space_get(const struct k_thread *thread, size_t *unused);
const char *k_thread_name_get(k_tid_t thread);
int k_mem_slab_runtime_stats_get(struct k_mem_slab *slab,
                                 struct sys_memory_stats *stats);

k_tid_t k_current_get(void);
bool k_is_in_isr(void);
bool k_is_pre_kernel(void);
void k_sched_lock(void);
void k_sched_unlock(void);

void k_heap_init(struct k_heap *heap, void *memory, size_t size);
int k_mem_slab_init(struct k_mem_slab *slab, void *memory, size_t size,
                    uint32_t count);
void *k_malloc(size_t size);
void *k_calloc(size_t count, size_t size);
void *k_aligned_alloc(size_t align, size_t size);
void *k_realloc(void *block, size_t size);
void k_free(void *block);
void *z_thread_aligned_alloc(size_t align, size_t size); /* of the kernel */
void *k_heap_alloc(struct k_heap *heap, size_t size, k_timeout_t timeout);
void *k_heap_aligned_alloc(struct k_heap *heap, size_t align, size_t size,
                           k_timeout_t timeout);
void *k_heap_calloc(struct k_heap *heap, size_t count, size_t size,
                    k_timeout_t timeout);
void *k_heap_realloc(struct k_heap *heap, void *block, size_t size,
                     k_timeout_t timeout);
void k_heap_free(struct k_heap *heap, void *block);
int k_mem_slab_alloc(struct k_mem_slab *slab, void **block,
                     k_timeout_t timeout);
#if KERNEL_VERSION_NUMBER >= 0x30500
void k_mem_slab_free(struct k_mem_slab *slab, void *block);
#else
void k_mem_slab_free(struct k_mem_slab *slab, void **block);
#endif

/* The test runs the thread itself. */
#define K_THREAD_DEFINE(name, size, entry, one, two, three, priority, options, \
                        delay)                                                 \
    void (*const name)(void *, void *, void *) = (entry);                      \
    const int name##_numbers[] = { (size), (priority), (options), (delay) }
extern void (*const zpl_mem_profiling)(void *, void *, void *);
extern const int zpl_mem_profiling_numbers[];
