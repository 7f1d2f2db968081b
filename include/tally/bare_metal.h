/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare_metal.h - the interface of programs without an operating system
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
 * The port in ports/bare_metal is for Cortex-M, Cortex-R and RISC-V of 32 bits,
 * one processor, and needs no board support: it masks interrupts, keeps its
 * memory in two static arrays, and starts without clock or console. A program
 * supplies its clock and console as above. For another processor it supplies a
 * header like ports/bare_metal/riscv.h: -DTALLY_MACHINE_HEADER='"machine.h"'.
 *
 * Blocks of tally/tagged.h, and so of tally/malloc.h and tally/kmalloc.h, come
 * from a heap of TALLY_HEAP_BYTES, set when the port is compiled (16 KiB). With
 * 0, the linker script sets its bounds: __tally_heap_start and
 * __tally_heap_end. The overhead of a block is 4 bytes (8 with
 * CONFIG_SYS_HEAP_BIG=y), reference and size included. Accounts take memory
 * from TALLY_ARENA_BYTES (4 KiB): 512 bytes for every 16 tags that have
 * allocated.
 *
 * The port and the sources that include these headers are compiled with
 * -ffreestanding (cmake/TallyFirmware.cmake sets it). A program with a C
 * library but no threads then still gets single-threaded hooks. Cortex-M3 and
 * later need nothing else; ARMv6-M (Cortex-M0) needs libgcc for division.
 *
 * Interrupts may allocate and free. They are masked during one heap search at a
 * time, never while blocks are copied or cleared.
 */
#ifndef TALLY_BARE_METAL_H
#define TALLY_BARE_METAL_H

#include <stddef.h>
#include <stdint.h>

#include "tally/port.h"
#include "tally/sys_heap.h"
#include "tally/zpl_sink.h"

TALLY_BEGIN_DECLS

/* Print warnings and output for descriptors. The port's default does
   nothing. */
void tally_board_write(const void *bytes, size_t size);

/*
 * Call `tell` for each region of `kind` that a kernel or a C library has; the
 * port itself has those of tally/stack.h and Tally's own. Return the number of
 * threads whose stacks cannot be found. The port's default has none.
 *
 * With a kernel, a program may also define functions of the port itself:
 * tally_port_time_ns(), and with CONFIG_TALLY_THREADS=y tally_port_thread() and
 * tally_port_wait(). docs/firmware.md has all of these for some kernels.
 */
uint32_t tally_board_regions(enum zpl_memory_region kind,
                             tally_port_region_fn tell, void *context);

/*
 * Start the clock of tally_port_time_ns(), which then counts from 0 with a
 * resolution of 1 us. `hz` is the processor's clock rate, 1 to 1,600 MHz.
 *
 * On a Cortex-M the clock is SysTick, and its handler calls tally_clock_tick().
 * Elsewhere it is the counter of cycles, and the program calls
 * tally_clock_tick() or reads the clock at least once in 2^32 cycles.
 */
void tally_clock_start(uint32_t hz);
void tally_clock_tick(void);

/*
 * Return a sink for tally_zpl_open(). tally_board_sink() sends to
 * tally_board_write(), for example a UART. tally_semihosting_sink() writes a
 * file on the host through a debugger or QEMU; ":tt" is standard output.
 * Without a debugger, semihosting stops the program. The first packet opens the
 * file; if that fails, all packets are refused.
 *
 * A program with an interrupt-driven UART supplies its own sink, which refuses
 * packets that do not fit into its buffer.
 */
struct tally_zpl_sink tally_board_sink(void);
struct tally_zpl_sink tally_semihosting_sink(const char *path);

/* Return the heap behind tally/tagged.h, for figures, checks and listeners. */
struct sys_heap *tally_board_heap(void);

TALLY_END_DECLS

#endif /* TALLY_BARE_METAL_H */
