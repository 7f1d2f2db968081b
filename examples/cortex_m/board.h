/* SPDX-License-Identifier: Apache-2.0 */
/* board.h - interface of the board for programs */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#include "tally/zpl_sink.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BOARD_HZ = 25000000 };

void board_start(void);

/* Print text and numbers on UART 0; wait until they are sent. */
void board_print(const char *text);
void board_print_number(uint32_t number);
void board_print_address(const void *address); /* 0x and eight digits */

/*
 * Sink for packets on UART 1. Interrupts send packets from a buffer; a packet
 * that does not fit is refused. board_trace_finish() waits until all are sent.
 */
struct tally_zpl_sink board_trace_sink(void);
void board_trace_finish(void);

/* End the debugger or QEMU with this status; without one, halt. */
__attribute__((noreturn)) void board_exit(int status);

/* Called every 10 ms in an interrupt handler; defined by the program. */
void board_on_tick(void);

/* From the linker script: stack of main(), and stack of all handlers. */
extern unsigned char stack[], stack_end[];
extern unsigned char handler_stack[], handler_stack_end[];

#ifdef __cplusplus
}
#endif

#endif /* BOARD_H */
