/* SPDX-License-Identifier: Apache-2.0 */
/* profiler.c - the thread that runs rounds, and the destination of events */
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>
#include <zephyr/tracing/tracing_format.h>

#include "tally/config.h"
#include "tally/zpl.h"
#include "tally/zpl_ram.h"

#include "ports/zephyr/kernel_version.h"

static uint8_t buffer[CONFIG_TALLY_ZPL_BUFFER_BYTES] __aligned(4);

#if defined CONFIG_TALLY_ZPL_BACKEND_CONSOLE
static bool send(void *context, const void *bytes, size_t size)
{
    ARG_UNUSED(context);
    k_sched_lock(); /* lines of threads do not mix */
    printk("%.*s", (int)size, (const char *)bytes);
    k_sched_unlock();
    return true;
}
#elif defined CONFIG_TALLY_ZPL_BACKEND_UART
#if DT_HAS_CHOSEN(tally_zpl_uart)
#define UART_NODE DT_CHOSEN(tally_zpl_uart)
#else
#define UART_NODE DT_CHOSEN(zephyr_console)
#endif

static bool send(void *context, const void *bytes, size_t size)
{
    const struct device *uart = DEVICE_DT_GET(UART_NODE);
    const uint8_t *byte = bytes;

    ARG_UNUSED(context);
    if (!device_is_ready(uart))
        return false;
    while (size-- > 0)
        uart_poll_out(uart, *byte++);
    return true;
}
#elif defined CONFIG_TALLY_ZPL_BACKEND_TRACING
/* Events lie between those of the kernel; in layout 3 each is a packet. */
#if KERNEL_LAYOUT != CONFIG_ZPL_CTF_LAYOUT && CONFIG_ZPL_CTF_LAYOUT != 3
#error "CONFIG_ZPL_CTF_LAYOUT: the kernel's events have another header; set " \
    "1 up to Zephyr 4.3, 2 for 4.4, 4 from 4.5 on"
#endif
#if defined CONFIG_TRACING_CTF && KERNEL_LAYOUT == 4 && \
    !defined CONFIG_TRACING_CTF_TIMESTAMP
#error "CONFIG_TRACING_CTF_TIMESTAMP=n: the kernel's events have no time"
#endif

static bool send(void *context, const void *bytes, size_t size)
{
    ARG_UNUSED(context);
    tracing_format_raw_data((uint8_t *)(uintptr_t)bytes, size);
    return true;
}
#else
static uint8_t ram[CONFIG_TALLY_ZPL_RAM_BYTES];
#endif

static void run(void *one, void *two, void *three)
{
    const struct tally_zpl_stream stream = {
#ifdef CONFIG_TALLY_ZPL_BACKEND_RAM
        .sink = tally_zpl_ram_open(ram, sizeof ram),
#else
        .sink.write = send,
#endif
        .buffer = buffer,
        .capacity = sizeof buffer,
        .is_bare = !IS_ENABLED(CONFIG_TALLY_ZPL_PACKETS),
    };

    ARG_UNUSED(one);
    ARG_UNUSED(two);
    ARG_UNUSED(three);
    (void)tally_zpl_open(&stream);
    if (!IS_ENABLED(CONFIG_ZPL_MEMORY_USAGE_TRACE))
        zpl_memory_profiling_set(false);
    for (;;) {
        tally_zpl_round();
        k_msleep(CONFIG_ZPL_MEMORY_PROFILING_INTERVAL);
    }
}

K_THREAD_DEFINE(zpl_mem_profiling,
                CONFIG_ZPL_MEMORY_PROFILING_THREAD_STACK_SIZE, run, NULL, NULL,
                NULL, CONFIG_ZPL_MEMORY_PROFILING_THREAD_PRIORITY, 0,
                CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY);
