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
 * The port for Cortex-M (ports/bare_metal) compiles for no other machine, and
 * needs no board: it masks interrupts, has its memory in two static arrays, and
 * starts without clock or console. A program that has a clock or a console
 * gives it to the port, as above.
 *
 * Blocks of tally/tagged.h, and so of tally/malloc.h and tally/kmalloc.h, come
 * from a heap of TALLY_HEAP_BYTES; the port is compiled with 16 KiB or another
 * value. With 0 it lies from __tally_heap_start to __tally_heap_end, which the
 * linker script gives. A block costs 4 bytes, 8 with CONFIG_SYS_HEAP_BIG=y,
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
 * Sinks for tally_zpl_open(). The first sends to tally_board_write(), a UART
 * for example. The second writes a file of the host through a debugger or QEMU,
 * ":tt" for its standard output; without these semihosting stops the program.
 * The first packet opens the file; if that fails, all packets are refused.
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
