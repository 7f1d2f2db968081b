/* SPDX-License-Identifier: Apache-2.0 */
/*
 * application.c - run the module's thread on a scripted kernel
 *
 * The thread runs until its third sleep. Events go to standard output; the
 * clock of 1 GHz gains a microsecond each time it is read.
 */
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/mem_blocks.h>
#include <zephyr/sys/printk.h>
#include <zephyr/tracing/tracing_format.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef CONFIG_TALLY_ZPL_BACKEND_RAM
#include "tally/zpl_ram.h"
#endif

enum { ROUNDS = 3 };

struct k_heap stand_in_k_heaps[] = { { { { 1764, 204, 204 } } },
                                     { { { 852, 100, 300 } } },
                                     { { { 0, 0, 0 } } } };
struct k_mem_slab stand_in_k_mem_slabs[] = { { { 704, 320, 384 } } };
const size_t stand_in_k_heap_count = 3, stand_in_k_mem_slab_count = 1;
const struct device stand_in_device = { 0 };

static struct sys_heap other;
static struct k_heap late_heap;
static struct k_mem_slab late_slab, bad_slab;
static struct sys_heap early, on_stack, beyond;
static sys_mem_blocks_t blocks[] = { { { 512, 0, 0 } },
                                     { { 256, 0, 0 } },
                                     { { 128, 0, 0 } } };
static struct k_thread current;
static bool is_early;
static struct k_thread threads[] = {
    { { 0x20000658, 512 }, "worker", 408 },
    { { 0x20001858, 256 }, "", 208 },
    { { 0x20002000, 64 }, "without bounds", SIZE_MAX },
    { { 0x20000c58, 1024 }, "zpl_mem_profiling", 544 },
};
static jmp_buf end;
static int sleeps;
static unsigned locks;
static uint32_t cycles;

unsigned int irq_lock(void)
{
    return locks++;
}

void irq_unlock(unsigned int key)
{
    if (--locks != key)
        abort();
}

void k_sched_lock(void)
{
    locks++;
}

void k_sched_unlock(void)
{
    locks--;
}

/* It began before the application. */
uint64_t timing_ns_get(void)
{
    return UINT64_C(77000000000) + k_cycle_get_32();
}

uint32_t k_cycle_get_32(void)
{
    return cycles += 1000;
}

uint64_t k_cyc_to_ns_floor64(uint64_t count)
{
    return count;
}

int32_t k_msleep(int32_t ms)
{
    if (locks != 0 || ms != CONFIG_ZPL_MEMORY_PROFILING_INTERVAL)
        abort();
    cycles += UINT32_C(3000000000); /* wraps in the second round */
    if (++sleeps == ROUNDS)
        longjmp(end, 1);
    return 0;
}

void k_thread_foreach_unlocked(k_thread_user_cb_t call, void *data)
{
    if (locks != 0)
        abort();
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
        call(&threads[i], data);
}

int k_thread_stack_space_get(const struct k_thread *thread, size_t *unused)
{
    if (thread->stand_in_unused == SIZE_MAX)
        return -22;
    *unused = thread->stand_in_unused;
    return 0;
}

const char *k_thread_name_get(k_tid_t thread)
{
    return thread->stand_in_name;
}

int k_mem_slab_runtime_stats_get(struct k_mem_slab *slab,
                                 struct sys_memory_stats *stats)
{
    *stats = slab->stand_in_stats;
    return 0;
}

int sys_heap_runtime_stats_get(struct sys_heap *heap,
                               struct sys_memory_stats *stats)
{
    bool is_torn = false;

    for (size_t i = 0; i < stand_in_k_heap_count; i++)
        is_torn = is_torn || (heap == &stand_in_k_heaps[i].heap &&
                              stand_in_k_heaps[i].lock.stand_in_holders != 1);
    *stats = is_torn ? (struct sys_memory_stats){ 0 } : heap->stand_in_stats;
    if (heap->stand_in_stats.free_bytes == 0) { /* as in newer versions */
        *stats = (struct sys_memory_stats){ 1, 2, 3 };
        return -22;
    }
    return 0;
}

void sys_heap_init(struct sys_heap *heap, void *memory, size_t size)
{
    (void)memory;
    heap->stand_in_stats = (struct sys_memory_stats){ size - 30, 30, 30 };
}

k_tid_t k_current_get(void)
{
    return &current;
}

bool k_is_pre_kernel(void)
{
    return is_early;
}

static void allocate_blocks(void)
{
#ifdef CONFIG_SYS_MEM_BLOCKS
    sys_multi_mem_blocks_t group = { 0 };
    void *out;

    (void)sys_mem_blocks_alloc(&blocks[0], 3, &out);
    (void)sys_mem_blocks_alloc_contiguous(&blocks[1], 2, &out);
    sys_multi_mem_blocks_add_allocator(&group, &blocks[2]);
    (void)sys_mem_blocks_alloc(&blocks[0], 1, &out);
#endif
}

void objects_init_heap(struct sys_heap *heap, size_t size);

/* The first objects are found, as CONFIG_TALLY_ZPL_RUNTIME_OBJECTS says: four,
   or seven with memory blocks. */
static void initialize(void)
{
    is_early = true;
    objects_init_heap(&early, 100);
    is_early = false;
    current.stack_info.start = (uintptr_t)&on_stack;
    current.stack_info.size = sizeof on_stack;
    objects_init_heap(&on_stack, 100);
    objects_init_heap(&other, 1140);
    k_heap_init(&late_heap, NULL, 500);
    k_heap_init(&late_heap, NULL, 700); /* again */
    (void)k_mem_slab_init(&bad_slab, NULL, 0, 8);
    (void)k_mem_slab_init(&late_slab, NULL, 32, 8);
    allocate_blocks();
    objects_init_heap(&beyond, 200);
    objects_init_heap(&early, 100);
}

bool device_is_ready(const struct device *device)
{
    return device == &stand_in_device;
}

void uart_poll_out(const struct device *device, unsigned char byte)
{
    (void)device;
    putchar(byte);
}

void tracing_format_raw_data(uint8_t *data, uint32_t length)
{
    fwrite(data, 1, length, stdout);
}

void printk(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

int main(void)
{
    initialize();
    if (setjmp(end) == 0)
        zpl_mem_profiling(NULL, NULL, NULL);
#ifdef CONFIG_TALLY_ZPL_BACKEND_RAM
    fwrite(tally_zpl_ram.bytes, 1, tally_zpl_ram.size, stdout);
#endif
    fflush(stdout);
    for (size_t i = 0; i < 4; i++)
        fprintf(stderr, "%d ", zpl_mem_profiling_numbers[i]);
    const void *known[] = {
        &threads[0], &threads[1],       &threads[3], &other,
        &beyond,     &stand_in_k_heaps, &late_heap,  &stand_in_k_mem_slabs,
        &late_slab,  &blocks[0],        &blocks[1],  &blocks[2]
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        fprintf(stderr, "%zx ", (size_t)known[i]);
    return 0;
}
