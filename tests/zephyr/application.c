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
                                     { { { 852, 100, 300 } } } };
struct k_mem_slab stand_in_k_mem_slabs[] = { { { 704, 320, 384 } } };
const size_t stand_in_k_heap_count = 2, stand_in_k_mem_slab_count = 1;
const struct device stand_in_device = { 0 };

static struct sys_heap other = { { 140, 1000, 1000 } };
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
    *stats = heap->stand_in_stats;
    return 0;
}

int sys_heap_array_get(struct sys_heap ***heaps)
{
    static struct sys_heap *list[] = { &stand_in_k_heaps[0].heap, &other };

    *heaps = list;
    return 2;
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
    if (setjmp(end) == 0)
        zpl_mem_profiling(NULL, NULL, NULL);
#ifdef CONFIG_TALLY_ZPL_BACKEND_RAM
    fwrite(tally_zpl_ram.bytes, 1, tally_zpl_ram.size, stdout);
#endif
    fflush(stdout);
    for (size_t i = 0; i < 4; i++)
        fprintf(stderr, "%d ", zpl_mem_profiling_numbers[i]);
    fprintf(stderr, "%zx %zx %zx %zx %zx %zx\n", (size_t)&threads[0],
            (size_t)&threads[1], (size_t)&threads[3], (size_t)&other,
            (size_t)&stand_in_k_heaps, (size_t)&stand_in_k_mem_slabs);
    return 0;
}
