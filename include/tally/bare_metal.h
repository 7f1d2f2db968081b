/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare_metal.h - what a program without an operating system gives and gets
 *
 *     void tally_board_write(const void *bytes, size_t size)
 *     {
 *         for (const char *byte = bytes; size > 0; size--)
 *             uart_put(*byte++);
 *     }
 *
 *     void SysTick_Handler(void)
 *     {
 *         tally_clock_tick();
 *     }
 *
 *     void start(void)
 *     {
 *         tally_clock_start(12000000);
 *     }
 *
 * The port for Cortex-M (ports/bare_metal), which compiles for no other
 * machine, needs no board: it masks interrupts, has its memory in two static
 * arrays, and starts without clock or console. A program gives it those as far
 * as it has them, as above.
 *
 * Blocks of tally/tagged.h, and so of tally/malloc.h and tally/kmalloc.h, come
 * from a heap of TALLY_HEAP_BYTES, 16 KiB unless the port is compiled with
 * another value; with 0 from __tally_heap_start to __tally_heap_end, which the
 * linker script gives. They cost 4 bytes each, 8 with CONFIG_SYS_HEAP_BIG=y,
 * reference and size included. The accounts come from TALLY_ARENA_BYTES, 4 KiB:
 * 512 bytes for each 16 tags that have allocated.
 *
 * All of it is compiled with -ffreestanding, as are the sources that include
 * these headers (cmake/TallyFirmware.cmake sees to both): a program that has a
 * C library, but no threads, then still has hooks for one thread. Cortex-M3 and
 * later need nothing else; ARMv6-M (Cortex-M0) needs libgcc, for division.
 *
 * Interrupts may allocate and free. They are masked for one search of the heap
 * at a time, never while blocks are copied or cleared.
 */
#ifndef TALLY_BARE_METAL_H
#define TALLY_BARE_METAL_H

#include <stddef.h>
#include <stdint.h>

#include "tally/sys_heap.h"
#include "tally/zpl_sink.h"

TALLY_BEGIN_DECLS

/* Print: warnings, and what goes to a descriptor. The port's own does
   nothing. */
void tally_board_write(const void *bytes, size_t size);

/*
 * Let SysTick count for tally_port_time_ns(), from 0 and to the microsecond, on
 * a processor that runs at `hz`, 1 to 1,600 MHz. Its handler calls tick.
 */
void tally_clock_start(uint32_t hz);
void tally_clock_tick(void);

/*
 * Sinks for tally_zpl_open(): what tally_board_write() sends to, a UART for
 * example; or, through a debugger or QEMU, a file of the host, ":tt" for its
 * standard output. Without a debugger or QEMU semihosting stops the program.
 * The file is opened with the first packet; if that fails all are refused.
 *
 * A program with a UART that takes bytes from a buffer by interrupt has a sink
 * of its own, which refuses what does not fit into the buffer.
 */
struct tally_zpl_sink tally_board_sink(void);
struct tally_zpl_sink tally_semihosting_sink(const char *path);

/* The heap behind tally/tagged.h: for figures, checks and listeners. */
struct sys_heap *tally_board_heap(void);

TALLY_END_DECLS

#endif /* TALLY_BARE_METAL_H */
